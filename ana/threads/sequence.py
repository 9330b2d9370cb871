"""The order in which checkpoints were saved, in a side table: their ids are times, and a clock can go back.

Triggers keep the table, so that a row is always saved and deleted in the same transaction as its checkpoint.
Rowids would not serve, because VACUUM may change them.
"""

import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

_KEY = "thread_id, checkpoint_ns, checkpoint_id"

_ENTER = f"""INSERT INTO sequence ({_KEY}, begins_turn, run_id)
    SELECT new.thread_id, new.checkpoint_ns, new.checkpoint_id,
        json_extract(CAST(new.metadata AS TEXT), '$.source') IS 'input',
        json_extract(CAST(new.metadata AS TEXT), '$.run_id')
    {{rows}} WHERE NOT EXISTS (SELECT 1 FROM sequence
        WHERE ({_KEY}) = (new.thread_id, new.checkpoint_ns, new.checkpoint_id))"""

_CREATE = f"""BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS sequence (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL, begins_turn INTEGER NOT NULL, run_id TEXT, UNIQUE ({_KEY}));
CREATE INDEX IF NOT EXISTS sequence_by_thread ON sequence (thread_id, checkpoint_ns, seq);
CREATE INDEX IF NOT EXISTS sequence_by_run ON sequence (run_id);
CREATE TRIGGER IF NOT EXISTS checkpoint_saved AFTER INSERT ON checkpoints BEGIN
    {_ENTER.format(rows="")};
END;
CREATE TRIGGER IF NOT EXISTS checkpoint_deleted AFTER DELETE ON checkpoints BEGIN
    DELETE FROM sequence WHERE ({_KEY}) = (old.thread_id, old.checkpoint_ns, old.checkpoint_id);
    DELETE FROM writes WHERE ({_KEY}) = (old.thread_id, old.checkpoint_ns, old.checkpoint_id);
END;
{_ENTER.format(rows="FROM checkpoints AS new")} ORDER BY new.checkpoint_id;
DROP TABLE IF EXISTS turns;
CREATE TABLE IF NOT EXISTS stopped (run_id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS emptied (thread_id TEXT PRIMARY KEY);
COMMIT;
"""
"""Brings a file of an earlier version over: its checkpoints are entered by their ids, its table of turns goes."""

NEWEST = """SELECT checkpoint_id FROM sequence WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY seq DESC LIMIT 1"""

NEWEST_TWO = f"""SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints JOIN sequence USING ({_KEY})
    WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY seq DESC LIMIT 2"""

_WAITING = """(SELECT checkpoint_id FROM writes WHERE thread_id = :thread AND channel = '__interrupt__'
    EXCEPT SELECT checkpoint_id FROM writes WHERE thread_id = :thread AND channel = '__resume__')"""
"""The checkpoints at which a request still waits for a reply."""

_FIRST_TO_KEEP = (
    "(SELECT seq FROM sequence WHERE thread_id = :thread AND begins_turn ORDER BY seq DESC LIMIT 1 OFFSET :turns - 1)"
)

DELETE_OLD_TURNS = f"""DELETE FROM checkpoints WHERE ({_KEY}) IN (SELECT {_KEY} FROM sequence
    WHERE thread_id = :thread AND seq < {_FIRST_TO_KEEP} AND checkpoint_id NOT IN {_WAITING})"""

DELETE_ALL_BUT_NEWEST = f"""DELETE FROM checkpoints WHERE ({_KEY}) IN (SELECT {_KEY} FROM sequence
    WHERE thread_id = :thread AND seq NOT IN (
        SELECT max(seq) FROM sequence WHERE thread_id = :thread GROUP BY checkpoint_ns))"""

MARK_STOPPED = "INSERT OR IGNORE INTO stopped VALUES (?)"

WAS_STOPPED = "SELECT EXISTS (SELECT 1 FROM stopped WHERE run_id = ?)"

MARK_EMPTIED = "INSERT OR IGNORE INTO emptied SELECT DISTINCT thread_id FROM sequence WHERE run_id = ?"
"""A thread may lose all its checkpoints with its runs: it is empty then, but not deleted."""

MARKS = """SELECT thread_id, 0, 0 FROM emptied UNION ALL
    SELECT s.thread_id, seq, (SELECT count(*) FROM writes AS w
        WHERE (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (s.thread_id, s.checkpoint_ns, s.checkpoint_id))
    FROM sequence AS s WHERE seq IN (SELECT max(seq) FROM sequence GROUP BY thread_id)"""
"""A mark of every thread's newest state, also of an empty thread's; every change of it changes the mark."""

WAITING = """SELECT thread_id FROM sequence AS s WHERE seq IN (SELECT max(seq) FROM sequence GROUP BY thread_id)
    AND EXISTS (SELECT 1 FROM writes AS w WHERE channel = '__interrupt__'
        AND (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (s.thread_id, s.checkpoint_ns, s.checkpoint_id))
    AND NOT EXISTS (SELECT 1 FROM writes AS w WHERE channel IN ('__resume__', 'replies')
        AND (w.thread_id, w.checkpoint_ns, w.checkpoint_id) = (s.thread_id, s.checkpoint_ns, s.checkpoint_id))
    ORDER BY seq DESC"""
"""The threads whose newest state waits for a reply."""

REOPEN = f"""DELETE FROM writes WHERE channel != '__interrupt__'
    AND ({_KEY}) IN (SELECT thread_id, checkpoint_ns, parent_checkpoint_id FROM checkpoints
        JOIN sequence USING ({_KEY}) WHERE run_id = ?)
    AND ({_KEY}) IN (SELECT {_KEY} FROM writes WHERE channel = '__interrupt__')"""
"""Take a run's reply off the state that waited for it."""

DELETE_RUN = f"DELETE FROM checkpoints WHERE ({_KEY}) IN (SELECT {_KEY} FROM sequence WHERE run_id = ?)"

COPY_THREAD = (
    # without the run's id: whoever deletes the run means the thread it ran in
    f"""INSERT INTO checkpoints ({_KEY}, parent_checkpoint_id, type, checkpoint, metadata)
    SELECT :target, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
        CAST(json_remove(json_replace(CAST(metadata AS TEXT), '$.thread_id', :target), '$.run_id') AS BLOB)
    FROM checkpoints JOIN sequence USING ({_KEY}) WHERE thread_id = :source ORDER BY seq""",
    f"""INSERT INTO writes ({_KEY}, task_id, task_path, idx, channel, type, value)
    SELECT :target, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
    FROM writes WHERE thread_id = :source""",
)


def create_sequence(connection: sqlite3.Connection) -> None:
    """Create the tables and the triggers, and enter the existing checkpoints; do nothing if the tables exist."""
    if "emptied" not in _list_tables(connection):
        connection.executescript(_CREATE)


def list_threads(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of all threads, the one written last first."""
    tables = _list_tables(connection)
    if "checkpoints" not in tables:
        return []
    # only read: a file of an earlier version is brought over by whoever writes to it
    table, order = ("sequence", "seq") if "sequence" in tables else ("checkpoints", "checkpoint_id")
    query = f"SELECT thread_id FROM {table} GROUP BY thread_id ORDER BY max({order}) DESC"
    return [id for (id,) in connection.execute(query)]


def select(connection: sqlite3.Connection, table: str, query: str) -> list[Any]:
    """Return the rows of a query; none if the file has no such table, because an earlier version made it."""
    return connection.execute(query).fetchall() if table in _list_tables(connection) else []


def select_newest_first(
    config: "RunnableConfig | None",
    filter: dict[str, Any] | None = None,
    before: "RunnableConfig | None" = None,
    limit: int | None = None,
) -> tuple[str, list[Any]]:
    """Return the query, with its values, for the keys of checkpoints. Arguments as in a saver's `list`."""
    from langgraph.checkpoint.base import get_checkpoint_id
    from langgraph.checkpoint.sqlite.utils import search_where

    where, values = search_where(config, filter)
    conditions, values = [where.removeprefix("WHERE ")] if where else [], list(values)
    if before is not None:
        # ids are the same in a copy of a thread, so the one meant is that of the thread listed
        threads = (each["configurable"].get("thread_id") for each in (config, before) if each)
        conditions.append("seq < (SELECT max(seq) FROM sequence WHERE checkpoint_id = ? AND ifnull(thread_id = ?, 1))")
        values += [get_checkpoint_id(before), next((id for id in threads if id is not None), None)]
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    query = f"SELECT {_KEY} FROM checkpoints JOIN sequence USING ({_KEY}) {where} ORDER BY seq DESC LIMIT ?"
    return query, [*values, -1 if limit is None else limit]


def _list_tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
