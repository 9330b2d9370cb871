"""Queries, the scores of items, and the answers; this package knows no database."""
