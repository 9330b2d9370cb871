"""Running recorded turns again: with their decisions and results, or with another model on a copy of the present
store.
"""
