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
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ana import __version__
from ana.errors import AnaError
from ana.keys import OWNER
from ana.logs import settle_console
from ana.people import People
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
from app.server import assistants, runs, threads
from app.server.answers import Holding, answer
from app.server.arriving import Bodies
from app.server.guard import PAGE, Guard, is_page, tell_error
from app.server.mcp import McpDoor
from app.server.openapi import openapi
from app.server.preparing import preparing
from app.server.ready import Readiness, ready
from app.server.refusals import Refusals, fail
from app.server.request_threads import run_in_threadpool
from app.server.routes import ROUTES
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
    return answer({"version": __version__, "flags": {"assistants": True, "crons": False, "langsmith": False}})


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
        async with app.state.mcp.run(), app.state.carry_out(workspaces), answering(workspace.settings, workspaces):
            yield
        looking.cancel()
        await asyncio.wait([looking])
        await workspaces.close_all()


async def _look_after(workspaces: Workspaces) -> None:
    while True:
        try:
            await workspaces.ring()
            await workspaces.close_idle()
        except PASSING as exc:
            _log.warning("the workspaces could not be looked after: %s", exc)
        await asyncio.sleep(LOOK_SECONDS)


def build_app(*, carries_out: bool = True, port: int = PORT) -> Starlette:
    """Return the application of the deployment whose settings the environment and .env hold.

    Args:
        carries_out: Whether this process carries out runs that wait in a database; else workers do.
        port: The port on which the server listens.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = load_settings()
    people, handlers = People(settings), Refusals(shell.answer_error).handlers
    hosts = list_hosts(settings.ana_public_url, settings.ana_hosts)
    middleware = [
        Middleware(Guard, origins=settings.ana_cors_origins, hosts=hosts),
        Middleware(Holding),
        Middleware(ExceptionMiddleware, handlers=handlers),  # of those that follow; Starlette's is for routes
        Middleware(SignIn, people=people),
        Middleware(Bodies, skip=is_page),
    ]
    mcp = McpDoor()
    beside = [Route("/mcp", mcp), Route("/openapi.json", openapi)]
    described = [*ROUTES, *API, *beside]
    routes = [*described, *NOT_BUILT, Route("/", RedirectResponse(PAGE)), *PAGES]
    app = Starlette(
        routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers | {Exception: fail}
    )
    app.state.carry_out = contextlib.nullcontext
    if settings.ana_database_url and carries_out:
        from app.server.worker import working

        app.state.carry_out = partial(working, url=settings.ana_database_url.get_secret_value())
    app.state.workspaces, app.state.port = Workspaces(load_settings), port
    app.state.end_demo = None  # what ends the process, where `ana demo` runs
    app.state.mcp, app.state.described = mcp, described
    app.state.people = people
    app.state.readiness = Readiness(partial(check_place, open_workspace(settings)))
    app.state.show_metrics = contextlib.nullcontext
    if settings.ana_metrics:
        from app.server.measuring import measure

        measure(app, settings, settings.ana_metrics)
    return app
