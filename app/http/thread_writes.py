"""Requests that change threads without a run: they own them meanwhile, and of a thread that goes nothing stays."""

import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from langgraph_api.validation import ThreadPruneRequest
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.errors import AnaError
from ana.ownership import PATIENCE, canonical_id, thread_lock
from ana.settings import load_settings
from app.http.bodies import read_json
from app.http.refusals import answer_error
from app.http.thread_rows import ThreadRows
from app.threads import Threads
from graph.runs import stop_runs

_ID = "([0-9a-f-]{36})"
_THREAD = re.compile(rf"/threads/{_ID}/?")
_EDITED = re.compile(rf"/threads/{_ID}/(?:state|copy)/?")
_RUN = re.compile(rf"/threads/{_ID}/runs/{_ID}/?")
_NEW = re.compile(r"/threads/?")
_PRUNE = re.compile(r"/threads/prune/?")


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


class ThreadWrites:
    """Lets requests change threads only while nobody works in them. Runs own theirs by themselves.

    Args:
        app: The application; the server's own routes are part of it.
        rows: The server's rows of threads.
    """

    def __init__(self, app: ASGIApp, rows: ThreadRows) -> None:
        self._app = app
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        write: Write | None = None
        if scope["type"] == "http" and scope["method"] in ("POST", "DELETE"):
            asked = None
            if _PRUNE.fullmatch(scope["path"]) or _NEW.fullmatch(scope["path"]):  # whose bodies name the threads
                asked, receive = await read_json(receive)
            write = find_write(scope, asked)
        if write is None:
            await self._app(scope, receive, send)
            return
        try:
            await self._carry_out(write, scope, receive, send)
        except AnaError as exc:
            await answer_error(exc)(scope, receive, send)

    async def _carry_out(self, write: Write, scope: Scope, receive: Receive, send: Send) -> None:
        settings = await run_in_threadpool(load_settings)
        if write.run and write.run not in await self._rows.find_runs(*write.threads):
            # the server looks for it only after it has deleted its messages, in whatever thread
            await JSONResponse({"detail": "The thread has no such run."}, status_code=404)(scope, receive, send)
            return
        async with AsyncExitStack() as stack:
            for thread in write.threads:
                # the server refuses an edit while a run of its own works, and does not wait
                patience = PATIENCE if write.erases or not await self._rows.is_busy(thread) else 0
                lock = await run_in_threadpool(thread_lock, settings, thread, "ana server", patience)
                await run_in_threadpool(lock.acquire)
                stack.push_async_callback(run_in_threadpool, lock.discard if write.erases else lock.release)
            if not write.erases:
                await self._app(scope, receive, send)
                return
            reply = await self._erase(write.threads, scope, receive, stack)
        for message in reply:  # whoever hears that a thread is gone finds nothing left of it
            await send(message)

    async def _erase(
        self, threads: Sequence[str], scope: Scope, receive: Receive, stack: AsyncExitStack
    ) -> list[Message]:
        """Delete what is kept of threads, and let the server delete the rest; return its reply."""
        settings, reply = await run_in_threadpool(load_settings), list[Message]()

        async def keep(message: Message) -> None:
            reply.append(message)

        # otherwise the row might be gone before the server looks for it
        await stack.enter_async_context(self._rows.changing)
        for thread in threads:
            await run_in_threadpool(Threads(settings).erase, thread)
            stop_runs(thread, await self._rows.find_runs(thread))
        await self._app(scope, receive, keep)
        return reply


def find_write(scope: Scope, asked: Any) -> Write | None:
    """Return what a request does to threads by itself; None if that is nothing, or the server will refuse it."""
    path, posted = scope["path"], scope["method"] == "POST"
    if _PRUNE.fullmatch(path) and posted:
        pruned = _read_pruned(asked)
        return Write(pruned, erases=True) if pruned else None
    if _NEW.fullmatch(path) and posted:
        thread = _read_filled(asked)
    elif found := _EDITED.fullmatch(path) if posted else _THREAD.fullmatch(path) or _RUN.fullmatch(path):
        thread = canonical_id(found[1])
    else:
        return None
    if thread is None:
        return None
    run = _RUN.fullmatch(path)
    return Write([thread], erases=not posted and run is None, run=run[2] if run else "")


def _read_pruned(asked: Any) -> list[str]:
    """Return the threads that a request to prune deletes; none if it is to keep their newest state, or is not valid."""
    if not ThreadPruneRequest.is_valid(asked) or asked.get("strategy", "delete") != "delete":
        return []
    ids = [canonical_id(id) for id in asked["thread_ids"]]
    return sorted({id for id in ids if id}) if all(ids) else []


def _read_filled(asked: Any) -> str | None:
    """Return the thread that a request to create one fills with states; it may be there already."""
    id = asked.get("thread_id") if isinstance(asked, dict) and asked.get("supersteps") else None
    return canonical_id(id) if isinstance(id, str) else None
