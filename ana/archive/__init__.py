"""All that a person has: read from a folder, a database or a backup, and brought into another of them."""
