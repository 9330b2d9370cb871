"""Additions to LangGraph's dev server for Studio (`ana dev`): a guard against foreign pages, and every conversation.

The routes are the server's own; ana's graph, saver and locks are in graph/server.py.
"""

import contextlib
import logging
import uuid
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import AnaError
from ana.logs import settle_console
from ana.output import tell
from ana.settings import load_settings
from ana.threads.ids import canonical_id
from ana.threads.saver import ThreadSaver
from ana.threads.threads import Threads
from ana.tracing import langsmith
from ana.workspace import Workspace, load_workspace
from app.server.guard import Guard, tell_error
from app.server.refusals import Refusals, fail
from app.server.rows import Row, describe_thread
from app.serving import mark_serving
from graph.builder import graph
from graph.context import SAVER

CLOSED = ("docs", "deploy", "internal", "metrics")
"""Routes of the dev server by the first part of their path: a page with a foreign script, its upload, its debugging."""

OURS = ("/ask", "/trace/{rest:path}", "/transcript/{rest:path}")
"""Where whoever looks for our own server is told of it."""

logger = logging.getLogger(__name__)


class StudioGuard:
    """The guard before every route of the dev server; requests that the server makes to itself are let through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._guarded = Guard(self._pass, origins=load_settings().ana_cors_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_inside = scope.get("root_path") == "/noauth"  # nobody outside can set it
        await (self._app if is_inside else self._guarded)(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_closed = scope["type"] == "http" and scope["path"].lstrip("/").partition("/")[0] in CLOSED
        app = tell_error(404, "This part of the server is switched off.") if is_closed else self._app
        await app(scope, receive, send)


@contextlib.asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """Set up LangSmith, and list the conversations of every door."""
    workspace, marked = await run_in_threadpool(load_workspace), contextlib.ExitStack()
    # a log on the console may quote a model or a person
    settle_console(workspace.settings)
    await run_in_threadpool(_start, workspace, marked)
    await _list_threads(workspace)
    tell("The server is ready.")
    yield
    await run_in_threadpool(marked.close)


def _start(workspace: Workspace, marked: contextlib.ExitStack) -> None:
    # before the first run: the server traces a run from its beginning, when no node has opened the handles yet
    langsmith.switch_on_or_off()
    langsmith.connect(workspace.settings)
    marked.enter_context(mark_serving(workspace))


async def _list_threads(workspace: Workspace) -> None:
    from langgraph_runtime.database import connect  # exists only inside the server

    try:
        saved = await run_in_threadpool(read_rows, workspace)
    except (AnaError, OSError) as exc:
        logger.warning("the conversations cannot be listed: %s", exc)
        return
    async with connect() as connection:
        if tables := getattr(connection, "store", None):  # none where it has a database
            fill_table(tables["threads"], saved)


def read_rows(workspace: Workspace) -> dict[str, Row]:
    """Return the rows of the conversations of every door, by their ids; without those that cannot be shown."""
    threads = workspace.open_threads()
    with threads.store.map_errors(), threads.store.open_saver() as saver:
        # no other spelling of an id is a thread to the server
        ids = [id for id in threads.store.marks() if canonical_id(id) == id]
        rows = {id: _read_row(saver, threads, id) for id in ids}
    return {id: row for id, row in rows.items() if row}


def _read_row(saver: ThreadSaver, threads: Threads, id: str) -> Row | None:
    from langgraph_api.serde import json_dumpb

    try:
        row = describe_thread(graph.get_state({"configurable": {"thread_id": id, SAVER: saver}}), threads.describe(id))
        json_dumpb([row])  # the server answers with all rows at once, and so with none if one cannot be sent
    except threads.store.errors:
        raise
    except Exception:  # whatever a thread holds, the others are shown, and the server starts
        logger.exception("the thread %s cannot be read", id)
        return None
    return {"thread_id": uuid.UUID(id), "config": {}} | row if row["updated_at"] else None


def fill_table(table: list[dict[str, Any]], saved: dict[str, Row]) -> None:
    """Fill the server's table with the saved rows, and keep its own rows only of threads that nobody has used yet.

    The server writes its table to a file every ten seconds. After a kill -9 it begins with that file, which may have
    deleted threads and old states, but not the newest threads.
    """
    before = {str(row["thread_id"]): row for row in table}
    for id, row in saved.items():
        row["metadata"] = before.get(id, {}).get("metadata", {}) | row["metadata"]
    table[:] = [row for id, row in before.items() if id not in saved and not row.get("values")] + [*saved.values()]


async def tell_of_serve(_: Request) -> JSONResponse:
    """Say where ana's own routes are."""
    return JSONResponse({"error": "This is the dev server, for Studio; `ana serve` answers here."}, 501)


app = Starlette(
    routes=[Route(path, tell_of_serve, methods=["GET", "POST"], include_in_schema=False) for path in OURS],
    middleware=[Middleware(StudioGuard)],
    lifespan=lifespan,
    exception_handlers=Refusals().handlers | {Exception: fail},
)
