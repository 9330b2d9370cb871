"""An MCP server whose one tool does nothing: what the protocol costs by itself, over stdio."""

from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = "nothing"


async def _list_tools(_: Any, __: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name=TOOL, input_schema={"type": "object"})])


async def _call(_: Any, __: Any) -> types.CallToolResult:
    await anyio.to_thread.run_sync(lambda: None)  # where a tool that blocks would work
    return types.CallToolResult(content=[types.TextContent(type="text", text="done")])


async def _serve() -> None:
    server: Server[Any] = Server("plain", on_list_tools=_list_tools, on_call_tool=_call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
