"""Recorded turns run again, on a throw-away copy of the store as it was before them."""
