"""Helpers for every route of the LangGraph API: the workspace of the person who asks, and answers as JSON."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import NotFound, UserError
from ana.leases import working_under
from ana.threads.ids import canonical_id
from ana.threads.ports import PATIENCE
from ana.translation import choose_language, speak, speaking
from app.server.guard import is_page
from app.server.request_threads import run_in_threadpool
from app.server.shapes import dump
from app.server.work import PROGRAM
from app.server.workspaces import OpenWorkspace, Workspaces


async def find_workspace(request: Request) -> OpenWorkspace:
    """Return the workspace of the person whom the token has named, and nothing else in a request names; it stays open
    until the request is answered.
    """
    workspaces: Workspaces = request.app.state.workspaces
    resources: AsyncExitStack = request.state.resources
    opened = await resources.enter_async_context(workspaces.hold(request.state.person))
    if is_page(request.url.path) and (language := opened.workspace.settings.ana_language):
        speak(language)
    return opened


class Holding:
    """Holds what a request needs until it is answered: workspaces, and for the page the browser's language until the
    person is known; everything else is English.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        accepted = Headers(scope=scope).get("accept-language", "") if is_page(scope["path"]) else ""
        async with AsyncExitStack() as resources:
            scope.setdefault("state", {})["resources"] = resources
            with speaking(choose_language(accepted)):
                await self._app(scope, receive, send)


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer of JSON."""
    return Response(dump(value), status, headers, "application/json")


def read_number(request: Request, name: str, default: int, least: int, most: int) -> int:
    """Return a number of the query. Raises UserError if it is not a number, or out of bounds."""
    text = request.query_params.get(name, str(default))
    if not text.isdecimal() or len(text) > 9 or not least <= int(text) <= most:
        raise UserError(f"{name} is {text[:20]!r}.", f"Give a number from {least} to {most}.")
    return int(text)


def path_id(request: Request) -> str:
    """Return the thread's id in the request's path. Raises NotFound if it is not an id."""
    if id := canonical_id(request.path_params["thread_id"]):
        return id
    raise NotFound("There is no such thread.")


@asynccontextmanager
async def own_thread(
    opened: OpenWorkspace, id: str, patience: float = PATIENCE, *, ends: bool = False
) -> AsyncIterator[None]:
    """Own a thread while it is changed without a run.

    Args:
        patience: Seconds to wait for another run in the thread.
        ends: Whether the thread is deleted.
    """
    lock = opened.workspace.open_locks().lock(id, PROGRAM, patience)
    await run_in_threadpool(lock.acquire)
    try:
        with working_under(lock.token):
            yield
    finally:
        # in a thread that all share: those of the person may all wait for this lock
        await anyio.to_thread.run_sync(lock.discard if ends else lock.release)
