"""The runs of the LangGraph API: begun, waited for, streamed, joined, cancelled, listed."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from typing import Any

import anyio
from pydantic_core import from_json
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ana.errors import AnaError, NotFound, UserError
from ana.runs.local import make_run
from ana.runs.port import Event, StartedRun
from ana.threads.ids import canonical_id, name_run
from app.server.answers import answer, find_workspace, path_id, read_limit, read_number
from app.server.bodies import NewRun, check_assistant, read_body
from app.server.run_requests import check_run, find_bare_reply, name_reply
from app.server.shapes import dump, show_run
from app.server.stopping import join_run, remove_run
from app.server.thread_row import OPEN_REQUEST, Row
from app.server.workspaces import OpenWorkspace
from graph.owning import ASKS

BEAT_SECONDS = 5
"""How often a connection on which nothing is told is kept open by a blank."""

_STATES = ("values", "updates")
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
    return _wait_for(opened, run, cancels=request.query_params.get("cancel_on_disconnect") in ("1", "true"))


async def join_stream(request: Request) -> Response:
    """GET /threads/{thread_id}/runs/{run_id}/stream, from Last-Event-ID on; without it, from now on."""
    opened, run = await _find(request)
    header = request.headers.get("last-event-id")
    after = await opened.runs.position(run.id) if header is None else read_position(header)
    cancels = request.query_params.get("cancel_on_disconnect") in ("1", "true")
    return _Followed(opened, run, after, cancels=cancels)


async def get(request: Request) -> Response:
    """GET /threads/{thread_id}/runs/{run_id}."""
    _, run = await _find(request)
    return answer(show_run(run))


async def list_runs(request: Request) -> Response:
    """GET /threads/{thread_id}/runs."""
    opened, id = await find_workspace(request), path_id(request)
    await opened.rows.find(id)
    limit, first = read_limit(request, 10), read_number(request, "offset", 0, 0, 10**6)
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
    waits = request.query_params.get("wait") in ("1", "true")
    return Response(status_code=204 if waits and await join_run(opened, run) else 202)


async def delete(request: Request) -> Response:
    """DELETE /threads/{thread_id}/runs/{run_id}: its messages go with it; what it stored stays."""
    await remove_run(*await _find(request))
    return Response(status_code=204)


async def _begin(request: Request) -> tuple[OpenWorkspace, StartedRun, NewRun]:
    opened, body = await find_workspace(request), await read_body(request, NewRun)
    check_assistant(body.assistant_id)
    thread = path_id(request) if "thread_id" in request.path_params else None
    return opened, await begin_run(opened, body, thread), body


async def begin_run(opened: OpenWorkspace, body: NewRun, thread: str | None) -> StartedRun:
    """Return a run that has been started.

    Args:
        thread: The conversation; None for a new one.

    Raises:
        NotFound: There is no such conversation, and none is to be begun.
        UserError: It would fail, or is a reply that does not say to what.
        RunRejected: Another run of the conversation has not ended, and it is not to wait for that; or too many of the
            person's have not.
    """
    order = body.model_dump(by_alias=True)
    check_run(order)
    if thread:
        is_persistent = True
        if not await opened.rows.has(thread):
            if body.if_not_exists != "create":
                raise NotFound("There is no such thread.")
            await opened.rows.create(thread, {})
        if find_bare_reply(order) is not None:
            row = await _find_asked(opened, thread)
            order = name_reply(order, None if row["status"] == "busy" else row[OPEN_REQUEST])
    else:
        thread, is_persistent = str(uuid.uuid4()), body.on_completion == "keep"
        if (body.command or {}).get("resume") is not None:
            raise UserError("A reply is to a thread.", "Name the thread: /threads/{thread_id}/runs.")
        if is_persistent:
            await opened.rows.create(thread, {})
    id = await _choose_id(opened, thread, order)
    run = make_run(id, thread, order, is_persistent=is_persistent, size=len(dump(order)))
    strategy = body.multitask_strategy or "enqueue"
    if strategy == "rollback":
        for other in await opened.runs.list(thread):
            if other.is_active:
                await remove_run(opened, other)
    await opened.runs.start(run, "enqueue" if strategy == "rollback" else strategy)
    return run


async def _find_asked(opened: OpenWorkspace, thread: str) -> Row:
    """Return the row of a thread that a reply is to, after the run that asked: who follows it may reply at once."""
    row = await opened.rows.find(thread)
    run = (await opened.runs.find_newest([thread])).get(thread)
    if run and run.is_active and await _has_asked(opened, run) and await join_run(opened, run):
        return await opened.rows.find(thread)
    return row


async def _has_asked(opened: OpenWorkspace, run: StartedRun) -> bool:
    """Return whether a run has told what it asks a person, after which it only ends."""
    told = await opened.runs.position(run.id)
    if not told:
        return False
    async for event in opened.runs.follow(run.id):
        if _read_requests(event):
            return True
        if event.position >= told:
            break
    return False


def _read_requests(event: Event) -> list[Any]:
    """Return what an event says that a person is asked."""
    is_asking = event.name in _STATES and ASKS.encode() in event.data
    return (from_json(event.data).get(ASKS) or []) if is_asking else []


async def _choose_id(opened: OpenWorkspace, thread: str, order: dict[str, Any]) -> str:
    """Return the id of a run: that of the message which begins it, which gets one if it has none.

    So another process can tell from the thread whether the run has begun. Of a message whose id is not a UUID as we
    write it, the run's id follows from thread and message. A message that is sent again begins a run of another id.
    """
    inputs = order.get("input")
    messages = inputs.get("messages") if isinstance(inputs, dict) else None
    last = messages[-1] if isinstance(messages, list) and messages else messages
    if not isinstance(last, dict):
        return str(uuid.uuid4())
    if last.get("id") is None:
        last["id"] = str(uuid.uuid4())
    id = name_run(thread, str(last["id"]))
    return str(uuid.uuid4()) if await opened.runs.find(id) else id


async def _find(request: Request) -> tuple[OpenWorkspace, StartedRun]:
    opened, thread = await find_workspace(request), path_id(request)
    run = await opened.runs.find(canonical_id(request.path_params["run_id"]) or "")
    if run is None or run.thread != thread:
        raise NotFound(
            "The thread has no such run.", "A run is known while its server lives; the thread has what it did."
        )
    return opened, run


def _place(run: StartedRun, rest: str) -> dict[str, str]:
    """Return where a run is and, if it can be asked for there, from where a client goes on that lost the connection."""
    if not run.is_persistent:
        return {"Content-Location": f"/runs/{run.id}"}
    here = f"/threads/{run.thread}/runs/{run.id}"
    return {"Content-Location": here, "Location": f"{here}/{rest}"}


def read_position(text: str) -> int:
    """Return after which event a client goes on, as its Last-Event-ID says."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0  # -1 is how clients say: from the beginning


class _Followed(EventSourceResponse):
    """What a run tells, as server-sent events with their positions as ids."""

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
    """Return an answer that comes when the run has ended; meanwhile blanks keep the connection open."""

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
    """Stop a run whose client has gone away, with which this code is cancelled too."""
    with anyio.CancelScope(shield=True):
        try:
            await opened.runs.cancel(run.id)
        except AnaError as exc:
            _log.warning("a run whose client went away works on: %s", exc)


async def _find_last_state(opened: OpenWorkspace, run: StartedRun) -> bytes:
    """Return the state with which a run ends, as JSON: what it asks a person, why it failed, or its last values."""
    last, requests = b"", list[Any]()
    async for event in opened.runs.follow(run.id):
        if event.name == "error":
            return dump({"__error__": from_json(event.data)})
        requests += _read_requests(event)
        last = event.data if event.name == "values" else last
    if requests and ASKS.encode() not in last:
        return dump({ASKS: requests})
    return last or dump((await opened.rows.find(run.thread))["values"] if run.is_persistent else {})
