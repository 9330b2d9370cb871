"""A LangGraph saver for conversations, the same for every storage of checkpoints, and it prunes: a checkpoint holds the
whole list of messages, so a thread keeps only those of its last turns.

LangGraph's own savers order checkpoints by their ids, which are times, and that for PostgreSQL accepts no text with a
NUL.

A killed process loses nothing that was saved. After a power failure, data that is not on the disk yet is lost: the
saver waits for the disk at each checkpoint with new messages, at a run's requests and the replies to them, and at a
client's changes. Checkpoints between these reach the disk with the next of them; if one is lost, a node that changes
nothing elsewhere runs again.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ana.stopping import STOPPED
from ana.tables import Rows, Statement, Tables
from ana.threads.addresses import Address, read_address, select_newest_first

TURNS = 20
"""The number of turns whose checkpoints a thread keeps."""

P = ParamSpec("P")
T = TypeVar("T")

_AT = "thread_id = ? AND namespace = ?"
_NEWEST = f"(SELECT id FROM states WHERE {_AT} ORDER BY seq DESC LIMIT 1)"

_WAITING = """SELECT checkpoint FROM task_writes WHERE thread_id = ? AND channel = '__interrupt__'
    EXCEPT SELECT checkpoint FROM task_writes WHERE thread_id = ? AND channel = '__resume__'"""
"""The checkpoints at which a request still waits for a reply."""

_IS_OLD = f"""thread_id = ? AND id NOT IN ({_WAITING})
    AND seq < (SELECT seq FROM states WHERE thread_id = ? AND begins_turn ORDER BY seq DESC LIMIT 1 OFFSET ?)"""
_IS_NOT_NEWEST = "thread_id = ? AND seq NOT IN (SELECT max(seq) FROM states WHERE thread_id = ? GROUP BY namespace)"

_PUT = """INSERT INTO states (thread_id, namespace, id, parent, begins_turn, run_id, type, state, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_THIS_WRITE = "thread_id = ? AND namespace = ? AND checkpoint = ? AND task = ? AND idx = ?"
_PUT_WRITE = f"""INSERT INTO task_writes (thread_id, namespace, checkpoint, task, idx, path, channel, type, value)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM task_writes WHERE {_THIS_WRITE})"""

_EMPTY = """INSERT INTO emptied (thread_id) SELECT DISTINCT thread_id FROM states WHERE run_id = ?
    ON CONFLICT DO NOTHING"""
"""A thread may lose all its checkpoints with its runs: it is empty then, but not deleted."""
_REOPEN = """DELETE FROM task_writes WHERE channel <> '__interrupt__'
    AND (thread_id, namespace, checkpoint) IN (SELECT thread_id, namespace, parent FROM states WHERE run_id = ?)
    AND (thread_id, namespace, checkpoint) IN (
        SELECT thread_id, namespace, checkpoint FROM task_writes WHERE channel = '__interrupt__')"""
"""Take a run's reply off the state that waited for it."""

_COPY = (
    # without the run: whoever deletes it means the thread it ran in
    """INSERT INTO states (thread_id, namespace, id, parent, begins_turn, type, state, metadata)
    SELECT ?, namespace, id, parent, begins_turn, type, state, metadata
    FROM states WHERE thread_id = ? AND seq <= ? ORDER BY seq""",
    """INSERT INTO task_writes (thread_id, namespace, checkpoint, task, idx, path, channel, type, value)
    SELECT ?, namespace, checkpoint, task, idx, path, channel, type, value FROM task_writes WHERE thread_id = ?
    AND (namespace, checkpoint) IN (SELECT namespace, id FROM states WHERE thread_id = ? AND seq <= ?)""",
)
_SET_METADATA = "UPDATE states SET metadata = ? WHERE thread_id = ? AND namespace = ? AND id = ?"


def _in_worker(
    work: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate["ThreadSaver", P], Coroutine[Any, Any, T]]:
    """Return an async method that calls the saver's sync method of this name in the saver's worker."""

    @wraps(work)
    async def call_in_worker(self: "ThreadSaver", /, *args: P.args, **kwargs: P.kwargs) -> T:
        method = partial(copy_context().run, getattr(self, work.__name__), *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self.worker, method)

    return call_in_worker


class ThreadSaver(BaseCheckpointSaver[str]):
    """A saver whose newest checkpoint is the one that was saved last, even if the clock went back.

    It keeps the checkpoints of a thread's last TURNS turns, and the checkpoints at which a request waits. It deletes
    checkpoints of runs, and prunes, as the base class describes. Methods that begin with `a` are for a program with an
    event loop, which must not wait.
    """

    worker: Executor | None = None
    """Does what those methods ask for; the event loop's shared threads may all be waiting for models."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self._tables = tables

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the version after this one, even after a version of LangGraph's savers."""
        return f"{int(current.split('.')[0]) + 1 if current else 1:032}"

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the thread's newest. Raises UserError if the id is not a
        text.
        """
        thread, namespace, id = read_address(config)
        at = [thread, namespace]
        this, values = ("?", [id]) if id else (_NEWEST, at)
        query = f"SELECT id, parent, type, state, CAST(metadata AS TEXT) FROM states WHERE {_AT} AND id = {this}"
        pending = f"SELECT task, channel, type, value, path, idx FROM task_writes WHERE {_AT} AND checkpoint = {this}"
        rows, writes = self._tables.read(Statement(query, [*at, *values]), Statement(pending, [*at, *values]))
        if not rows:
            return None
        ((id, parent, type_, state, metadata),) = rows
        return CheckpointTuple(
            config if get_checkpoint_id(config) else Address(thread, namespace, id).config,
            self.serde.loads_typed((type_, state)),
            json.loads(metadata),
            Address(thread, namespace, parent).config if parent else None,
            _load_writes(self.serde, writes),
        )

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, the newest first, like the base class. Raises UserError for unsupported arguments."""
        rows = self._tables.read(select_newest_first(config, before))[0]
        keys = [Address(*key) for *key, metadata in rows if _matches(json.loads(metadata), filter or {})]
        for key in keys[:limit]:
            if saved := self.get_tuple(key.config):
                yield saved

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, in place of one with its id; arguments as in the base class."""
        thread, namespace, parent = read_address(config)
        text = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        fields = json.loads(text)
        begins_turn, run = fields.get("source") == "input", fields.get("run_id")
        at = [thread, namespace, checkpoint["id"]]
        row = [*at, parent, begins_turn, run and str(run), *self.serde.dumps_typed(checkpoint), text.decode()]
        statements = [*_delete(f"{_AT} AND id = ?", *at), Statement(_PUT, row)]
        if begins_turn:
            statements += _delete(_IS_OLD, thread, thread, thread, thread, TURNS - 1)
        by_run = fields.get("source") in ("input", "loop")
        self._tables.change(*statements, waits=not by_run or "messages" in new_versions)
        return Address(*at).config

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a task, or its waiting request; arguments as in the base class."""
        at, statements = read_address(config), list[Statement]()
        replaces = all(name in WRITES_IDX_MAP for name, _ in writes)
        for n, (name, value) in enumerate(_name_stopped(writes)):
            this = [*at, task_id, WRITES_IDX_MAP.get(name, n)]
            if replaces:
                statements.append(Statement(f"DELETE FROM task_writes WHERE {_THIS_WRITE}", this))
            row = [*this, task_path, name, *self.serde.dumps_typed(value)]
            statements.append(Statement(_PUT_WRITE, [*row, *this]))
        # the checkpoint that follows at once holds what was written, but not what is waited for or replied
        self._tables.change(*statements, waits=any(name in WRITES_IDX_MAP for name, _ in writes))

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""
        tables = ("states", "task_writes")
        self._tables.change(*(Statement(f"DELETE FROM {t} WHERE thread_id = ?", [str(thread_id)]) for t in tables))

    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        """Return the ids of the two checkpoints saved last, the last one first, each with the id of its parent."""
        query = "SELECT id, parent FROM states WHERE thread_id = ? AND namespace = '' ORDER BY seq DESC LIMIT 2"
        return [(id, parent) for id, parent in self._tables.ask(query, thread_id)]

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs, so that the state of the thread before them is its newest again."""
        for id in map(str, run_ids):
            self._tables.change(Statement(_EMPTY, [id]), Statement(_REOPEN, [id]), *_delete("run_id = ?", id))

    def mark_stopped(self, run_id: str) -> None:
        """Remember that a person stopped a run, which otherwise looks as if it had been cut short."""
        self._tables.change(Statement("INSERT INTO stopped (run_id) VALUES (?) ON CONFLICT DO NOTHING", [run_id]))

    def was_stopped(self, run_id: str) -> bool:
        """Return whether a person stopped a run."""
        return bool(self._tables.ask("SELECT 1 FROM stopped WHERE run_id = ?", run_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads but the newest, or with the strategy `delete` all."""
        for id in map(str, thread_ids):
            if strategy == "keep_latest":
                self._tables.change(*_delete(_IS_NOT_NEWEST, id, id))
            else:
                self.delete_thread(id)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints, in the order in which they were saved."""
        source, target = str(source_thread_id), str(target_thread_id)
        query = "SELECT seq, namespace, id, CAST(metadata AS TEXT) FROM states WHERE thread_id = ?"
        rows = self._tables.ask(query, source)
        last = max((seq for seq, *_ in rows), default=0)  # what is saved from now on is not copied
        states, writes = _COPY
        copies = [Statement(states, [target, source, last]), Statement(writes, [target, source, source, last])]
        changed = ([_rename(metadata, target), target, *at] for _, *at, metadata in rows)
        self._tables.change(*copies, *(Statement(_SET_METADATA, each) for each in changed))

    aget_tuple = _in_worker(get_tuple)
    aput = _in_worker(put)
    aput_writes = _in_worker(put_writes)
    adelete_thread = _in_worker(delete_thread)
    adelete_for_runs = _in_worker(delete_for_runs)
    aprune = _in_worker(prune)
    acopy_thread = _in_worker(copy_thread)
    amark_stopped = _in_worker(mark_stopped)

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[CheckpointTuple]:
        checkpoints, loop = self.list(*args, **kwargs), asyncio.get_running_loop()
        while saved := await loop.run_in_executor(self.worker, next, checkpoints, None):
            yield saved


def _load_writes(serde: SerializerProtocol, rows: Rows) -> list[PendingWrite]:
    ordered = sorted(rows, key=lambda row: writes_sort_key(row[4], row[0], row[5]))
    return [(task, channel, serde.loads_typed((type_, value))) for task, channel, type_, value, *_ in ordered]


def _delete(condition: str, *values: Any) -> tuple[Statement, Statement]:
    """Return the statements that delete checkpoints with their writes."""
    gone = f"(thread_id, namespace, checkpoint) IN (SELECT thread_id, namespace, id FROM states WHERE {condition})"
    return Statement(f"DELETE FROM task_writes WHERE {gone}", values), Statement(
        f"DELETE FROM states WHERE {condition}", values
    )


def _rename(metadata: str, thread: str) -> str:
    """Return a checkpoint's metadata in a copy of its thread."""
    fields = {name: value for name, value in json.loads(metadata).items() if name != "run_id"}
    return json.dumps(fields | ({"thread_id": thread} if "thread_id" in fields else {}))


def _matches(metadata: dict[str, Any], filter: dict[str, Any]) -> bool:
    return all(metadata.get(key) == value for key, value in filter.items())


def _name_stopped(writes: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
    """Return a task's writes; if it was cancelled, with the reason.

    Front ends show it, and langgraph has `CancelledError()`; without one they ask for a decision.
    """
    return [(name, STOPPED if isinstance(value, asyncio.CancelledError) else value) for name, value in writes]
