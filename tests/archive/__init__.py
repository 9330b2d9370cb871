"""Tests of backups, and of bringing them back."""
