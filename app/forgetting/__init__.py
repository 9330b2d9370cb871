"""Forgetting: removing a message with its answer, or an item or a line, from everything that is stored here."""
