"""The store for other assistants: the tools over MCP, the Model Context Protocol."""
