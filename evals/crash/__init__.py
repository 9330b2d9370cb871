"""`make crash`: kill -9 at random moments, and many writers at once."""
