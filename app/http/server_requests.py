"""Requests to the server's own routes: what is done before it answers them."""

import logging
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from langgraph_api.validation import ThreadPruneRequest
from pydantic_core import to_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.errors import AnaError
from ana.threads.ids import canonical_id
from ana.threads.ports import PATIENCE
from ana.threads.runs import stop_runs
from ana.workspace import load_workspace
from app.http.bodies import put_back, read_json
from app.http.refusals import answer_error
from app.http.run_requests import check_request
from app.http.thread_rows import ThreadRows

_SERVERS = ("/threads", "/runs", "/assistants")
_ID = "([0-9a-f-]{36})"
_DELETED = re.compile(rf"/threads/{_ID}(?:/runs/{_ID})?/?")
_EDITED = re.compile(rf"/threads/{_ID}/(?:state|copy)/?")
_BEGUN = re.compile(rf"/threads/{_ID}/(?:runs(?:/stream|/wait)?|commands)/?")
_NEW = re.compile(r"/threads/?")
_PRUNE = re.compile(r"/threads/prune/?")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Write:
    """What a request does to threads.

    Args:
        threads: Their ids, in one order: two requests may want the same.
        erases: Whether they are deleted.
        run: The run whose messages are taken back.
    """

    threads: Sequence[str]
    erases: bool = False
    run: str = ""


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
        try:
            await self._prepare(scope, receive, send)
        except AnaError as exc:
            _log.warning("%s %s was refused: %s", scope["method"], scope["path"], exc)
            await answer_error(exc)(scope, receive, send)

    async def _prepare(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked, path = None, scope["path"]
        if scope["method"] in ("POST", "PATCH"):
            asked, receive = await _read_asked(scope, receive)
            check_request(path, asked)
        if path.startswith("/threads"):
            await self._rows.refresh()
        begun = _BEGUN.fullmatch(path) if _asks_to_be_rejected(asked) else None
        if thread := canonical_id(begun[1]) if begun else None:
            await run_in_threadpool(_refuse_while_owned, thread)
        write = find_write(scope["method"], path, asked)
        if write is None:
            await self._app(scope, receive, send)
        elif write.run and write.run not in await self._rows.find_runs(*write.threads):
            # the server looks for it only after it has deleted its messages, in whatever thread
            await JSONResponse({"detail": "The thread has no such run."}, status_code=404)(scope, receive, send)
        else:
            await self._carry_out(write, scope, receive, send)

    async def _carry_out(self, write: Write, scope: Scope, receive: Receive, send: Send) -> None:
        workspace = await run_in_threadpool(load_workspace)
        async with AsyncExitStack() as stack:
            for thread in write.threads:
                # the server refuses an edit while a run of its own works, and does not wait
                patience = PATIENCE if write.erases or not await self._rows.is_busy(thread) else 0
                lock = await run_in_threadpool(workspace.open_locks().lock, thread, "ana server", patience)
                await run_in_threadpool(lock.acquire)
                stack.push_async_callback(run_in_threadpool, lock.discard if write.erases else lock.release)
            if not write.erases:
                await self._app(scope, receive, send)
                return
            # otherwise the row might be gone before the server looks for it
            await stack.enter_async_context(self._rows.changing)
            for thread in write.threads:
                await run_in_threadpool(workspace.open_threads().erase, thread)
                stop_runs(thread, await self._rows.find_runs(thread))
            reply: list[Message] = []

            async def keep(message: Message) -> None:
                reply.append(message)

            await self._app(scope, receive, keep)
        for message in reply:  # whoever hears that a thread is gone finds nothing left of it
            await send(message)


def _rewrite_path(scope: Scope) -> Scope:
    path = "/".join(canonical_id(part) or part for part in scope["path"].split("/"))
    return scope if path == scope["path"] else {**scope, "path": path, "raw_path": quote(path).encode()}


async def _read_asked(scope: Scope, receive: Receive) -> tuple[Any, Receive]:
    """Return the body as JSON, with the id of a new thread as we write it, and a `receive` that gives it again."""
    asked, again = await read_json(receive)
    if _NEW.fullmatch(scope["path"]) and isinstance(asked, dict):
        given = asked.get("thread_id")
        id = canonical_id(given) if isinstance(given, str) else None
        if id not in (None, given):
            asked |= {"thread_id": id}
            again = put_back([{"type": "http.request", "body": to_json(asked)}], receive)
    return asked, again


def _asks_to_be_rejected(asked: Any) -> bool:
    if not isinstance(asked, dict):
        return False
    command = asked.get("params")
    of_command = command.get("multitaskStrategy") if isinstance(command, dict) else None
    return "reject" in (asked.get("multitask_strategy"), of_command)


def _refuse_while_owned(thread: str) -> None:
    """Raise StoreBusy while another door works in a thread, as the server refuses while a run of its own does."""
    lock = load_workspace().open_locks().lock(thread, "ana server", patience=0)
    lock.acquire()
    lock.release()


def find_write(method: str, path: str, asked: Any) -> Write | None:
    """Return what a request does to threads by itself; None if that is nothing, or the server will refuse it."""
    if method == "DELETE" and (gone := _DELETED.fullmatch(path)):
        thread, run = canonical_id(gone[1]), gone[2] or ""
        return Write([thread], erases=not run, run=run) if thread else None
    if method != "POST":
        return None
    if _PRUNE.fullmatch(path):
        pruned = _read_pruned(asked)
        return Write(pruned, erases=True) if pruned else None
    if _NEW.fullmatch(path):
        filled = isinstance(asked, dict) and asked.get("supersteps")
        thread = canonical_id(str(asked.get("thread_id"))) if filled else None  # it may be there already
    else:
        edited = _EDITED.fullmatch(path)
        thread = canonical_id(edited[1]) if edited else None
    return Write([thread]) if thread else None


def _read_pruned(asked: Any) -> list[str]:
    """Return the threads that a request to prune deletes; none if it is to keep their newest state, or is not valid."""
    if not ThreadPruneRequest.is_valid(asked) or asked.get("strategy", "delete") != "delete":
        return []
    ids = [canonical_id(id) for id in asked["thread_ids"]]
    return sorted({id for id in ids if id}) if all(ids) else []
