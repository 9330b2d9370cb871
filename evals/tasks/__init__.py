"""Tasks with a fresh store each: what is asked, what must come of it, and how often it does."""
