"""Savers that prune: a checkpoint holds the whole list of messages, so a thread keeps only those of its last turns.

A killed process loses nothing that was saved. After a power failure, data that is not on the disk yet is lost: the
saver waits for the disk at each checkpoint with new messages, at a run's requests and the replies to them, and at a
client's changes. Checkpoints between these reach the disk with the next of them; if one is lost, a node that changes
nothing elsewhere runs again.
"""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ana.errors import UserError
from ana.threads import sequence
from ana.threads.saver import TURNS, Address, ThreadSaver, name_stopped, read_address

_ODD = (ValueError, TypeError, KeyError, AttributeError, OverflowError, sqlite3.ProgrammingError)
"""What a query fails of that has something else where ids, metadata or a number should be."""


class PruningSaver(ThreadSaver, SqliteSaver):
    """The saver of a SQLite file; prunes a thread whenever one of its turns begins."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        SqliteSaver.__init__(self, connection)
        self._commit = threading.local()

    def setup(self) -> None:
        """Create the tables."""
        if not self.is_setup:
            super().setup()
            sequence.create_sequence(self.conn)

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Yield a cursor; its changes are committed at the end, as in the base class."""
        with super().cursor(transaction) as cursor:
            # https://sqlite.org/pragma.html#pragma_synchronous: with a log, NORMAL leaves the disk to a later commit
            if not self.conn.in_transaction:  # SQLite refuses it there
                cursor.execute(f"PRAGMA synchronous = {'NORMAL' if getattr(self._commit, 'later', False) else 'FULL'}")
            yield cursor

    @contextmanager
    def _sync_later(self, later: bool) -> Iterator[None]:
        """Let commits of this thread meanwhile reach the disk only with the next commit after the context."""
        self._commit.later = later
        try:
            yield
        finally:
            self._commit.later = False

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the newest. Raises UserError if the id is not a text."""
        address = read_address(config)
        if address.id:
            return super().get_tuple(config)
        with self.cursor(transaction=False) as cursor:
            newest = cursor.execute(sequence.NEWEST, address[:2]).fetchone()
        return super().get_tuple(Address(*address[:2], *newest).config) if newest else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, the newest first, like the base class. Raises UserError for unsupported arguments."""
        try:
            with self.cursor(transaction=False) as cursor:
                query = sequence.select_newest_first(config, filter, before, limit)
                keys = cursor.execute(*query).fetchall()
        except (*_ODD, sqlite3.OperationalError) as exc:
            if isinstance(exc, sqlite3.OperationalError) and "JSON path" not in str(exc):
                raise
            raise UserError(f"Checkpoints cannot be looked for in this way: {exc}.") from exc
        for key in keys:
            if saved := super().get_tuple(Address(*key).config):
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
        """Save the writes of a task, or its waiting request; arguments as in the base class."""
        # the checkpoint that follows at once holds what was written, but not what is waited for or replied
        with self._sync_later(not any(channel in WRITES_IDX_MAP for channel, _ in writes)):
            super().put_writes(config, name_stopped(writes), task_id, task_path)

    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        with self.cursor(transaction=False) as cursor:
            return cursor.execute(sequence.NEWEST_TWO, (thread_id,)).fetchall()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs, so that the state of the thread before them is its newest again."""
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
