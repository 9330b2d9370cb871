"""The server's list of threads, kept as the saver and the traces have them, whichever door changed those."""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from functools import cache

from langgraph_api.serde import json_dumpb
from starlette.concurrency import run_in_threadpool

from ana.errors import AnaError
from ana.threads.ids import canonical_id
from ana.threads.runs import stop_runs
from ana.threads.saver import ThreadSaver
from ana.threads.threads import Threads
from ana.workspace import Workspace, load_workspace
from app.http.thread_row import ASKED, Row, describe_thread
from graph.builder import graph
from graph.context import SAVER, TOLD

logger = logging.getLogger(__name__)

Mark = tuple[int, int, str]
"""Of a thread: other after each change of what its row tells."""

Tables = dict[str, list[Row]]
"""What the server keeps in memory, by the name of the table."""


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
        workspace: Returns the workspace of the person whose threads they are.
    """

    def __init__(
        self,
        find_tables: Callable[[], Awaitable[Tables | None]] = find_server_tables,
        workspace: Callable[[], Workspace] = load_workspace,
    ) -> None:
        self._find_tables = find_tables
        self._workspace = cache(workspace)
        self.changing = asyncio.Lock()
        """Held while rows change, and by whoever deletes a thread together with its row."""
        self._seen: dict[str, tuple[Mark | None, datetime | None]] | None = None
        self._asked: dict[str, str | None] = {}
        """What waits in each thread in which a run of the server asked last."""

    async def refresh(self) -> None:
        """Make the rows tell what the saver has; what goes wrong is logged, and the rows stay as they are."""
        async with self.changing:
            tables = await self._find_tables()
            try:
                if tables is not None:
                    await self._refresh(tables)
            except (AnaError, OSError) as exc:
                logger.warning("the server's list of threads could not be renewed: %s", exc)

    async def find_runs(self, thread: str) -> list[str]:
        """Return the ids of a thread's runs, as far as the server keeps them in memory."""
        return _find_runs(await self._find_tables() or {}, thread)

    async def is_busy(self, thread: str) -> bool:
        """Return whether a run of the server waits or works in a thread, as far as the server keeps them in memory."""
        return thread in _find_busy(await self._find_tables() or {})

    async def find_asked(self, thread: str) -> str | None:
        """Return the id of what waits in a thread, if a run of the server asked it and nothing works there now."""
        return None if await self.is_busy(thread) else self._asked.get(thread)

    async def _refresh(self, tables: Tables) -> None:
        marks = await run_in_threadpool(self._read_marks)
        rows = _index(tables)
        if self._seen is None:  # a row of the pickle without values is of a thread that nobody has used yet
            self._seen = {id: (None, None) for id, row in rows.items() if row.get("values")}
        _drop(tables, self._seen.keys() - marks.keys())
        self._seen = {id: seen for id, seen in self._seen.items() if id in marks}
        self._asked = {id: asked for id, asked in self._asked.items() if id in marks}
        set_at = {id: _set_at(rows.get(id)) for id in marks}
        changed = [id for id, mark in marks.items() if self._seen.get(id) != (mark, set_at[id])]
        saved = await run_in_threadpool(self._read_threads, changed) if changed else {}
        rows, busy = _index(tables), _find_busy(tables)
        for id, each in saved.items():
            self._asked[id] = each.pop(ASKED) if each else None
            if _set_at(rows.get(id)) != set_at[id]:
                continue  # the server has set it meanwhile: the next time tells who was later
            if each and id in rows:
                _write(rows[id], each, id in busy)
            elif each and each["updated_at"]:  # else its messages are all taken back
                rows[id] = {"thread_id": uuid.UUID(id), "config": {}} | each
                tables["threads"].append(rows[id])
            self._seen[id] = marks[id], _set_at(rows.get(id))
        # a row that tells of work without a run: so the server leaves it when a run is rolled back and nobody listens
        for id, row in rows.items():
            if row["status"] == "busy" and id not in busy:
                row["status"] = "interrupted" if row.get("interrupts") else "idle"

    def _read_marks(self) -> dict[str, Mark]:
        store = self._workspace().open_thread_store()
        with store.map_errors():
            names, marks = store.names(), store.marks()
        # no other spelling of an id is a thread to the server
        return {id: (*mark, names.get(id, "")) for id, mark in marks.items() if canonical_id(id) == id}

    def _read_threads(self, ids: Collection[str]) -> dict[str, Row | None]:
        threads = self._workspace().open_threads()
        with threads.store.map_errors(), threads.store.open_saver() as saver:
            return {id: _read_thread(saver, threads, id) for id in ids}


def _index(tables: Tables) -> dict[str, Row]:
    return {str(row["thread_id"]): row for row in tables["threads"]}


def _find_busy(tables: Tables) -> set[str]:
    return {str(run["thread_id"]) for run in tables.get("runs", []) if run["status"] in ("pending", "running")}


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


def _read_thread(saver: ThreadSaver, threads: Threads, id: str) -> Row | None:
    """Return what is saved of a thread, as a row tells it; None if it cannot be shown. Raises the store's errors."""
    try:
        row = describe_thread(graph.get_state({"configurable": {"thread_id": id, SAVER: saver}}), threads.describe(id))
        json_dumpb([row])  # the server answers with all rows at once, and so with none if one cannot be sent
        return row
    except threads.store.errors:
        raise
    except (AnaError, ValueError, TypeError, KeyError) as exc:
        logger.warning("the thread %s cannot be read: %s", id, exc)
    except Exception:  # whatever a thread holds, the others are shown, and the server starts
        logger.exception("the thread %s cannot be read", id)
    return None


def _write(row: Row, saved: Row, busy: bool) -> None:
    """Let a row tell what is saved; what the server has told of a later run, as that it failed, stays."""
    kept = {name: value for name, value in row["metadata"].items() if name not in TOLD}
    row.update(values=saved["values"], interrupts=saved["interrupts"], metadata=kept | saved["metadata"])
    at = saved["updated_at"]
    if at and at > (_set_at(row) or at):
        status = "busy" if busy else saved["status"]
        row.update(status=status, error=None, updated_at=at, state_updated_at=at)
