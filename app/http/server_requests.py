"""Requests to the server's own routes: what is done before it answers them."""

import logging
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import quote

from langgraph_api.validation import ThreadPruneRequest
from pydantic_core import from_json, to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.errors import AnaError, UserError
from ana.json_lines import Quoted
from ana.threads.ids import canonical_id
from ana.threads.ports import PATIENCE, ThreadLock
from ana.threads.runs import stop_runs
from ana.workspace import load_workspace
from app.http.bodies import put_back, read_body
from app.http.refusals import answer_error, answer_tool_call
from app.http.run_requests import check_request, find_bare_reply, name_reply
from app.http.thread_rows import ThreadRows

_SERVERS = ("/threads", "/runs", "/assistants", "/mcp")
_ID = "([0-9a-f-]{36})"
_THREAD = re.compile(rf"/threads/{_ID}/?")
_RUN = re.compile(rf"/threads/{_ID}/runs/{_ID}/?")
_RUNS = re.compile(rf"/threads/{_ID}/runs(?:/wait|/stream)?/?")
_EDITED = re.compile(rf"/threads/{_ID}/(?:state|copy)/?")
_NEW = re.compile(r"/threads/?")
_PRUNE = re.compile(r"/threads/prune/?")

_log = logging.getLogger(__name__)


class ServerRequests:
    """Lets requests reach the server's own routes as it can take them.

    Ids are written as we write them. What a run would fail of is refused, and what would leave a thread with which no
    run can go on. The rows of threads are renewed before each request about them. What changes a thread without a run
    owns it meanwhile, and of one that is deleted nothing stays; runs own theirs by themselves.

    Args:
        app: The application; the server's own routes are part of it.
        rows: The server's rows of threads.
    """

    def __init__(self, app: ASGIApp, rows: ThreadRows) -> None:
        self._app = app
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            scope = _rewrite_path(scope)
        if scope["type"] != "http" or not scope["path"].startswith(_SERVERS):
            await self._app(scope, receive, send)
            return
        asked = None
        try:
            if scope["method"] in ("POST", "PATCH"):
                asked, again = await _read_asked(receive)
                check_request(scope["path"], asked)
                if (rewritten := await self._rewrite(scope["path"], asked)) is not asked:
                    again = put_back([{"type": "http.request", "body": to_json(rewritten)}], receive)
                asked, receive = rewritten, again
            await self._prepare(asked, scope, receive, send)
        except AnaError as exc:
            _log.warning("%s %s was refused: %s", scope["method"], Quoted(scope["path"]), exc)
            refuse = answer_tool_call(asked, exc) if scope["path"].startswith("/mcp") else answer_error(exc)
            await refuse(scope, receive, send)

    async def _rewrite(self, path: str, asked: Any) -> Any:
        """Return a body with the id of a new thread as we write it, or with what a bare reply is to."""
        if _NEW.fullmatch(path) and isinstance(asked, dict):
            given = asked.get("thread_id")
            id = canonical_id(given) if isinstance(given, str) else None
            return asked if id in (None, given) else asked | {"thread_id": id}
        if (run := _RUNS.fullmatch(path)) and find_bare_reply(asked) is not None:
            await self._rows.refresh()
            return name_reply(asked, await self._rows.find_asked(run[1]))
        return asked

    async def _prepare(self, asked: Any, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path.startswith("/threads"):
            await self._rows.refresh()
        if erased := find_erased(scope["method"], path, asked):
            await self._erase(erased, scope, receive, send)
        elif thread := find_written(scope["method"], path, asked):
            await self._write(thread, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _write(self, thread: str, scope: Scope, receive: Receive, send: Send) -> None:
        run = _RUN.fullmatch(scope["path"])
        if run and run[2] not in await self._rows.find_runs(thread):
            # the server looks for it only after it has deleted its messages, in whatever thread
            await JSONResponse({"detail": "The thread has no such run."}, status_code=404)(scope, receive, send)
            return
        # the server refuses an edit while a run of its own works, and does not wait
        lock = await run_in_threadpool(_own, thread, 0 if await self._rows.is_busy(thread) else PATIENCE)
        try:
            await self._app(scope, receive, send)
        finally:
            await run_in_threadpool(lock.release)

    async def _erase(self, threads: Sequence[str], scope: Scope, receive: Receive, send: Send) -> None:
        reply: list[Message] = []

        async def keep(message: Message) -> None:
            reply.append(message)

        workspace = await run_in_threadpool(load_workspace)
        async with AsyncExitStack() as stack:
            for thread in threads:
                lock = await run_in_threadpool(_own, thread, PATIENCE)
                stack.push_async_callback(run_in_threadpool, lock.discard)
            # otherwise the row might be gone before the server looks for it
            await stack.enter_async_context(self._rows.changing)
            for thread in threads:
                await run_in_threadpool(workspace.open_threads().erase, thread)
                stop_runs(thread, await self._rows.find_runs(thread))
            await self._app(scope, receive, keep)
        for message in reply:  # whoever hears that a thread is gone finds nothing left of it
            await send(message)


def _own(thread: str, patience: float) -> ThreadLock:
    lock = load_workspace().open_locks().lock(thread, "ana server", patience)
    lock.acquire()
    return lock


def _rewrite_path(scope: Scope) -> Scope:
    path = "/".join(canonical_id(part) or part for part in scope["path"].split("/"))
    return scope if path == scope["path"] else {**scope, "path": path, "raw_path": quote(path).encode()}


async def _read_asked(receive: Receive) -> tuple[Any, Receive]:
    body, again = await read_body(receive)
    try:
        return from_json(body) if body else None, again
    except ValueError as exc:
        raise UserError(f"The body is not JSON, or nested too deep: {exc}.") from exc


def find_erased(method: str, path: str, asked: Any) -> list[str]:
    """Return the threads that a request deletes, in one order; none if the server will refuse it."""
    if method == "POST" and _PRUNE.fullmatch(path):
        return _read_pruned(asked)
    gone = _THREAD.fullmatch(path) if method == "DELETE" else None
    thread = canonical_id(gone[1]) if gone else None
    return [thread] if thread else []


def find_written(method: str, path: str, asked: Any) -> str | None:
    """Return the thread that a request changes without a run, or whose run it takes back; None if there is none."""
    if method == "POST" and _NEW.fullmatch(path):
        filled = isinstance(asked, dict) and asked.get("supersteps")
        return canonical_id(str(asked.get("thread_id"))) if filled else None  # it may be there already
    changes = {"POST": _EDITED, "DELETE": _RUN}.get(method)
    changed = changes.fullmatch(path) if changes else None
    return canonical_id(changed[1]) if changed else None


def _read_pruned(asked: Any) -> list[str]:
    """Return the threads that a request to prune deletes; none if it is to keep their newest state, or is not valid."""
    if not ThreadPruneRequest.is_valid(asked) or asked.get("strategy", "delete") != "delete":
        return []
    ids = [canonical_id(id) for id in asked["thread_ids"]]
    return sorted({id for id in ids if id}) if all(ids) else []
