"""The server's list of threads, kept as the saver and the traces have them, whichever door changed those."""

import asyncio
import logging
import sqlite3
import uuid
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot
from langgraph_api.state import patch_interrupt
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import AnaError
from ana.ownership import stop_runs
from ana.settings import Settings, load_settings
from app.show.text import shorten
from app.threads import Thread, Threads
from graph.builder import builder
from graph.checkpoints import open_saver, saver_path, thread_marks
from graph.context import TOLD

GRAPH = "ana"
QUESTION_WIDTH = 200
"""The most characters of a first question in a row's metadata."""

_log = logging.getLogger(__name__)

Mark = tuple[int, int, str]
"""Of a thread: other after each change of what its row tells."""

Times = dict[str, datetime | None]
Row = dict[str, Any]
Tables = dict[str, list[Row]]
"""What the server keeps in memory, by the name of the table."""


@dataclass(frozen=True)
class SavedThread:
    """What a row tells: the newest state, and what the traces know."""

    state: StateSnapshot
    thread: Thread


async def find_server_tables() -> Tables | None:
    """Return the tables of a server that keeps them in memory, as the dev server does; None if it has a database."""
    from langgraph_runtime.database import connect  # exists only inside the server

    async with connect() as connection:
        tables: Tables | None = getattr(connection, "store", None)
        return tables


class ThreadRows:
    """Registers, renews and drops the server's rows of threads.

    The server keeps them in memory and, now and then, in a pickle; it renews a row only after a run of its own. After a
    kill -9, and for threads of another door, it would answer 404 for a thread whose checkpoints are all there, show an
    old state, or bring back a thread that was deleted.

    Args:
        find_tables: Returns the server's tables, if it keeps them in memory.
        settings: Returns the settings.
    """

    def __init__(
        self,
        find_tables: Callable[[], Awaitable[Tables | None]] = find_server_tables,
        settings: Callable[[], Settings] = load_settings,
    ) -> None:
        self._find_tables = find_tables
        self._settings = cache(settings)
        self.changing = asyncio.Lock()
        """Held while rows change, and by whoever deletes a thread together with its row."""
        self._seen: dict[str, tuple[Mark | None, datetime | None]] | None = None

    async def refresh(self) -> None:
        """Make the rows tell what the saver has; what goes wrong is logged, and the rows stay as they are."""
        async with self.changing:
            try:
                await self._refresh()
            except (AnaError, OSError, sqlite3.Error) as exc:
                _log.warning("the server's list of threads could not be renewed: %s", exc)

    async def find_runs(self, thread: str) -> list[str]:
        """Return the ids of a thread's runs, as far as the server keeps them in memory."""
        return _find_runs(await self._find_tables() or {}, thread)

    async def _refresh(self) -> None:
        tables = await self._find_tables()
        if tables is None:
            return
        marks = await run_in_threadpool(self._read_marks)
        rows = _index(tables)
        if self._seen is None:  # a row of the pickle without values is of a thread that nobody has used yet
            self._seen = {id: (None, None) for id, row in rows.items() if row.get("values")}
        _drop(tables, self._seen.keys() - marks.keys())
        self._seen = {id: seen for id, seen in self._seen.items() if id in marks}
        set_at = {id: _set_at(rows.get(id)) for id in marks}
        changed = [id for id, mark in marks.items() if self._seen.get(id) != (mark, set_at[id])]
        if changed:
            self._renew(tables, await run_in_threadpool(self._read_threads, changed), marks, set_at)
        _end_busy(tables)

    def _renew(
        self,
        tables: Tables,
        saved: dict[str, SavedThread | None],
        marks: dict[str, Mark],
        set_at: dict[str, datetime | None],
    ) -> None:
        assert self._seen is not None
        rows, busy = _index(tables), _find_busy(tables)
        for id, each in saved.items():
            if _set_at(rows.get(id)) != set_at[id]:
                continue  # the server has set it meanwhile: the next time tells who was later
            if each and each.state.created_at and id not in rows:
                rows[id] = _make_row(each)
                tables["threads"].append(rows[id])
            if each and id in rows:
                _write(rows[id], each, id in busy)
            self._seen[id] = marks[id], _set_at(rows.get(id))

    def _read_marks(self) -> dict[str, Mark]:
        names = Threads(self._settings()).names()
        return {id: (*mark, names.get(id, "")) for id, mark in thread_marks(saver_path(self._settings())).items()}

    def _read_threads(self, ids: Collection[str]) -> dict[str, SavedThread | None]:
        threads = Threads(self._settings())
        with open_saver(saver_path(self._settings())) as saver:
            graph = builder.compile(checkpointer=saver)
            return {id: _read_thread(graph, threads, id) for id in ids}


class FreshThreadRows:
    """Renews the rows before each request about threads.

    Args:
        app: The application; the server's own routes are part of it.
        rows: The rows.
    """

    def __init__(self, app: ASGIApp, rows: ThreadRows) -> None:
        self._app = app
        self._rows = rows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/threads"):
            await self._rows.refresh()
        await self._app(scope, receive, send)


def _index(tables: Tables) -> dict[str, Row]:
    return {str(row["thread_id"]): row for row in tables["threads"]}


def _find_busy(tables: Tables) -> set[str]:
    return {str(run["thread_id"]) for run in tables["runs"] if run["status"] in ("pending", "running")}


def _end_busy(tables: Tables) -> None:
    """Let no row tell of work without a run: so the server leaves it when a run is rolled back and nobody listens."""
    busy = _find_busy(tables)
    for id, row in _index(tables).items():
        if row["status"] == "busy" and id not in busy:
            row["status"] = "interrupted" if row.get("interrupts") else "idle"


def _find_runs(tables: Tables, thread: str) -> list[str]:
    return [str(run["run_id"]) for run in tables.get("runs", []) if str(run["thread_id"]) == thread]


def _set_at(row: Row | None) -> datetime | None:
    """Return when the server, or we, last set a row by the thread's state."""
    return row.get("state_updated_at", row["updated_at"]) if row else None


def _drop(tables: Tables, gone: Collection[str]) -> None:
    """Remove rows with their runs. The server's way deletes from the saver too, where a thread may be back by now."""
    for id in gone:
        stop_runs(id, _find_runs(tables, id))
    for table in ("threads", "runs"):
        if gone:
            tables[table][:] = [row for row in tables[table] if str(row["thread_id"]) not in gone]


def _read_thread(graph: CompiledStateGraph[Any, Any, Any, Any], threads: Threads, id: str) -> SavedThread | None:
    """Return what is saved of a thread; None if it is damaged, which must not keep the others from being shown."""
    try:
        return SavedThread(graph.get_state({"configurable": {"thread_id": id}}), threads.describe(id))
    except (AnaError, ValueError, TypeError, KeyError) as exc:
        _log.warning("the thread %s cannot be read: %s", id, exc)
        return None


def _make_row(saved: SavedThread) -> Row:
    began = datetime.fromisoformat(saved.thread.first or saved.state.created_at or "")
    row = {"thread_id": uuid.UUID(saved.thread.id), "created_at": began, "updated_at": began, "metadata": {}}
    return row | {"config": {}, "status": "idle", "values": None, "state_updated_at": datetime.min.replace(tzinfo=UTC)}


def _write(row: Row, saved: SavedThread, busy: bool) -> None:
    """Let a row tell what is saved; what the server has told of a later run, as that it failed, stays."""
    state = saved.state
    row["values"] = state.values
    row["interrupts"] = {t.id: [patch_interrupt(i) for i in t.interrupts] for t in state.tasks if t.interrupts}
    kept = {name: value for name, value in row["metadata"].items() if name not in TOLD}
    row["metadata"] = kept | {"graph_id": GRAPH} | _describe(saved)
    at = datetime.fromisoformat(state.created_at) if state.created_at else None
    if at and at > (_set_at(row) or at):
        status = "interrupted" if state.next else "idle"
        row.update(status="busy" if busy else status, error=None, updated_at=at, state_updated_at=at)


def _describe(saved: SavedThread) -> dict[str, str]:
    """Return the metadata of a thread; nothing is told of one whose messages are all taken back."""
    state, thread = saved.state, saved.thread
    if not state.created_at:
        return {}
    question = thread.about or state.values.get("turn", {}).get("question", "")  # a turn's record comes with its answer
    told = thread.name, shorten(question, QUESTION_WIDTH), state.created_at
    return {name: text for name, text in zip(TOLD, told, strict=True) if text}
