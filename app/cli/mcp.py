"""`ana mcp`: access for other assistants, over standard input and output."""

import secrets
from typing import Any

from ana.handles import Handles, open_handles
from ana.translation import speak
from ana.workspace import Workspace
from app.startup import start


def mcp() -> None:
    """Serve the tools to another assistant over MCP, on standard input and output. docs/mcp.md shows what to paste."""
    import anyio

    workspace = start()
    speak("en")  # which other models read
    anyio.run(_serve, workspace)


async def _serve(workspace: Workspace) -> None:
    from mcp.server.stdio import stdio_server

    from app.mcp.lines import Lines, take_input
    from app.mcp.server import McpServer
    from app.mcp.sessions import Sessions

    def open_store() -> Handles:
        from app.pending import ClosingModel

        return open_handles(workspace, "ana mcp", model=ClosingModel())

    begun = f"{workspace.make_clock().now():%Y-%m-%d %H:%M} {secrets.token_hex(2)}"
    sessions = Sessions(open_store, lambda: begun)
    server = McpServer(lambda _: sessions).build()
    try:
        lines: Any = Lines(take_input())
        async with stdio_server(stdin=lines) as (read, write):
            lines.answers = write
            await server.run(read, write, server.create_initialization_options())
    finally:
        sessions.close()
