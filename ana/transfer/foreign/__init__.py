"""Readers of other programs' files. Each returns a bundle, always the same one for a file, and changes nothing."""
