"""DELETE of a thread through the API: what this project keeps of it goes with what the server keeps."""

import re
import uuid
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import StoreBusy
from ana.ownership import thread_lock
from ana.settings import load_settings
from app.threads import Threads

_THREAD = re.compile(r"/threads/([0-9a-fA-F-]{36})/?")


class ThreadDeletion:
    """Lets a thread be deleted only while nobody works in it, with its traces, its name and its lock.

    Args:
        app: The application; the server's own route is part of it.
        forget: Called with the id of a thread that is gone.
    """

    def __init__(self, app: ASGIApp, forget: Callable[[str], None]) -> None:
        self._app = app
        self._forget = forget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        thread = _find_deleted(scope)
        if thread is None:
            await self._app(scope, receive, send)
            return
        try:
            await self._delete(thread, scope, receive, send)
        except StoreBusy as exc:
            await JSONResponse({"detail": exc.sentence()}, status_code=409)(scope, receive, send)

    async def _delete(self, thread: str, scope: Scope, receive: Receive, send: Send) -> None:
        settings = await run_in_threadpool(load_settings)
        lock = await run_in_threadpool(thread_lock, settings, thread, "ana server")
        await run_in_threadpool(lock.acquire)
        try:
            await run_in_threadpool(Threads(settings).erase, thread)
            self._forget(thread)
            await self._app(scope, receive, send)
        finally:
            await run_in_threadpool(lock.discard)


def _find_deleted(scope: Scope) -> str | None:
    """Return the id of the thread that a request deletes."""
    if scope["type"] != "http" or scope["method"] != "DELETE":
        return None
    found = _THREAD.fullmatch(scope["path"])
    try:
        return str(uuid.UUID(found[1])) if found else None
    except ValueError:
        return None
