"""Where what the assistant knows is kept."""
