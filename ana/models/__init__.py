"""Models: one interface for providers, the offline reader and scripted replies."""
