"""Sentences, what each must cause, and how many are understood."""
