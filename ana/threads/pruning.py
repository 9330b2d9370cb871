"""Savers that prune: a checkpoint holds the whole list of messages, so a thread keeps only those of its last turns.

A process that is killed loses nothing that was saved. A machine that loses its power loses what is not on the disk yet:
the saver waits for the disk at each checkpoint with new messages, at what a run waits for or was told, and at what a
client changes. What lies between is on the disk with the next of those; without it, a node that changes nothing
elsewhere runs again.
"""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ana.errors import UserError
from ana.stopping import STOPPED
from ana.threads import sequence
from ana.threads.saver import ThreadSaver

TURNS = 20
"""The number of turns whose checkpoints a thread keeps."""

_ODD = (ValueError, TypeError, KeyError, AttributeError, OverflowError, sqlite3.ProgrammingError)
"""What a query fails of that has something else where ids, metadata or a number should be."""

P = ParamSpec("P")
T = TypeVar("T")


class PruningSaver(SqliteSaver, ThreadSaver):
    """The saver of the REPL and the command line; prunes a thread whenever one of its turns begins."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._commit = threading.local()

    def setup(self) -> None:
        """Create the tables."""
        if not self.is_setup:
            super().setup()
            sequence.create_sequence(self.conn)

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor; what it has changed is committed at the end, as in the base class."""
        with super().cursor(transaction) as cursor:
            # https://sqlite.org/pragma.html#pragma_synchronous: with a log, NORMAL leaves the disk to a later commit
            if not self.conn.in_transaction:  # SQLite refuses it there
                cursor.execute(f"PRAGMA synchronous = {'NORMAL' if getattr(self._commit, 'later', False) else 'FULL'}")
            yield cursor

    @contextmanager
    def _sync_later(self, later: bool) -> Iterator[None]:
        """Let what this thread commits meanwhile reach the disk with what is committed after it."""
        self._commit.later = later
        try:
            yield
        finally:
            self._commit.later = False

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the thread's newest; UserError if it names it by no text."""
        asked = config["configurable"]
        if not all(isinstance(asked.get(name) or "", str) for name in ("checkpoint_id", "checkpoint_ns")):
            raise UserError("A checkpoint is named by texts.", "Take its id from the history of the thread.")
        if get_checkpoint_id(config):
            return super().get_tuple(config)
        key = str(asked["thread_id"]), asked.get("checkpoint_ns", "")
        with self.cursor(transaction=False) as cursor:
            newest = cursor.execute(sequence.NEWEST, key).fetchone()
        return super().get_tuple(_address(*key, *newest)) if newest else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, the newest first, as the base class; UserError if a client asks in a way that none can."""
        try:
            with self.cursor(transaction=False) as cursor:
                asked = sequence.select_newest_first(config, filter, before, limit)
                keys = cursor.execute(*asked).fetchall()
        except (*_ODD, sqlite3.OperationalError) as exc:
            if isinstance(exc, sqlite3.OperationalError) and "JSON path" not in str(exc):
                raise
            raise UserError(f"Checkpoints cannot be looked for in this way: {exc}.") from exc
        for key in keys:
            if saved := super().get_tuple(_address(*key)):
                yield saved

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; arguments as in the base class."""
        by_run = metadata.get("source") in ("input", "loop")
        with self._sync_later(by_run and "messages" not in new_versions):
            saved = super().put(config, checkpoint, metadata, new_versions)
            if metadata.get("source") == "input":  # a turn begins
                self._change(
                    sequence.DELETE_OLD_TURNS, {"thread": str(config["configurable"]["thread_id"]), "turns": TURNS}
                )
        return saved

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task has written, or what it waits for; arguments as in the base class."""
        # front ends show why a task has ended, and langgraph has `CancelledError()`; without it they ask for a decision
        writes = [(name, STOPPED if isinstance(value, asyncio.CancelledError) else value) for name, value in writes]
        # the checkpoint that follows at once holds what was written, but not what is waited for or replied
        with self._sync_later(not any(channel in WRITES_IDX_MAP for channel, _ in writes)):
            super().put_writes(config, writes, task_id, task_path)

    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        with self.cursor(transaction=False) as cursor:
            return cursor.execute(sequence.NEWEST_TWO, (thread_id,)).fetchall()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs: what a thread was before them is its newest state again."""
        for id in run_ids:
            for statement in (sequence.MARK_EMPTIED, sequence.REOPEN, sequence.DELETE_RUN):
                self._change(statement, (str(id),))

    def mark_stopped(self, run_id: str) -> None:
        self._change(sequence.MARK_STOPPED, (run_id,))

    def was_stopped(self, run_id: str) -> bool:
        with self.cursor(transaction=False) as cursor:
            return bool(cursor.execute(sequence.WAS_STOPPED, (run_id,)).fetchone()[0])

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads but the newest, or with the strategy `delete` all."""
        for id in thread_ids:
            if strategy == "keep_latest":
                self._change(sequence.DELETE_ALL_BUT_NEWEST, {"thread": str(id)})
            else:
                self.delete_thread(str(id))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints, in the order in which they were saved."""
        with self.cursor() as cursor:
            for statement in sequence.COPY_THREAD:
                cursor.execute(statement, {"source": str(source_thread_id), "target": str(target_thread_id)})

    def _change(self, statement: str, values: Mapping[str, Any] | tuple[str, ...]) -> None:
        with self.cursor() as cursor:
            cursor.execute(statement, values)


def _in_worker(
    work: Callable[Concatenate[PruningSaver, P], T],
) -> Callable[Concatenate["ServerSaver", P], Coroutine[Any, Any, T]]:
    """Return a method that has the saver's own thread do what a method of `PruningSaver` does."""

    @wraps(work)
    async def do(self: "ServerSaver", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.worker, partial(work, self, *args, **kwargs))

    return do


class ServerSaver(PruningSaver):
    """The same saver for the LangGraph server: its event loop must not wait, so another thread does the work.

    The worker has one of its own; the loop's shared threads may all be waiting for models.
    """

    def __init__(self, connection: sqlite3.Connection, worker: Executor) -> None:
        super().__init__(connection)
        self.worker = worker

    aget_tuple = _in_worker(PruningSaver.get_tuple)
    aput = _in_worker(PruningSaver.put)
    aput_writes = _in_worker(PruningSaver.put_writes)
    adelete_thread = _in_worker(PruningSaver.delete_thread)
    adelete_for_runs = _in_worker(PruningSaver.delete_for_runs)
    amark_stopped = _in_worker(PruningSaver.mark_stopped)
    aprune = _in_worker(PruningSaver.prune)
    acopy_thread = _in_worker(PruningSaver.copy_thread)

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[CheckpointTuple]:
        found, loop = self.list(*args, **kwargs), asyncio.get_running_loop()
        while saved := await loop.run_in_executor(self.worker, next, found, None):
            yield saved


def _address(thread: str, namespace: str, id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": id}}
