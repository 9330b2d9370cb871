"""What is true for every database: items, Global Context lines, filters, queries, changes, undo, trash."""
