"""`make crash`: kill -9 at random moments."""
