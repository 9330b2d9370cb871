"""What is told of a person's threads: from the saver, the traces and the runs that have not ended."""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from starlette.concurrency import run_in_threadpool

from ana.errors import NotFound
from ana.runs.port import Runs
from ana.threads.ports import Created
from ana.workspace import Workspace
from app.http.thread_row import ASKED, GRAPH, Row, describe_thread
from graph.builder import builder

_log = logging.getLogger(__name__)

Mark = tuple[int, int, str]


class Rows:
    """The rows of a person's threads.

    Args:
        workspace: The person's.
        runs: The person's.
    """

    def __init__(self, workspace: Workspace, runs: Runs) -> None:
        self._threads = workspace.open_threads()
        self._runs = runs
        self._kept: dict[str, tuple[Mark, Row]] = {}
        """What was read of each thread, and the mark that it had then."""

    async def find(self, id: str) -> Row:
        """Return the row of a thread, with ASKED.

        Raises:
            NotFound: The person has no such thread.
        """
        if rows := await self.read([id]):
            return rows[0]
        raise NotFound("There is no such thread.")

    async def read(self, ids: Iterable[str] | None = None) -> list[Row]:
        """Return the rows of these threads, or of all, each with ASKED."""
        rows = await run_in_threadpool(self._read, None if ids is None else {*ids})
        return [self._tell_runs(row) for row in rows]

    async def create(self, id: str, metadata: dict[str, Any]) -> None:
        """Keep what a client says of a thread that it creates, or adds to what it said before."""
        await run_in_threadpool(self._create, id, metadata)

    def _create(self, id: str, metadata: dict[str, Any]) -> None:
        store = self._threads.store
        known = store.created().get(id) or Created(datetime.now(UTC).isoformat(), {})
        store.create(id, Created(known.ts, known.metadata | metadata))

    def _read(self, ids: set[str] | None) -> list[Row]:
        store = self._threads.store
        with store.map_errors():
            names, created = store.names(), store.created()
            marks = {id: (*mark, names.get(id, "")) for id, mark in store.marks().items()}
        self._kept = {id: kept for id, kept in self._kept.items() if id in marks}
        wanted = [id for id in {**created, **marks} if ids is None or id in ids]
        self._renew({id: marks[id] for id in wanted if id in marks and self._kept.get(id, (None,))[0] != marks[id]})
        return [self._add_created(id, created.get(id)) for id in wanted]

    def _renew(self, changed: dict[str, Mark]) -> None:
        if not changed:
            return
        with self._threads.store.map_errors(), self._threads.store.open_saver() as saver:
            graph = builder.compile(checkpointer=saver)
            for id, mark in changed.items():
                state = graph.get_state({"configurable": {"thread_id": id}})
                self._kept[id] = mark, describe_thread(state, self._threads.describe(id))

    def _add_created(self, id: str, created: Created | None) -> Row:
        """Return the row of a thread with what a client has said of it."""
        read = self._kept[id][1] if id in self._kept else {}
        ts = datetime.fromisoformat(created.ts) if created else None
        blank: Row = {"status": "idle", "error": None, "values": None, "interrupts": {}, ASKED: None}
        at = {name: read.get(name) or ts for name in ("created_at", "updated_at", "state_updated_at")}
        metadata = {"graph_id": GRAPH} | (created.metadata if created else {}) | read.get("metadata", {})
        return {"thread_id": id, "config": {}} | blank | read | at | {"metadata": metadata}

    def _tell_runs(self, row: Row) -> Row:
        """Return the row of a thread as its runs have it: at work, or failed since its state was saved."""
        runs = self._runs.list(row["thread_id"])
        if any(run.is_active for run in runs):
            return row | {"status": "busy"}
        failed = runs[0] if runs and runs[0].status == "error" else None
        return row | {"status": "error", "error": failed.error} if failed else row
