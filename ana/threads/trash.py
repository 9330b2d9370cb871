"""Deleted conversations, which stay in the file of all threads under another id until they are purged."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ana.files import connect_own, open_readable
from ana.threads.ports import DeletedThread

TRASHED = "deleted:"
"""The ids of deleted threads begin with it; no other does, because those are UUIDs."""

_CREATE = """CREATE TABLE IF NOT EXISTS trash (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, ts TEXT NOT NULL, name TEXT NOT NULL, trace TEXT NOT NULL)"""


def put_in_trash(path: Path, thread: str, ts: str, name: str, trace: str) -> None:
    """Move a thread with its name and its trace into the trash, in one step."""
    id = f"{TRASHED}{ts}:{thread}"
    with _open(path) as db:
        db.execute(_CREATE)
        db.execute("INSERT INTO trash VALUES (?, ?, ?, ?, ?)", (id, thread, ts, name, trace))
        _rename(db, thread, id)


def list_trash(path: Path) -> list[DeletedThread]:
    """Return every deleted thread, the one deleted last first."""
    if not path.exists():
        return []
    with _open(path) as db:
        if not _has_trash(db):
            return []
        # not by time: a clock can go back; VACUUM may number the rows again, in the same order
        rows = db.execute("SELECT id, thread, ts, name, trace FROM trash ORDER BY rowid DESC").fetchall()
    return [DeletedThread(*row) for row in rows]


def take_out_of_trash(path: Path, deleted: DeletedThread) -> None:
    """Give a thread its own id again, in one step."""
    with _open(path) as db:
        _rename(db, deleted.id, deleted.thread)
        db.execute("DELETE FROM trash WHERE id = ?", (deleted.id,))


def delete_threads(path: Path, threads: Collection[str]) -> None:
    """Delete threads, by their own ids or by those in the trash; `compact_database` removes their bytes."""
    if not path.exists():
        return
    with _open(path) as db:
        for table, key in _list_tables(db):
            db.executemany(f'DELETE FROM "{table}" WHERE {key} = ?', [(id,) for id in threads])


def find_threads(path: Path, mentions: Callable[[bytes], bool]) -> set[str]:
    """Return the ids of the threads, deleted ones too, of which a value mentions what is looked for."""
    found: set[str] = set()
    if path.exists():
        with _open(path) as db:
            for table, key in _list_tables(db):
                rows = db.execute(f'SELECT {key}, * FROM "{table}"')
                found |= {row[0] for row in rows if row[0] not in found and any(map(mentions, _iter_bytes(row)))}
    return found


def _iter_bytes(row: Collection[object]) -> Iterator[bytes]:
    values = (value.encode() if isinstance(value, str) else value for value in row)
    yield from (value for value in values if isinstance(value, bytes))


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction."""
    with open_readable(path) as file, closing(connect_own(file)) as db, db:
        yield db


def _has_trash(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'trash'").fetchone() is not None


def _rename(db: sqlite3.Connection, thread: str, to: str) -> None:
    for table, key in _list_tables(db):
        if key == "thread_id":
            db.execute(f'UPDATE "{table}" SET thread_id = ? WHERE thread_id = ?', (to, thread))


def _list_tables(db: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the tables that hold something of each thread, checkpoints, writes and whatever else, with its column."""
    query = """SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND (c.name = 'thread_id' OR (m.name = 'trash' AND c.name = 'id'))"""
    return db.execute(query).fetchall()
