"""Models without native tool calls: they are asked for JSON decisions, which are read from any form of reply."""
