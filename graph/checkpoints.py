"""The saver of the LangGraph server, on the file of every other door; langgraph.json names it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ana.threads.saver import ThreadSaver
from ana.workspace import load_workspace
from ana.workspace.private import keep_private


@asynccontextmanager
async def server_saver() -> AsyncIterator[ThreadSaver]:
    """Open the saver of the LangGraph server."""
    workspace = load_workspace()
    keep_private(workspace)  # the server may have been started without `ana serve`
    async with workspace.open_thread_store().open_server_saver() as saver:
        yield saver
