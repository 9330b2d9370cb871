"""Tests of PostgreSQL, on a server of their own."""
