"""Models without native tool calls: asked for JSON decisions, which are read from whatever they reply."""
