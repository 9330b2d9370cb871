"""The routes of runs in the LangGraph API: begin, wait, stream, join, cancel, list."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import anyio
from pydantic_core import from_json
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ana.errors import AnaError, NotFound, UserError
from ana.runs.port import StartedRun
from ana.threads.ids import canonical_id
from app.server.answers import answer, find_workspace, path_id, read_number
from app.server.beginning import begin_run, read_requests
from app.server.bodies import MOST_ROWS, NewRun, check_assistant, read_body
from app.server.shapes import dump, show_run
from app.server.stopping import join_run, remove_run
from app.server.workspaces import OpenWorkspace
from graph.owning import ASKS

BEAT_SECONDS = 5
"""How often a blank is sent on a connection that is otherwise silent, so that nobody closes it."""

_log = logging.getLogger(__name__)


async def create(request: Request) -> Response:
    """POST /threads/{thread_id}/runs and /runs."""
    _, run, _ = await _begin(request)
    return answer(show_run(run), headers=_place(run, "join"))


async def stream(request: Request) -> Response:
    """POST /threads/{thread_id}/runs/stream and /runs/stream."""
    opened, run, body = await _begin(request)
    return _Followed(opened, run, 0, cancels=body.on_disconnect == "cancel", headers=_place(run, "stream"))


async def wait(request: Request) -> Response:
    """POST /threads/{thread_id}/runs/wait and /runs/wait: the last state, or {"__error__": ...}."""
    opened, run, body = await _begin(request)
    return _wait_for(opened, run, cancels=body.on_disconnect == "cancel", headers=_place(run, "join"))


async def join(request: Request) -> Response:
    """GET /threads/{thread_id}/runs/{run_id}/join."""
    opened, run = await _find(request)
    return _wait_for(opened, run, cancels=_read_flag(request, "cancel_on_disconnect"))


async def join_stream(request: Request) -> Response:
    """GET /threads/{thread_id}/runs/{run_id}/stream, from Last-Event-ID on; without it, from now on."""
    opened, run = await _find(request)
    header = request.headers.get("last-event-id")
    after = await opened.runs.position(run.id) if header is None else read_position(header)
    cancels = _read_flag(request, "cancel_on_disconnect")
    return _Followed(opened, run, after, cancels=cancels)


async def get(request: Request) -> Response:
    """GET /threads/{thread_id}/runs/{run_id}."""
    _, run = await _find(request)
    return answer(show_run(run))


async def list_runs(request: Request) -> Response:
    """GET /threads/{thread_id}/runs."""
    opened, id = await find_workspace(request), path_id(request)
    await opened.rows.find(id)
    limit, first = read_number(request, "limit", 10, 1, MOST_ROWS), read_number(request, "offset", 0, 0, 10**6)
    status = request.query_params.get("status")
    runs = [run for run in await opened.runs.list(id) if status in (None, run.status)]
    return answer([show_run(run) for run in runs[first : first + limit]])


async def cancel(request: Request) -> Response:
    """POST /threads/{thread_id}/runs/{run_id}/cancel?wait=&action=interrupt|rollback: 204 if it has ended, else 202."""
    opened, run = await _find(request)
    action = request.query_params.get("action", "interrupt")
    if action not in ("interrupt", "rollback"):
        raise UserError(f"The action is {action!r:.40}.", "Give interrupt or rollback.")
    if action == "rollback":
        await remove_run(opened, run)
        return Response(status_code=204)
    await opened.runs.cancel(run.id)
    has_ended = _read_flag(request, "wait") and await join_run(opened, run)
    return Response(status_code=204 if has_ended else 202)


async def delete(request: Request) -> Response:
    """DELETE /threads/{thread_id}/runs/{run_id}: its messages are deleted too; the items that it stored stay."""
    await remove_run(*await _find(request))
    return Response(status_code=204)


async def _begin(request: Request) -> tuple[OpenWorkspace, StartedRun, NewRun]:
    opened, body = await find_workspace(request), read_body(request, NewRun)
    check_assistant(body.assistant_id)
    thread = path_id(request) if "thread_id" in request.path_params else None
    return opened, await begin_run(opened, body, thread), body


async def _find(request: Request) -> tuple[OpenWorkspace, StartedRun]:
    opened, thread = await find_workspace(request), path_id(request)
    run = await opened.runs.find(canonical_id(request.path_params["run_id"]) or "")
    if run is None or run.thread != thread:
        raise NotFound(
            "The thread has no such run.", "A run is known while its server lives; the thread has what it did."
        )
    return opened, run


def _read_flag(request: Request, name: str) -> bool:
    return request.query_params.get(name) in ("1", "true")


def _place(run: StartedRun, rest: str) -> dict[str, str]:
    """Return headers: where a run is and, if it stays, where a client that lost the connection can follow it."""
    if not run.is_persistent:
        return {"Content-Location": f"/runs/{run.id}"}
    here = f"/threads/{run.thread}/runs/{run.id}"
    return {"Content-Location": here, "Location": f"{here}/{rest}"}


def read_position(text: str) -> int:
    """Return the position of the last event that a client has, from its Last-Event-ID."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0  # -1 is how clients say: from the beginning


class _Followed(EventSourceResponse):
    """A run's events as server-sent events, with their positions as ids."""

    def __init__(
        self,
        opened: OpenWorkspace,
        run: StartedRun,
        after: int,
        *,
        cancels: bool,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._opened, self._run, self._cancels = opened, run, cancels
        super().__init__(self._tell(after), headers=headers, ping=BEAT_SECONDS, sep="\r\n")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self._cancels:
                await _stop(self._opened, self._run)

    async def _tell(self, after: int) -> AsyncIterator[ServerSentEvent]:
        try:
            async for event in self._opened.runs.follow(self._run.id, after):
                yield ServerSentEvent(event.data.decode(), event=event.name, id=str(event.position))
        except AnaError as exc:
            yield ServerSentEvent(dump(_describe(exc)).decode(), event="error")


def _wait_for(
    opened: OpenWorkspace, run: StartedRun, *, cancels: bool, headers: dict[str, str] | None = None
) -> Response:
    """Return an answer that is sent when the run has ended; meanwhile blanks keep the connection open."""

    async def tell() -> AsyncIterator[bytes]:
        waiting = asyncio.ensure_future(_find_last_state(opened, run))
        try:
            while not waiting.done():
                await asyncio.wait([waiting], timeout=BEAT_SECONDS)
                if not waiting.done():
                    yield b"\n"
            try:
                yield waiting.result()
            except AnaError as exc:  # the answer has begun, so that its status cannot tell
                yield dump({"__error__": _describe(exc)})
        finally:
            waiting.cancel()
            if cancels:
                await _stop(opened, run)

    return StreamingResponse(tell(), headers=headers, media_type="application/json")


def _describe(exc: AnaError) -> dict[str, str]:
    return {"error": type(exc).__name__, "message": exc.sentence()}


async def _stop(opened: OpenWorkspace, run: StartedRun) -> None:
    """Stop a run whose client has gone away."""
    with anyio.CancelScope(shield=True):  # the request's own code is cancelled when its client goes
        try:
            await opened.runs.cancel(run.id)
        except AnaError as exc:
            _log.warning("a run whose client went away works on: %s", exc)


async def _find_last_state(opened: OpenWorkspace, run: StartedRun) -> bytes:
    """Return the state with which a run ends, as JSON: its request to a person, its error, or its last values."""
    last, requests = b"", list[Any]()
    async for event in opened.runs.follow(run.id):
        if event.name == "error":
            return dump({"__error__": from_json(event.data)})
        requests += read_requests(event)
        last = event.data if event.name == "values" else last
    if requests and ASKS.encode() not in last:
        return dump({ASKS: requests})
    return last or dump((await opened.rows.find(run.thread))["values"] if run.is_persistent else {})
