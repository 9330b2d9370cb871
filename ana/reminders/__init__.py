"""Reminders: when items ring, where, and the ledger of what has rung. Delivered by code, without a model."""
