"""Readers of what other programs left. Each gives items and Global Context lines, and changes nothing."""
