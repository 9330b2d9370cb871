"""How answers, tables and changes are shown."""
