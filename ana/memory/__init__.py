"""The part that is the same for every database: items, Global Context lines, filters, queries, changes, undo, trash."""
