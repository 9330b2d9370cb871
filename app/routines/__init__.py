"""Routines: questions that ana asks itself at set times, each time as a turn, and the delivery of the answers."""
