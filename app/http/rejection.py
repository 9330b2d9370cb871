"""`multitask_strategy: "reject"` of the API, also while a door that is no run of the server works in the thread."""

import re
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import StoreBusy
from ana.ownership import canonical_id, thread_lock
from ana.settings import load_settings
from app.http.bodies import read_json

_RUNS = re.compile(r"/threads/([0-9a-f-]{36})/(?:runs(?:/stream|/wait)?|commands)/?")


class RunRejection:
    """Refuses a run that asks for it while another door works in its thread, as the server does for its own runs.

    Args:
        app: The application; the server's own routes are part of it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _RUNS.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        thread = canonical_id(found[1]) if found else None
        if thread is None:
            await self._app(scope, receive, send)
            return
        asked, receive = await read_json(receive)
        if _asks_to_be_rejected(asked) and (why := await run_in_threadpool(_find_owner, thread)):
            await JSONResponse({"detail": why}, status_code=409)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _asks_to_be_rejected(asked: Any) -> bool:
    if not isinstance(asked, dict):
        return False
    command = asked.get("params")
    of_command = command.get("multitaskStrategy") if isinstance(command, dict) else None
    return "reject" in (asked.get("multitask_strategy"), of_command)


def _find_owner(thread: str) -> str | None:
    """Return a sentence that names who works in a thread; None if nobody does."""
    lock = thread_lock(load_settings(), thread, "ana server", patience=0)
    try:
        lock.acquire()
    except StoreBusy as exc:
        return exc.sentence()
    lock.release()
    return None
