"""HTTP: our routes beside the LangGraph API's, in the dev server (`http.app` in langgraph.json)."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request

from ana.errors import AnaError
from ana.handles import default_handles
from ana.logs import settle_console
from ana.output import tell
from ana.settings import load_settings
from ana.tracing import langsmith
from ana.workspace import Workspace, load_workspace
from app.http.bodies import JsonBodies
from app.http.guard import Guard
from app.http.refusals import REFUSALS, RunErrors, fail
from app.http.routes import ROUTES
from app.http.server_requests import ServerRequests
from app.http.thread_rows import ThreadRows
from app.http.turns import TurnRunner
from app.reminding import ring_meanwhile
from app.serving import mark_serving
from prompts import decision_prompt

WATCH_SECONDS = 2.0

_log = logging.getLogger(__name__)


class _Owner:
    """What the routes need of the one person whom the dev server is for."""

    def __init__(self) -> None:
        self.turns = TurnRunner(lambda: default_handles(decision_prompt))

    @property
    def workspace(self) -> Workspace:
        return load_workspace()


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Set up LangSmith; let the server's rows of threads follow the saver, also while nobody asks for them.

    What the server logs on the console may quote a model or a person.
    """
    logging.getLogger("langgraph_api.worker").addFilter(RunErrors())
    settle_console(await run_in_threadpool(load_settings))
    open_files = contextlib.ExitStack()
    await run_in_threadpool(_start, app.state.turns, open_files)
    await app.state.rows.refresh()
    watching = asyncio.create_task(_watch(app.state.rows))
    tell("The server is ready.")
    yield
    watching.cancel()
    await run_in_threadpool(open_files.close)


def _start(turns: TurnRunner, open_files: contextlib.ExitStack) -> None:
    workspace = load_workspace()
    # before the first run: the server traces a run from its beginning, when no node has opened the handles yet
    langsmith.switch_on_or_off()
    langsmith.connect(workspace.settings)
    open_files.callback(turns.close)
    try:  # so that the first turn does not wait for it; what is wrong with the files each turn says
        handles = default_handles(decision_prompt)
        handles.memory.count()
        open_files.enter_context(ring_meanwhile(handles))
    except AnaError as exc:
        _log.warning("%s", exc)
    open_files.enter_context(mark_serving(workspace))


async def _watch(rows: ThreadRows) -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        await rows.refresh()


def build_app() -> Starlette:
    """Return the app: the routes, wrapped by the guard."""
    rows = ThreadRows()
    middleware = [
        Middleware(Guard, origins=lambda: load_settings().ana_cors_origins),
        Middleware(JsonBodies),
        Middleware(ServerRequests, rows=rows),
    ]
    handlers = REFUSALS | {Exception: fail}
    app, owner = (
        Starlette(routes=ROUTES, middleware=middleware, lifespan=lifespan, exception_handlers=handlers),
        _Owner(),
    )

    async def find_home(_: Request) -> _Owner:
        return owner

    app.state.turns, app.state.rows, app.state.find_home = owner.turns, rows, find_home
    return app


app = build_app()
