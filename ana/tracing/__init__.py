"""Traces: one record a turn, one file a thread."""
