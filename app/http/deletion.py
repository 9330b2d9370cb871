"""DELETE of a thread through the API: what this project keeps of it goes with what the server keeps."""

import re

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import StoreBusy
from ana.ownership import stop_runs, thread_lock
from ana.settings import load_settings
from app.http.rejection import find_thread
from app.http.thread_rows import ThreadRows
from app.threads import Threads

_THREAD = re.compile(r"/threads/([0-9a-fA-F-]{36})/?")


class ThreadDeletion:
    """Lets a thread be deleted only while nobody works in it, with its traces, its name and its lock.

    Args:
        app: The application; the server's own route is part of it.
        rows: The server's rows of threads.
    """

    def __init__(self, app: ASGIApp, rows: ThreadRows) -> None:
        self._app = app
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        thread = find_thread(_THREAD, "DELETE", scope)
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
            async with self._rows.changing:  # otherwise the row might be gone before the server looks for it
                await run_in_threadpool(Threads(settings).erase, thread)
                stop_runs(thread, await self._rows.find_runs(thread))
                await self._app(scope, receive, send)
        finally:
            await run_in_threadpool(lock.discard)
