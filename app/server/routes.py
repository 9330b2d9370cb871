"""ana's own routes beside the LangGraph API: a turn in one request, traces, forgetting, the calendar, health."""

import asyncio
from hashlib import sha256

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ana import __version__
from ana.errors import NotFound
from ana.handles import Handles
from ana.models.providers import model_name
from ana.settings import load_settings
from ana.transfer.ics.writer import write_calendar
from app.forgetting.plan import make_plan
from app.server.answers import find_workspace, read_number
from app.server.bodies import read_body
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import exchange
from app.server.stopping import forget
from app.server.turns import PostedReply, Question

MOST_TURNS = 1000
"""The most turns of a transcript in one answer."""


async def ask(request: Request) -> JSONResponse:
    """POST /ask: run a turn with {question, thread_id?, max_steps?}, or decide with {decisions, thread_id, request_id}.

    A turn that waits for a decision answers with {answer: "", thread_id, pending, steps}; `pending` has the request_id.
    A yes or a no as the next question decides on the request.
    """
    value = getattr(request.state, "json", None)
    decides = isinstance(value, dict) and "decisions" in value
    posted = read_body(request, PostedReply) if decides else read_body(request, Question)
    opened = await find_workspace(request)
    async with opened.slots.take(opened.workspace.person):
        return await asyncio.to_thread(opened.turns.answer, posted, request.state.is_alone)


async def trace(request: Request) -> JSONResponse:
    """GET /trace/{id}: a turn's record, by its id or as the newest of a thread."""
    traces = (await find_workspace(request)).workspace.open_traces()
    record = await run_in_threadpool(traces.find, request.path_params["id"])
    if record is None:
        raise NotFound("There is no such trace.")
    return JSONResponse(record)


async def transcript(request: Request) -> JSONResponse:
    """GET /transcript/{thread}?limit=50&before=TURN: turns of a conversation, oldest first, from its traces."""
    limit, before = read_number(request, "limit", 50, 1, MOST_TURNS), request.query_params.get("before")
    opened = await find_workspace(request)
    threads = opened.workspace.open_threads()
    id = await run_in_threadpool(threads.resolve, request.path_params["thread"])
    page = await run_in_threadpool(opened.workspace.open_traces().page, id, limit, before)
    if not (page or await opened.rows.has(id) or await run_in_threadpool(threads.exists, id)):
        raise NotFound("There is no such thread.")
    return JSONResponse({"thread_id": id, "turns": page, "before": page[0]["id"] if page else None})


async def answer_forget(request: Request) -> JSONResponse:
    """GET /forget/{name}: what is removed with a message, an item or `line 3`, and what stays; POST forgets it
    permanently.

    ?with_items=1 includes the items that the forgotten messages stored.
    """
    with_items = request.query_params.get("with_items", "") not in ("", "0")
    opened = await find_workspace(request)
    plan = await run_in_threadpool(make_plan, opened.handles, request.path_params["name"], with_items=with_items)
    if request.method == "POST":
        await forget(opened, plan)
    return JSONResponse(plan.to_json())


async def calendar(request: Request) -> Response:
    """GET /calendar.ics?key=KEY: the open items with a date, for anybody with a person's key; the key opens nothing
    else.
    """
    handles = (await find_workspace(request)).handles
    tag = await run_in_threadpool(_make_tag, handles)
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    items, zone = handles.memory.items(), handles.clock.zone
    data, _, _ = await run_in_threadpool(lambda: write_calendar(items, zone, whole=False))
    return Response(data, headers=headers, media_type="text/calendar")


class Code(BaseModel):
    """The body of POST /sign-in: what a device that was shown a code signs in with."""

    code: str


async def sign_in(request: Request) -> JSONResponse:
    """POST /sign-in: {code} → {person, token}, once. No token is needed."""
    code = read_body(request, Code).code
    person, token = await run_in_threadpool(exchange, request.app.state.people, code)
    return JSONResponse({"person": person, "token": token}, headers={"cache-control": "no-store"})


def health(_: Request) -> JSONResponse:
    """GET /health: say that the server works, and which model it uses."""
    settings = load_settings()
    return JSONResponse({"status": "ok", "provider": settings.provider, "model": model_name(settings)})


def version(_: Request) -> JSONResponse:
    """GET /version."""
    return JSONResponse({"name": "ana", "version": __version__})


def _make_tag(handles: Handles) -> str:
    """Return a tag that changes with the calendar, and can be found without reading all of it."""
    text = f"{handles.memory.backend.position()} {handles.clock.zone_name} {__version__}"
    return f'"{sha256(text.encode()).hexdigest()[:32]}"'


ROUTES = [
    Route(path, endpoint, methods=[method])
    for method, path, endpoint in (
        ("POST", "/ask", ask),
        ("POST", "/sign-in", sign_in),
        ("GET", "/trace/{id}", trace),
        ("GET", "/transcript/{thread}", transcript),
        ("GET", "/forget/{name}", answer_forget),
        ("POST", "/forget/{name}", answer_forget),
        ("GET", "/calendar.ics", calendar),
        ("GET", "/health", health),
        ("GET", "/version", version),
    )
]
