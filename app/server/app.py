"""ana's own server: the part of the LangGraph API that front ends use, and ana's own routes, for everybody who has a
token.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ana.errors import AnaError, StoreBroken
from ana.files import FILE_ERRORS, describe_fault
from ana.json_lines import Quoted
from ana.keys import OWNER
from ana.logs import settle_console
from ana.people import People
from ana.reminders.buttons import PATH as BUTTON
from ana.runs.slots import ALL
from ana.settings import load_settings
from ana.tracing import langsmith
from ana.urls import list_hosts
from ana.workspace import load_workspace, open_workspace
from ana.workspace.place import check_place
from ana.workspace.private import keep_private
from app.meanwhile import PASSING
from app.page import shell
from app.page.routes import PAGES
from app.reaching import PATH as HELLO
from app.server import assistants, runs, threads
from app.server.answers import Holding, answer
from app.server.arriving import JsonBodies, Room, tell_error
from app.server.attempts import Attempts
from app.server.calendar import calendar
from app.server.guard import PAGE, Guard, is_page
from app.server.mcp import McpDoor
from app.server.openapi import openapi
from app.server.preparing import preparing
from app.server.ready import Readiness, ready
from app.server.refusals import REFUSALS, answer_error, fail, find_status
from app.server.request_threads import run_in_threadpool
from app.server.routes import ROUTES
from app.server.shapes import show_info
from app.server.sign_in import SignIn
from app.server.telegram import answering
from app.server.workspaces import Workspaces
from app.serving import PORT, mark_serving

_log = logging.getLogger(__name__)

LOOK_SECONDS = 60.0
"""How often workspaces that nobody uses are looked for, and people whose reminders ring."""


async def ok(_: Request) -> Response:
    """GET /ok: the process answers. No token is needed."""
    return answer({"ok": True})


async def info(_: Request) -> Response:
    """GET /info: what the server is."""
    return answer(show_info())


async def refuse_unbuilt(request: Request) -> Response:
    """Answer routes of the LangGraph API that this server does not implement."""
    message = f"{request.method} {request.url.path} is not built here; docs/server.md names what is."
    return tell_error(501, message)


_RUNS = (("", runs.create), ("/wait", runs.wait), ("/stream", runs.stream))

API: list[BaseRoute] = [
    Route("/ok", ok),
    Route("/ready", ready),
    Route("/info", info),
    Route("/assistants/search", assistants.search, methods=["POST"]),
    Route("/assistants/count", assistants.count, methods=["POST"]),
    Route("/assistants/{assistant_id}", assistants.get),
    Route("/assistants/{assistant_id}/schemas", assistants.get_schemas),
    Route("/assistants/{assistant_id}/graph", assistants.get_graph),
    Route("/threads", threads.create, methods=["POST"]),
    Route("/threads/search", threads.search, methods=["POST"]),
    Route("/threads/count", threads.count, methods=["POST"]),
    Route("/threads/{thread_id}", threads.get),
    Route("/threads/{thread_id}", threads.patch, methods=["PATCH"]),
    Route("/threads/{thread_id}", threads.delete, methods=["DELETE"]),
    Route("/threads/{thread_id}/copy", threads.copy, methods=["POST"]),
    Route("/threads/{thread_id}/state", threads.get_state),
    Route("/threads/{thread_id}/state", threads.write_state, methods=["POST"]),
    Route("/threads/{thread_id}/state/checkpoint", threads.get_state_at, methods=["POST"]),
    Route("/threads/{thread_id}/state/{checkpoint_id}", threads.get_state),
    Route("/threads/{thread_id}/history", threads.history, methods=["GET", "POST"]),
    *(Route(f"/runs{path}", begin, methods=["POST"]) for path, begin in _RUNS),
    *(Route(f"/threads/{{thread_id}}/runs{path}", begin, methods=["POST"]) for path, begin in _RUNS),
    Route("/threads/{thread_id}/runs", runs.list_runs),
    Route("/threads/{thread_id}/runs/{run_id}", runs.get),
    Route("/threads/{thread_id}/runs/{run_id}", runs.delete, methods=["DELETE"]),
    Route("/threads/{thread_id}/runs/{run_id}/join", runs.join),
    Route("/threads/{thread_id}/runs/{run_id}/stream", runs.join_stream),
    Route("/threads/{thread_id}/runs/{run_id}/cancel", runs.cancel, methods=["POST"]),
]

NOT_BUILT: list[BaseRoute] = [
    Route(path, refuse_unbuilt, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
    for path in (
        "/assistants",
        "/assistants/{rest:path}",
        "/threads/prune",
        "/threads/{thread_id}/storage",
        "/threads/{thread_id}/commands",
        "/threads/{thread_id}/stream/{rest:path}",
        "/threads/{thread_id}/stream",
        "/threads/{thread_id}/runs/crons",
        "/runs/batch",
        "/runs/cancel",
        "/runs/crons",
        "/runs/crons/{rest:path}",
        "/store/{rest:path}",
        "/a2a/{rest:path}",
        "/metrics",
        "/docs",
    )
]
"""What the LangGraph API has and is not built here."""


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Open the owner's workspace and load the page's frame, so that nobody waits for them; deliver everybody's
    reminders; close everything at the end.
    """
    # each node of a run works in a thread of this pool, and asyncio's own has six on two cores
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * ALL, thread_name_prefix="run"))
    workspaces: Workspaces = app.state.workspaces
    workspace = await run_in_threadpool(load_workspace)
    await run_in_threadpool(keep_private, workspace)
    settle_console(workspace.settings)
    langsmith.switch_on_or_off()
    langsmith.connect(workspace.settings)
    await run_in_threadpool(shell.load_templates)
    with mark_serving(workspace, app.state.port), app.state.show_metrics():
        with contextlib.suppress(AnaError):  # each request says what is wrong
            opened = await workspaces.open(OWNER)
            await run_in_threadpool(opened.handles.memory.count)
            await workspaces.enter(OWNER, preparing(opened))
        looking = asyncio.create_task(_look_after(workspaces))
        async with app.state.mcp.run(), _join_queue(app), answering(workspace.settings, workspaces):
            yield
        looking.cancel()
        await asyncio.wait([looking])
        await workspaces.close_all()


@contextlib.asynccontextmanager
async def _join_queue(app: Starlette) -> AsyncIterator[None]:
    """Carry out runs that wait in a database while the context is open, if this process is meant to do so."""
    if app.state.queue is None:
        yield
        return
    from app.server.worker import working

    async with working(app.state.workspaces, app.state.queue.get_secret_value()):
        yield


async def _look_after(workspaces: Workspaces) -> None:
    while True:
        try:
            await workspaces.ring()
            await workspaces.close_idle()
        except PASSING as exc:
            _log.warning("the workspaces could not be looked after: %s", exc)
        await asyncio.sleep(LOOK_SECONDS)


async def _answer_error(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, AnaError)
    _log.warning("%s %s was refused: %s", request.method, Quoted(_hide_secret(request.url.path)), exc)
    if is_page(request.url.path):
        return await shell.answer_error(request, find_status(exc), exc.sentence())
    return await answer_error(request, exc)


def _hide_secret(path: str) -> str:
    """Return a path for the log; the secret part of an address that gives access by itself is left out."""
    return next((f"{beginning}..." for beginning in (BUTTON, HELLO) if path.startswith(beginning)), path)


async def _answer_fault(request: Request, exc: Exception) -> Response:
    """Answer an error of the system or of SQLite that no other code has put into words."""
    return await _answer_error(
        request, StoreBroken(f"The files could not be used: {describe_fault(exc)}.", "Check the disk of the server.")
    )


async def _answer_http(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException)
    if is_page(request.url.path):
        page = await shell.answer_error(request, exc.status_code, exc.detail)
        page.headers.update(exc.headers or {})
        return page
    return tell_error(exc.status_code, exc.detail, exc.headers)


def build_app(*, carries_out: bool = True, port: int = PORT) -> Starlette:
    """Return the application of the deployment whose settings the environment and .env hold.

    Args:
        carries_out: Whether this process carries out runs that wait in a database; else workers do.
        port: The port on which the server listens.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = load_settings()
    people, attempts = People(settings), Attempts()
    hosts = list_hosts(settings.ana_public_url, settings.ana_hosts)
    middleware = [
        Middleware(Guard, origins=lambda: settings.ana_cors_origins, hosts=hosts),
        Middleware(Holding),
        Middleware(SignIn, people=people, attempts=attempts, show=shell.answer_error),
        Middleware(Room),
        Middleware(JsonBodies, skip=is_page),
    ]
    handlers = REFUSALS | {AnaError: _answer_error, Exception: fail, HTTPException: _answer_http}
    handlers |= dict.fromkeys(FILE_ERRORS, _answer_fault)
    mcp = McpDoor()
    beside = [Route("/calendar.ics", calendar), Route("/mcp", mcp), Route("/openapi.json", openapi)]
    described = [*ROUTES, *API, *beside]
    routes = [*described, *NOT_BUILT, Route("/", RedirectResponse(PAGE)), *PAGES]
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers)
    app.state.queue = settings.ana_database_url if carries_out else None
    app.state.workspaces, app.state.port = Workspaces(load_settings), port
    app.state.end_demo = None  # what ends the process, where `ana demo` runs
    app.state.mcp, app.state.described = mcp, described
    app.state.people, app.state.attempts = people, attempts
    app.state.readiness = Readiness(partial(check_place, open_workspace(settings)))
    app.state.show_metrics = contextlib.nullcontext
    if settings.ana_metrics:
        from app.server.measuring import measure

        measure(app, settings, settings.ana_metrics)
    return app
