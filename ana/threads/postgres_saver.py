"""The saver of a person's conversations in PostgreSQL: checkpoints, in the order in which they were saved, and writes.

LangGraph's own saver for PostgreSQL orders checkpoints by their ids, and accepts no text with a NUL.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
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

from ana.errors import UserError
from ana.postgres.person import PersonRows
from ana.postgres.session import Rows, Statement
from ana.threads.saver import TURNS, Address, ThreadSaver, name_stopped, read_address

_AT = "thread = ? AND namespace = ?"
_NEWEST = f"(SELECT id FROM checkpoints WHERE {_AT} ORDER BY seq DESC LIMIT 1)"

_WAITING = """SELECT checkpoint FROM writes WHERE thread = ? AND channel = '__interrupt__'
    EXCEPT SELECT checkpoint FROM writes WHERE thread = ? AND channel = '__resume__'"""
"""The checkpoints at which a request still waits for a reply."""

_IS_OLD = f"""thread = ? AND id NOT IN ({_WAITING})
    AND seq < (SELECT seq FROM checkpoints WHERE thread = ? AND begins_turn ORDER BY seq DESC LIMIT 1 OFFSET ?)"""
_IS_NOT_NEWEST = "thread = ? AND seq NOT IN (SELECT max(seq) FROM checkpoints WHERE thread = ? GROUP BY namespace)"

_PUT = """INSERT INTO checkpoints (thread, namespace, id, parent, begins_turn, run, type, state, metadata)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, thread, namespace, id) DO UPDATE
    SET parent = excluded.parent, type = excluded.type, state = excluded.state, metadata = excluded.metadata"""
_PUT_WRITE = """INSERT INTO writes (thread, namespace, checkpoint, task, idx, path, channel, type, value)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (person, thread, namespace, checkpoint, task, idx) """
_REPLACE = "DO UPDATE SET channel = excluded.channel, type = excluded.type, value = excluded.value"

_REOPEN = """DELETE FROM writes WHERE channel <> '__interrupt__'
    AND (thread, namespace, checkpoint) IN (SELECT thread, namespace, parent FROM checkpoints WHERE run = ?)
    AND (thread, namespace, checkpoint) IN (
        SELECT thread, namespace, checkpoint FROM writes WHERE channel = '__interrupt__')"""
"""Take a run's reply off the state that waited for it."""

_COPY = (
    # without the run: whoever deletes it means the thread it ran in
    """INSERT INTO checkpoints (thread, namespace, id, parent, begins_turn, type, state, metadata)
    SELECT ?, namespace, id, parent, begins_turn, type, state, metadata
    FROM checkpoints WHERE thread = ? ORDER BY seq""",
    """INSERT INTO writes (thread, namespace, checkpoint, task, idx, path, channel, type, value)
    SELECT ?, namespace, checkpoint, task, idx, path, channel, type, value FROM writes WHERE thread = ?""",
)


class PostgresSaver(ThreadSaver):
    """A saver of one person's conversations; prunes a thread whenever one of its turns begins.

    Args:
        rows: The person's rows in the database.
    """

    def __init__(self, rows: PersonRows) -> None:
        super().__init__()
        self._rows = rows

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the version after this one, even after a version of SQLite's saver."""
        return f"{int(current.split('.')[0]) + 1 if current else 1:032}"

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the thread's newest. Raises UserError if the id is not a
        text.
        """
        thread, namespace, id = read_address(config)
        at = [thread, namespace]
        this, values = ("?", [id]) if id else (_NEWEST, at)
        query = f"SELECT id, parent, type, state, metadata FROM checkpoints WHERE {_AT} AND id = {this}"
        pending = f"SELECT task, channel, type, value, path, idx FROM writes WHERE {_AT} AND checkpoint = {this}"
        rows, writes = self._rows.read(Statement(query, [*at, *values]), Statement(pending, [*at, *values]))
        if not rows:
            return None
        ((id, parent, type_, state, metadata),) = rows
        return CheckpointTuple(
            config if get_checkpoint_id(config) else Address(thread, namespace, id).config,
            self.serde.loads_typed((type_, state)),
            metadata,
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
        rows = self._rows.read(_select_newest_first(config, before))[0]
        keys = [Address(*key) for *key, metadata in rows if _matches(metadata, filter or {})]
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
        """Save a checkpoint; arguments as in the base class."""
        thread, namespace, parent = read_address(config)
        text = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        fields = json.loads(text)
        begins_turn, run = fields.get("source") == "input", fields.get("run_id")
        row = [checkpoint["id"], parent, begins_turn, run and str(run), *self.serde.dumps_typed(checkpoint)]
        statements = [Statement(_PUT, [thread, namespace, *row, text.decode()])]
        if begins_turn:
            statements.append(_delete(_IS_OLD, thread, thread, thread, thread, TURNS - 1))
        self._rows.change(*statements)
        return Address(thread, namespace, checkpoint["id"]).config

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a task, or its waiting request; arguments as in the base class."""
        query = _PUT_WRITE + (_REPLACE if all(name in WRITES_IDX_MAP for name, _ in writes) else "DO NOTHING")
        at = read_address(config)
        self._rows.change(
            *(
                Statement(
                    query,
                    [*at, task_id, WRITES_IDX_MAP.get(name, n), task_path, name, *self.serde.dumps_typed(value)],
                )
                for n, (name, value) in enumerate(name_stopped(writes))
            )
        )

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread."""
        tables = ("checkpoints", "writes")
        self._rows.change(*(Statement(f"DELETE FROM {table} WHERE thread = ?", [str(thread_id)]) for table in tables))

    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        query = "SELECT id, parent FROM checkpoints WHERE thread = ? AND namespace = '' ORDER BY seq DESC LIMIT 2"
        return [(id, parent) for id, parent in self._rows.ask(query, thread_id)]

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs, so that the state of the thread before them is its newest again."""
        empty = "INSERT INTO emptied SELECT DISTINCT person, thread FROM checkpoints WHERE run = ?"
        for id in map(str, run_ids):
            self._rows.change(
                Statement(f"{empty} ON CONFLICT DO NOTHING", [id]), Statement(_REOPEN, [id]), _delete("run = ?", id)
            )

    def mark_stopped(self, run_id: str) -> None:
        self._rows.change(Statement("INSERT INTO stopped (run) VALUES (?) ON CONFLICT DO NOTHING", [run_id]))

    def was_stopped(self, run_id: str) -> bool:
        return bool(self._rows.ask("SELECT 1 FROM stopped WHERE run = ?", run_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads but the newest, or with the strategy `delete` all."""
        for id in map(str, thread_ids):
            if strategy == "keep_latest":
                self._rows.change(_delete(_IS_NOT_NEWEST, id, id))
            else:
                self.delete_thread(id)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread's checkpoints, in the order in which they were saved."""
        source, target = str(source_thread_id), str(target_thread_id)
        with self._rows.write() as session:
            session.run(*(Statement(copy, [target, source]) for copy in _COPY))
            for seq, metadata in session.ask("SELECT seq, metadata FROM checkpoints WHERE thread = ?", target):
                metadata.pop("run_id", None)
                own = {key: target if key == "thread_id" else value for key, value in metadata.items()}
                session.add("UPDATE checkpoints SET metadata = ? WHERE seq = ?", json.dumps(own), seq)


def _load_writes(serde: SerializerProtocol, rows: Rows) -> list[PendingWrite]:
    ordered = sorted(rows, key=lambda row: writes_sort_key(row[4], row[0], row[5]))
    return [(task, channel, serde.loads_typed((type_, value))) for task, channel, type_, value, *_ in ordered]


def _delete(condition: str, *values: Any) -> Statement:
    """Return the statements that delete checkpoints with their writes."""
    return Statement(
        f"""WITH gone AS (DELETE FROM checkpoints WHERE {condition} RETURNING thread, namespace, id)
        DELETE FROM writes USING gone WHERE (writes.thread, writes.namespace, checkpoint) = (
            gone.thread, gone.namespace, gone.id)""",
        values,
    )


def _select_newest_first(config: RunnableConfig | None, before: RunnableConfig | None) -> Statement:
    """Return the statement that finds checkpoints: address and metadata. Raises UserError if the arguments are not
    valid.
    """
    try:
        named, last = (dict(each["configurable"]) if each is not None else {} for each in (config, before))
    except (KeyError, TypeError, ValueError) as exc:
        raise UserError("Checkpoints cannot be looked for in this way: something is missing.") from exc
    keys = {"thread": "thread_id", "namespace": "checkpoint_ns", "id": "checkpoint_id"}
    wanted = {column: named[key] for column, key in keys.items() if named.get(key) is not None}
    conditions, values = [f"{column} = ?" for column in wanted], [*wanted.values()]
    if before is not None:
        # ids are the same in a copy of a thread, so the one meant is that of the thread listed
        conditions.append("seq < (SELECT max(seq) FROM checkpoints WHERE id = ? AND thread = coalesce(?, thread))")
        values += [last.get("checkpoint_id"), wanted.get("thread") or last.get("thread_id")]
    if not all(value is None or (isinstance(value, str) and value.isprintable()) for value in values):
        raise UserError("Checkpoints cannot be looked for in this way: they are named by texts.")
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    return Statement(f"SELECT thread, namespace, id, metadata FROM checkpoints {where} ORDER BY seq DESC", values)


def _matches(metadata: dict[str, Any], filter: dict[str, Any]) -> bool:
    return all(metadata.get(key) == value for key, value in filter.items())
