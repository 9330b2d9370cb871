"""The graph as the LangGraph dev server runs it; langgraph.json names `make` and `server_saver`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph_api.errors import UserInterrupt
from langgraph_sdk.runtime import ServerRuntime

from ana.recent import current as recent
from ana.stopping import present
from ana.threads.ports import ThreadLock
from ana.threads.runs import Run
from ana.threads.saver import ThreadSaver
from ana.workspace import load_workspace
from ana.workspace.private import keep_private
from graph.builder import graph
from graph.context import SAVER, Context
from graph.owning import OwningGraph, strip_thread_fields

_workspace = cache(load_workspace)
_owning_graph = OwningGraph(**vars(graph))


@asynccontextmanager
async def server_saver() -> AsyncIterator[ThreadSaver]:
    """Open the server's saver on the same file as every other door."""
    workspace = load_workspace()
    keep_private(workspace)  # the server may have been started without `ana dev`
    async with workspace.open_thread_store().open_server_saver() as saver:
        yield saver


@asynccontextmanager
async def make(
    config: RunnableConfig, runtime: ServerRuntime[Context]
) -> AsyncIterator[CompiledStateGraph[Any, Any, Any, Any]]:
    """Yield the graph. A run owns its thread until the last of its nodes has ended, even if it is cancelled before; an
    edit of a state owns it meanwhile, and is refused if the thread is busy, because the server has read its state
    already.

    A run that is stopped leaves its thread as it is. A run that is rolled back loses its messages; the items that it
    stored stay.
    """
    is_edit = runtime.access_context == "threads.update"
    if not is_edit and runtime.access_context != "threads.create_run":
        yield graph
        return
    thread = str(config["configurable"]["thread_id"])
    lock = await asyncio.to_thread(_lock, thread) if is_edit or SAVER in config["configurable"] else None
    run = Run(lock, thread)
    try:
        if is_edit:
            await run.acquire(patience=0)
            yield graph
            return
        strip_thread_fields(config)  # this one is the run's surroundings
        present.set(run)
        recent.set(_workspace().recent)
        yield _owning_graph
    except UserInterrupt:
        if saver := config["configurable"].get(SAVER):
            await saver.amark_stopped(str(config["configurable"]["run_id"]))
        raise
    finally:
        await asyncio.to_thread(run.close)


def _lock(thread: str) -> ThreadLock:
    return _workspace().open_locks().lock(thread, "ana server", patience=0)
