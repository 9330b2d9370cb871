"""Forgetting: a message with its answer, or an item or a line, taken out of everything that is kept here."""
