"""Threads that are deleted or pruned through the API: what this project keeps of them goes too."""

import re
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack

from pydantic_core import from_json
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.errors import StoreBusy
from ana.ownership import stop_runs, thread_lock
from ana.settings import load_settings
from app.http.bodies import join_body, read_body, replay
from app.http.rejection import find_thread
from app.http.thread_rows import ThreadRows
from app.threads import Threads

_THREAD = re.compile(r"/threads/([0-9a-fA-F-]{36})/?")
_PRUNE = re.compile(r"/threads/prune/?")


class ThreadDeletion:
    """Lets threads be deleted only while nobody works in them, with their traces, their names and their locks.

    Args:
        app: The application; the server's own route is part of it.
        rows: The server's rows of threads.
    """

    def __init__(self, app: ASGIApp, rows: ThreadRows) -> None:
        self._app = app
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and _PRUNE.fullmatch(scope["path"]):
            messages = await read_body(receive)
            threads, receive = _read_pruned(join_body(messages)), replay(messages, receive)
        else:
            thread = find_thread(_THREAD, "DELETE", scope)
            threads = [thread] if thread else []
        if not threads:
            await self._app(scope, receive, send)
            return
        try:
            await self._delete(threads, scope, receive, send)
        except StoreBusy as exc:
            await JSONResponse({"detail": exc.sentence()}, status_code=409)(scope, receive, send)

    async def _delete(self, threads: Sequence[str], scope: Scope, receive: Receive, send: Send) -> None:
        settings, reply = await run_in_threadpool(load_settings), list[Message]()

        async def keep(message: Message) -> None:
            reply.append(message)

        async with AsyncExitStack() as stack:
            for thread in threads:
                lock = await run_in_threadpool(thread_lock, settings, thread, "ana server")
                await run_in_threadpool(lock.acquire)
                stack.push_async_callback(run_in_threadpool, lock.discard)
            # otherwise the row might be gone before the server looks for it
            await stack.enter_async_context(self._rows.changing)
            for thread in threads:
                await run_in_threadpool(Threads(settings).erase, thread)
                stop_runs(thread, await self._rows.find_runs(thread))
            await self._app(scope, receive, keep)
        for message in reply:  # whoever hears that a thread is gone finds nothing left of it
            await send(message)


def _read_pruned(body: bytes) -> list[str]:
    """Return the threads that a request to prune deletes; none if it is to keep their newest state, or is not valid."""
    try:
        asked = from_json(body)
        wanted = asked["thread_ids"] if asked.get("strategy", "delete") == "delete" else []
        return sorted({str(uuid.UUID(id)) for id in wanted})  # in one order: two requests may want the same
    except (ValueError, TypeError, KeyError, AttributeError):
        return []  # the server says what is wrong with it
