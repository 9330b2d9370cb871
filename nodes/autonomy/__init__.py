"""Autonomy: which writes wait for a person, and how the person is asked."""
