"""Tools of the person's own that need no question before them."""

from langchain_core.tools import BaseTool

NEEDS_NONE = ("readOnlyHint", "asksItself")
"""In a tool's metadata: it changes nothing, as MCP's annotations and langchain's adapter say, or it asks by itself."""


def needs_no_question(tool: BaseTool) -> bool:
    """Return whether a tool says that it changes nothing, or asks by itself, so that it would be asked about twice."""
    return any((tool.metadata or {}).get(name) is True for name in NEEDS_NONE)
