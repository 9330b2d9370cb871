"""Output of answers, tables and changes."""
