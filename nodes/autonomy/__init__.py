"""Autonomy: which writes wait for a person, and how they are asked about."""
