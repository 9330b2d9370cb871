"""The tables of conversations in a SQLite file: LangGraph's, their order, and views that make them those of PostgreSQL.

The order is that in which checkpoints were saved, in a side table: their ids are times, and a clock can go back.
Triggers keep it, so that a row is always saved and deleted in the same transaction as its checkpoint. Rowids would not
serve, because VACUUM may change them.
"""

import sqlite3
import time

from ana.files import BUSY_SECONDS

_KEY = "thread_id, checkpoint_ns, checkpoint_id"

_ENTER = f"""INSERT INTO sequence ({_KEY}, begins_turn, run_id)
    SELECT new.thread_id, new.checkpoint_ns, new.checkpoint_id,
        json_extract(CAST(new.metadata AS TEXT), '$.source') IS 'input',
        json_extract(CAST(new.metadata AS TEXT), '$.run_id')
    {{rows}} WHERE NOT EXISTS (SELECT 1 FROM sequence
        WHERE ({_KEY}) = (new.thread_id, new.checkpoint_ns, new.checkpoint_id))"""

_OLD_STATE = f"({_KEY}) = (old.thread_id, old.namespace, old.id)"
_OLD_WRITE = f"({_KEY}, task_id, idx) = (old.thread_id, old.namespace, old.checkpoint, old.task, old.idx)"

_CREATE = f"""BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY ({_KEY}));
CREATE TABLE IF NOT EXISTS writes (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT,
    value BLOB, PRIMARY KEY ({_KEY}, task_id, idx));
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
CREATE TABLE IF NOT EXISTS created (thread_id TEXT PRIMARY KEY, ts TEXT NOT NULL, metadata TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS trash (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, ts TEXT NOT NULL, name TEXT NOT NULL, trace TEXT NOT NULL);
DROP VIEW IF EXISTS states;
DROP VIEW IF EXISTS task_writes;
CREATE VIEW states AS
    SELECT s.thread_id, s.checkpoint_ns AS namespace, s.checkpoint_id AS id, seq, parent_checkpoint_id AS parent,
        begins_turn, run_id, type, checkpoint AS state, CAST(metadata AS TEXT) AS metadata
    FROM sequence AS s LEFT JOIN checkpoints USING ({_KEY});
CREATE TRIGGER state_saved INSTEAD OF INSERT ON states BEGIN
    INSERT INTO sequence ({_KEY}, begins_turn, run_id)
        VALUES (new.thread_id, new.namespace, new.id, new.begins_turn, new.run_id);
    INSERT INTO checkpoints ({_KEY}, parent_checkpoint_id, type, checkpoint, metadata)
        VALUES (new.thread_id, new.namespace, new.id, new.parent, new.type, new.state, CAST(new.metadata AS BLOB));
END;
CREATE TRIGGER state_changed INSTEAD OF UPDATE ON states BEGIN
    UPDATE checkpoints SET thread_id = new.thread_id, metadata = CAST(new.metadata AS BLOB) WHERE {_OLD_STATE};
    UPDATE sequence SET thread_id = new.thread_id WHERE seq = old.seq;
END;
CREATE TRIGGER state_deleted INSTEAD OF DELETE ON states BEGIN
    DELETE FROM checkpoints WHERE {_OLD_STATE};
END;
CREATE VIEW task_writes AS
    SELECT thread_id, checkpoint_ns AS namespace, checkpoint_id AS checkpoint, task_id AS task, idx,
        task_path AS path, channel, type, value FROM writes;
CREATE TRIGGER write_saved INSTEAD OF INSERT ON task_writes BEGIN
    INSERT INTO writes ({_KEY}, task_id, idx, task_path, channel, type, value) VALUES (
        new.thread_id, new.namespace, new.checkpoint, new.task, new.idx, new.path, new.channel, new.type, new.value);
END;
CREATE TRIGGER write_changed INSTEAD OF UPDATE ON task_writes BEGIN
    UPDATE writes SET thread_id = new.thread_id WHERE {_OLD_WRITE};
END;
CREATE TRIGGER write_deleted INSTEAD OF DELETE ON task_writes BEGIN
    DELETE FROM writes WHERE {_OLD_WRITE};
END;
COMMIT;
"""
"""Brings a file of an earlier version over: its checkpoints are entered by their ids, its table of turns goes. That
version finds what it knows, also afterwards: `states` and `task_writes`, the tables of PostgreSQL, are views."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables and the views, and enter the existing checkpoints; do nothing if they exist."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'task_writes'").fetchone():
        _use_log(connection)
        connection.executescript(_CREATE)


def _use_log(connection: sqlite3.Connection) -> None:
    """Let the file have a log. SQLite does not wait for another process that is doing the same to a new file."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)
