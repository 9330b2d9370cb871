"""A small rule-based reader that works without a key: it keeps, finds and asks back."""
