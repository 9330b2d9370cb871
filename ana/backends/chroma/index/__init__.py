"""The derived index beside Chroma, in SQLite: filters, words, ranking."""
