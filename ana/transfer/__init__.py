"""Records in and out: export, import, other programs' files."""
