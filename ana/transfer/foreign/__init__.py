"""Readers of what other programs left. Each gives a bundle, the same at each reading, and changes nothing."""
