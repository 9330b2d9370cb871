"""The rows of a person's threads, made from the saver, the traces and the runs that have not ended."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.types import StateSnapshot

from ana.errors import NotFound
from ana.runs.port import Runs, StartedRun
from ana.threads.ports import Created
from ana.threads.threads import Thread
from ana.workspace import Workspace
from app.server.request_threads import run_in_threadpool
from app.server.shapes import ASSISTANT, GRAPH
from app.show.text import shorten
from graph.builder import graph
from graph.context import SAVER, THREAD_FIELDS
from graph.updates import keep_usable

MOST_VALUES = 100
"""Threads of which the values are kept; a list shows about as many."""

QUESTION_WIDTH = 200
"""The most characters of a first question in a row's metadata."""

Row = dict[str, Any]
"""A thread in the form of the LangGraph API."""

Mark = tuple[int, int, str]


def describe_thread(state: StateSnapshot, thread: Thread) -> Row:
    """Return the row of a thread from its newest state and its traces."""
    at = datetime.fromisoformat(state.created_at) if state.created_at else None
    fields: dict[str, str] = {}
    if state.created_at:  # else nothing is told: its messages are all taken back
        turn = keep_usable(state.values).get("turn")
        question = thread.about or (turn["question"] if turn else "")  # a turn's record comes with its answer
        texts = thread.name, shorten(question, QUESTION_WIDTH), state.created_at
        fields = {name: text for name, text in zip(THREAD_FIELDS, texts, strict=True) if text}
    return {
        "created_at": datetime.fromisoformat(thread.first) if thread.first else at,
        "updated_at": at,
        "state_updated_at": at,
        "status": "interrupted" if state.next else "idle",
        "error": None,
        "values": state.values,
        "interrupts": {task.id: task.interrupts for task in state.tasks if task.interrupts},
        "metadata": {"graph_id": GRAPH} | fields,
    }


class Rows:
    """The rows of a person's threads. States are long, so only those of the last requested threads are cached."""

    def __init__(self, workspace: Workspace, runs: Runs) -> None:
        self._threads = workspace.open_threads()
        self._runs = runs
        self._read_rows: dict[str, tuple[Mark, Row]] = {}
        """What was read of each thread, but for its values, and the mark that it had then."""
        self._values: dict[str, tuple[Mark, Any]] = {}

    async def find(self, id: str) -> Row:
        """Return the row of a thread. Raises NotFound if the person has no such thread."""
        if rows := await self.read([id]):
            return rows[0]
        raise NotFound("There is no such thread.")

    async def has(self, id: str) -> bool:
        """Return whether the person has a thread."""
        store = self._threads.store
        return await run_in_threadpool(lambda: id in store.marks() or id in store.created())

    async def read(self, ids: Sequence[str] | None = None, *, values: bool = True) -> list[Row]:
        """Return the rows of these threads, in their order, or of all threads.

        Args:
            ids: The threads; missing ones are left out.
            values: Whether to include their values; else these are None.
        """
        rows = await run_in_threadpool(self._read, ids, values)
        newest = await self._runs.find_newest([row["thread_id"] for row in rows])
        return [_tell_run(row, newest.get(row["thread_id"])) for row in rows]

    async def create(self, id: str, metadata: dict[str, Any]) -> None:
        """Store the fields that a client sets for a thread, when creating it or later."""
        await run_in_threadpool(self._create, id, metadata)

    def _create(self, id: str, metadata: dict[str, Any]) -> None:
        store = self._threads.store
        known = store.created().get(id) or Created(datetime.now(UTC).isoformat(), {})
        store.create(id, Created(known.ts, known.metadata | metadata))

    def _read(self, ids: Sequence[str] | None, values: bool) -> list[Row]:
        store = self._threads.store
        with store.map_errors():
            names, created = store.names(), store.created()
            marks = {id: (*mark, names.get(id, "")) for id, mark in store.marks().items()}
        for cache in (self._read_rows, self._values):
            for id in cache.keys() - marks.keys():
                cache.pop(id, None)
        known = {**created, **marks}
        wanted = [id for id in (known if ids is None else ids) if id in known]
        needed = (self._read_rows, self._values) if values else (self._read_rows,)
        self._renew({id: marks[id] for id in wanted if any(_is_old(cache, id, marks.get(id)) for cache in needed)})
        rows = [self._add_created(id, created.get(id), values) for id in wanted]
        for id in [*self._values][:-MOST_VALUES]:
            self._values.pop(id, None)
        return rows

    def _renew(self, changed: dict[str, Mark]) -> None:
        if not changed:
            return
        with self._threads.store.map_errors(), self._threads.store.open_saver() as saver:
            for id, mark in changed.items():
                state = graph.get_state({"configurable": {"thread_id": id, SAVER: saver}})
                row = describe_thread(state, self._threads.describe(id))
                self._values.pop(id, None)  # so that it counts as asked for last
                self._values[id] = mark, row.pop("values")
                self._read_rows[id] = mark, row

    def _add_created(self, id: str, created: Created | None, values: bool) -> Row:
        """Return the row of a thread with the fields that a client has set."""
        read = self._read_rows[id][1] if id in self._read_rows else {}
        ts = datetime.fromisoformat(created.ts) if created else None
        blank: Row = {"status": "idle", "error": None, "values": None, "interrupts": {}}
        at = {name: read.get(name) or ts for name in ("created_at", "updated_at", "state_updated_at")}
        own = {"graph_id": GRAPH, "assistant_id": ASSISTANT}
        metadata = own | (created.metadata if created else {}) | read.get("metadata", {})
        state = {"values": self._values[id][1]} if values and id in self._values else {}
        return {"thread_id": id, "config": {}} | blank | read | state | at | {"metadata": metadata}


def _tell_run(row: Row, newest: StartedRun | None) -> Row:
    """Return the row of a thread with the status of its newest run: at work, or failed since its state was saved."""
    if newest and newest.is_active:
        return row | {"status": "busy"}
    if newest and newest.status == "error" and newest.updated_at >= (row["updated_at"] or newest.updated_at):
        return row | {"status": "error", "error": newest.error}
    return row


def _is_old(cache: Mapping[str, tuple[Mark, Any]], id: str, mark: Mark | None) -> bool:
    """Return whether the cached row of a thread is missing, or was read before the thread changed."""
    return mark is not None and (id not in cache or cache[id][0] != mark)
