"""Load: many messages to one thread at the same moment, through every door."""
