"""How much of what questions ask for is found."""
