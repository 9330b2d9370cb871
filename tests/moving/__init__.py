"""Tests of moves between a data folder and PostgreSQL."""
