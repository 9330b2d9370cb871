"""The state machine: its state, its context, and what follows what."""
