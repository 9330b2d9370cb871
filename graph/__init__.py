"""The state machine: its state, its context, and the order of its nodes."""
