"""Items in tables of SQLite: properties, words, dates and vectors, and the queries over them. For every backend."""
