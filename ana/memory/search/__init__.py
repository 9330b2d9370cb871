"""Queries: what they ask for, how items score against it, and what was found; no database in here."""
