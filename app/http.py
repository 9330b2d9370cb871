"""HTTP: our routes beside the LangGraph API's, in the same server (`http.app` in langgraph.json)."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import LangGraphError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ana import __version__
from ana.errors import StoreBusy, UserError
from ana.models.factory import model_name
from ana.settings import Settings, load_settings
from ana.store.folder import OwnerLock
from ana.tracing.traces import Record, Traces
from app.guard import Guard
from app.threads import Threads, thread_lock
from graph.checkpoints import saver_path, thread_ids

GRAPH = "ana"
WATCH_SECONDS = 2.0

logger = logging.getLogger(__name__)


class Question(BaseModel):
    """The body of POST /ask."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(min_length=1, max_length=100_000, pattern=r"\S")
    thread_id: str | None = Field(None, min_length=1, max_length=200)
    max_steps: int | None = Field(None, ge=1, le=100)


async def ask(request: Request) -> JSONResponse:
    """POST /ask {question, thread_id?, max_steps?}: run a turn."""
    try:
        asked = Question.model_validate_json(await request.body())
    except ValidationError as exc:
        return _error(422, _what_is_wrong(exc))
    settings = await run_in_threadpool(load_settings)
    threads = Threads(settings)
    client = get_client()
    try:
        id = await _thread(client, threads, asked.thread_id)
        lock = await run_in_threadpool(_locked, settings, id)
        try:
            trace_id = await _run(client, id, asked)
        finally:
            await run_in_threadpool(lock.release)
    except StoreBusy as exc:
        return _error(409, exc.sentence())
    except UserError as exc:
        return _error(400, exc.sentence())
    except LangGraphError as exc:
        logger.exception("run failed")
        return _error(502, f"The turn failed: {exc}.")
    return await run_in_threadpool(_told, Traces(settings.traces_dir), id, trace_id)


async def trace(request: Request) -> JSONResponse:
    """GET /trace/{id}: a turn's record, by its id or as the newest of a thread."""
    settings = await run_in_threadpool(load_settings)
    try:
        record = await run_in_threadpool(Traces(settings.traces_dir).find, request.path_params["id"])
    except UserError as exc:
        return _error(400, exc.sentence())
    return JSONResponse(record) if record else _error(404, "There is no such trace.")


async def health(_: Request) -> JSONResponse:
    """GET /health: whether the server answers, and with which model."""
    settings = await run_in_threadpool(load_settings)
    return JSONResponse({"status": "ok", "provider": settings.provider, "model": model_name(settings)})


async def version(_: Request) -> JSONResponse:
    """GET /version."""
    return JSONResponse({"name": "ana", "version": __version__})


@contextlib.asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    """Make every thread the saver knows one that the server knows: now, and when another door begins one."""
    client, known = get_client(), set[str]()
    settings = await run_in_threadpool(load_settings)
    await register_threads(client, settings, known)
    watching = asyncio.create_task(_watch(client, settings, known))
    yield
    watching.cancel()


async def register_threads(client: LangGraphClient, settings: Settings, known: set[str]) -> None:
    """Register the saver's threads that are not in `known`, and add them to it.

    The server's own index is a pickle written now and then: after a kill -9, and for threads of another door, it
    answers 404 for a thread whose checkpoints are all there.
    """
    path = await run_in_threadpool(saver_path, settings)
    for id in await run_in_threadpool(thread_ids, path):
        if id not in known:
            with contextlib.suppress(LangGraphError):
                await client.threads.create(thread_id=id, if_exists="do_nothing", graph_id=GRAPH)
            known.add(id)


async def _watch(client: LangGraphClient, settings: Settings, known: set[str]) -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        await register_threads(client, settings, known)


def _locked(settings: Settings, thread_id: str) -> OwnerLock:
    lock = thread_lock(settings, thread_id, "ana server")
    lock.acquire()
    return lock


async def _thread(client: LangGraphClient, threads: Threads, name: str | None) -> str:
    id = await run_in_threadpool(threads.remember, name) if name else None
    created = await client.threads.create(thread_id=id, if_exists="do_nothing", graph_id=GRAPH)
    return str(created["thread_id"])


async def _run(client: LangGraphClient, thread_id: str, asked: Question) -> str:
    """Run the turn; the id of its record is in the id of the answer's message."""
    given = {"messages": [{"role": "user", "content": asked.question}]}
    context = {"max_steps": asked.max_steps} if asked.max_steps else {}
    result: Any = await client.runs.wait(
        thread_id, GRAPH, input=given, context=context, multitask_strategy="enqueue", durability="sync"
    )
    if "__error__" in result:
        raise UserError(f"The turn failed: {result['__error__'].get('message', 'unknown')}", "Try again.")
    return str(result["messages"][-1]["id"]).removesuffix("-answer")


def _told(traces: Traces, thread_id: str, trace_id: str) -> JSONResponse:
    record = next((r for r in reversed(traces.read(thread_id)) if r["id"] == trace_id), None)
    if record is None:
        return _error(500, "The turn ran, but its trace cannot be read.")
    if record["error"]:
        return JSONResponse({"error": record["answer"], "thread_id": thread_id, "trace_id": trace_id}, status_code=502)
    return JSONResponse(_as_answer(record, traces))


def _as_answer(record: Record, traces: Traces) -> dict[str, Any]:
    return {
        "answer": record["answer"],
        "thread_id": record["thread_id"],
        "trace_id": record["id"],
        "trace_path": str(traces.path(record["thread_id"])),
        "steps": record["steps"],
        "usage": record["usage"],
        "cost_usd": record["cost_usd"],
    }


def _what_is_wrong(exc: ValidationError) -> str:
    first = exc.errors()[0]
    where = ".".join(map(str, first["loc"])) or "the body"
    return f"{where}: {first['msg']}."


def _error(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def build_app() -> Starlette:
    """The routes, behind the guard."""
    routes = [
        Route("/ask", ask, methods=["POST"]),
        Route("/trace/{id}", trace),
        Route("/health", health),
        Route("/version", version),
    ]
    guard = Middleware(Guard, origins=lambda: load_settings().ana_cors_origins)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


app = build_app()
