"""`ana mcp`: the store for other assistants, over standard input and output."""

from app.startup import start


def mcp() -> None:
    """Serve the tools to another assistant over MCP, on standard input and output. docs/mcp.md has what to paste."""
    import anyio

    from ana.files import refuse_read_only
    from app.mcp.stdio import serve

    workspace = start()
    refuse_read_only(workspace.folder)
    anyio.run(serve, workspace)
