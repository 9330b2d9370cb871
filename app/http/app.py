"""HTTP: our routes beside the LangGraph API's, in the same server (`http.app` in langgraph.json)."""

import asyncio
import contextlib
import logging
import threading
import uuid
from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json, to_jsonable_python
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ana import __version__
from ana.errors import AnaError
from ana.handles import default_handles
from ana.logs import settle_console
from ana.models.providers import model_name
from ana.output import tell
from ana.settings import load_settings
from ana.tracing import langsmith
from ana.workspace import load_workspace
from app.http.guard import HEADERS, Guard
from app.http.refusals import REFUSALS, RunErrors, find_status
from app.http.server_requests import ServerRequests
from app.http.thread_rows import ThreadRows
from app.outcome import Done, NotShown, Waiting
from app.reminding import ring_meanwhile
from app.serving import mark_serving
from app.turn import Assistant, open_assistant
from nodes.requests import Reply
from prompts import decision_prompt

_log = logging.getLogger(__name__)
WATCH_SECONDS = 2.0
PATIENCE = 60.0
"""Seconds that a request waits for a thread in which another door works."""

MOST_SHOWN = 1000
"""Conversations of which it is known what they were told last."""

MOST_TURNS = 1000
"""The most turns of a transcript in one answer."""


class Question(BaseModel):
    """The body of POST /ask: a message."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=100_000, pattern=r"\S")
    thread_id: str | None = Field(None, min_length=1, max_length=200)
    max_steps: int | None = Field(None, ge=1, le=100)


class PostedReply(Reply):
    """The body of POST /ask: the decisions that a conversation waits for."""

    thread_id: str = Field(min_length=1, max_length=200)
    max_steps: int | None = Field(None, ge=1, le=100)
    request_id: str | None = Field(None, min_length=1, max_length=200)
    """From what is pending. Without it, or with another one, nothing is done, and what waits is told again."""


class TurnRunner:
    """Runs turns in this process, on the files the server uses.

    The server's own queue looks for runs every half second; a turn does not wait for that.

    Args:
        patience: Seconds to wait for a thread in which another door works.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._stack = contextlib.ExitStack()
        self._opening = threading.Lock()
        self._assistant: Assistant | None = None
        self._shown: dict[str, str] = {}
        """The request that was told last of each conversation, to which a yes is."""

    def open(self) -> None:
        """Open the files, so that the first turn does not wait for it, and deliver reminders from now on.

        What is wrong with the files each turn says.
        """
        try:
            handles = self._open().handles
            handles.memory.count()
            self._stack.enter_context(ring_meanwhile(handles))
        except AnaError as exc:
            _log.warning("%s", exc)

    def answer(self, asked: Question | PostedReply) -> JSONResponse:
        """Run a turn or let one go on; every failure is a status and a sentence."""
        try:
            outcome = self._decide(asked) if isinstance(asked, PostedReply) else self._ask(asked)
        except NotShown as exc:
            self._remember(exc.waiting)
            return _to_response({"error": exc.sentence(), **exc.waiting.to_json()}, 409)
        except AnaError as exc:
            return _error(find_status(exc, 500), exc.sentence())
        if isinstance(outcome, Done) and outcome.error:
            failed = {"error": outcome.answer, "thread_id": outcome.thread_id, "trace_id": outcome.trace_id}
            return JSONResponse(failed, status_code=502)
        self._remember(outcome)
        return _to_response(outcome.to_json())

    def close(self) -> None:
        self._stack.close()

    def _ask(self, asked: Question) -> Done | Waiting:
        assistant = self._open()
        threads = assistant.handles.workspace.open_threads()
        id = threads.remember(asked.thread_id) if asked.thread_id else str(uuid.uuid4())
        finished = assistant.finish(id)
        if isinstance(finished, Waiting):  # the question is not put: a request that nobody saw would be rejected by it
            return finished
        return assistant.ask(asked.question, id, asked.max_steps, shown=self._shown.get(id))

    def _remember(self, outcome: Done | Waiting) -> None:
        """Note what a conversation was told last: a request, or an answer."""
        self._shown.pop(outcome.thread_id, None)
        if isinstance(outcome, Waiting):
            self._shown[outcome.thread_id] = outcome.request_id
        for forgotten in [*self._shown][:-MOST_SHOWN]:  # what is not known any more is shown again
            self._shown.pop(forgotten, None)

    def _decide(self, reply: PostedReply) -> Done | Waiting:
        assistant = self._open()
        id = assistant.handles.workspace.open_threads().resolve(reply.thread_id)
        return assistant.resume(id, reply.to_json(), reply.request_id, max_steps=reply.max_steps)

    def _open(self) -> Assistant:
        with self._opening:
            if self._assistant is None:
                handles = default_handles(decision_prompt)
                self._assistant = self._stack.enter_context(open_assistant(handles, "ana server", self._patience))
            return self._assistant


async def ask(request: Request) -> JSONResponse:
    """POST /ask: run a turn with {question, thread_id?, max_steps?}, or decide with {decisions, thread_id, request_id}.

    A turn that waits for a decision answers with {answer: "", thread_id, pending, steps}; `pending` has the request_id.
    A yes or a no as the next question decides on it.
    """
    body = await request.body()
    try:
        asked = _read_body(body)
    except ValidationError as exc:
        first = exc.errors()[0]
        return _error(422, f"{'.'.join(map(str, first['loc'])) or 'the body'}: {first['msg']}.")
    turns: TurnRunner = request.app.state.turns
    return await run_in_threadpool(turns.answer, asked)


def trace(request: Request) -> JSONResponse:
    """GET /trace/{id}: a turn's record, by its id or as the newest of a thread."""
    try:
        record = load_workspace().open_traces().find(request.path_params["id"])
    except AnaError as exc:
        return _error(find_status(exc, 400), exc.sentence())
    return JSONResponse(record) if record else _error(404, "There is no such trace.")


def transcript(request: Request) -> JSONResponse:
    """GET /transcript/{thread}?limit=50&before=TURN: turns of a conversation, oldest first, from its traces."""
    limit, before = request.query_params.get("limit", "50"), request.query_params.get("before")
    if not limit.isdecimal() or not 0 < int(limit[:6]) <= MOST_TURNS:
        return _error(400, f"limit is {limit[:20]!r}; give a number from 1 to {MOST_TURNS}.")
    try:
        workspace = load_workspace()
        id = workspace.open_threads().resolve(request.path_params["thread"])
        page = workspace.open_traces().page(id, int(limit), before)
    except AnaError as exc:
        return _error(find_status(exc, 400), exc.sentence())
    return JSONResponse({"thread_id": id, "turns": page, "before": page[0]["id"] if page else None})


def health(_: Request) -> JSONResponse:
    """GET /health: the server answers, and the model it uses."""
    settings = load_settings()
    return JSONResponse({"status": "ok", "provider": settings.provider, "model": model_name(settings)})


def version(_: Request) -> JSONResponse:
    """GET /version."""
    return JSONResponse({"name": "ana", "version": __version__})


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
    turns.open()
    open_files.enter_context(mark_serving(workspace))


async def _watch(rows: ThreadRows) -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        await rows.refresh()


def _read_body(body: bytes) -> Question | PostedReply:
    try:
        decides = "decisions" in from_json(body)
    except (ValueError, TypeError):
        decides = False  # Question says what is wrong with it
    return PostedReply.model_validate_json(body) if decides else Question.model_validate_json(body)


def _to_response(told: dict[str, Any], status: int = 200) -> JSONResponse:
    return JSONResponse(to_jsonable_python(told, fallback=str), status_code=status)


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


async def _fail(_: Request, exc: Exception) -> JSONResponse:
    """Answer what nobody foresaw, from outside the guard; the log has the traceback."""
    sentence = f"Something went wrong that was not foreseen: {type(exc).__name__}."
    return JSONResponse({"error": sentence}, status_code=500, headers=HEADERS)


def build_app() -> Starlette:
    """Return the app: the routes, wrapped by the guard."""
    routes = [
        # the server's schema takes docstrings for YAML and complains of ours
        Route(path, endpoint, methods=[method], include_in_schema=False)
        for method, path, endpoint in (
            ("POST", "/ask", ask),
            ("GET", "/trace/{id}", trace),
            ("GET", "/transcript/{thread}", transcript),
            ("GET", "/health", health),
            ("GET", "/version", version),
        )
    ]
    rows = ThreadRows()
    middleware = [
        Middleware(Guard, origins=lambda: load_settings().ana_cors_origins),
        Middleware(ServerRequests, rows=rows),
    ]
    handlers = REFUSALS | {Exception: _fail}
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan, exception_handlers=handlers)
    app.state.turns, app.state.rows = TurnRunner(), rows
    return app


app = build_app()
