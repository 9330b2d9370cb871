"""Everything of one person, read from a folder, a database or a backup and written to another."""
