"""What sentences must cause, and how many of them are understood."""
