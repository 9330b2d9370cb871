"""Recorded turns run again: with their decisions and results, or by another model on a copy of the present store."""
