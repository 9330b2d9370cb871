"""Serve one client over standard input and output."""

import secrets
from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from ana.workspace import Workspace
from app.mcp.server import McpServer
from app.mcp.sessions import Sessions

if TYPE_CHECKING:
    from ana.handles import Handles


async def serve(workspace: Workspace) -> None:
    """Answer requests until the client closes its end.

    Args:
        workspace: The person's.
    """
    begun = f"{workspace.make_clock().now():%Y-%m-%d %H:%M} {secrets.token_hex(2)}"
    sessions = Sessions(lambda: _open(workspace), lambda: begun)
    server = McpServer(lambda _: sessions).build()
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        sessions.close()


def _open(workspace: Workspace) -> "Handles":
    from ana.handles import open_handles
    from app.pending import ClosingModel

    return open_handles(workspace, "ana mcp", model=ClosingModel())
