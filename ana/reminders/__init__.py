"""Reminders: their times, addresses, and a ledger of deliveries. Code delivers them, without a model."""
