"""Serve one client over standard input and output."""

from mcp.server.stdio import stdio_server

from ana.handles import open_handles
from ana.workspace import Workspace
from app.mcp.server import McpServer
from app.pending import ClosingModel


async def serve(workspace: Workspace) -> None:
    """Answer requests until the client closes its end.

    Args:
        workspace: The person's.
    """
    handles = open_handles(workspace, "ana mcp", model=ClosingModel())
    ours = McpServer(handles)
    server = ours.build()
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        ours.close()
        handles.memory.close()
