"""How much of what a question means is found."""
