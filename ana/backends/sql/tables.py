"""The tables for finding items, in a SQLite file."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.backends.sql.dialect import add_functions
from ana.files import connect_own

_OPTIONS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000"
"""What is acknowledged is on the disk. KiB of the file stay in memory; with the default of 2,000 SQLite reads it
repeatedly at 100,000 items."""

_SCHEMA = """
CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE items (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, created_at TEXT NOT NULL,
    date TEXT, words BLOB NOT NULL);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE bodies (row INTEGER PRIMARY KEY, item TEXT NOT NULL);
CREATE TABLE properties (
    row INTEGER NOT NULL, key TEXT NOT NULL, element INTEGER NOT NULL, value TEXT NOT NULL, folded TEXT NOT NULL, num);
CREATE TABLE zones (name TEXT NOT NULL)
"""
_INDEXES = {
    "items_by_digest": "items (digest)",
    "properties_by_row": "properties (row)",
    "properties_by_value": "properties (key, element, folded, row)",
    "properties_by_number": "properties (key, element, num, row) WHERE num IS NOT NULL",
}
_TABLES = ("terms", "items", "bodies", "vectors", "properties", "zones")


def connect_tables(path: Path) -> sqlite3.Connection:
    """Return a connection to a file whose transactions are explicit and durable, for any thread, one at a time."""
    db = connect_own(path, script=_OPTIONS, check_same_thread=False, isolation_level=None)
    add_functions(db)
    return db


def make_tables(db: sqlite3.Connection) -> None:
    """Replace all tables by empty ones, without indexes: tables fill faster before those exist."""
    for table in _TABLES:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA.split(";"):
        db.execute(statement)


def make_indexes(db: sqlite3.Connection) -> None:
    for name, columns in _INDEXES.items():
        db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")


def iter_once(db: sqlite3.Connection, query: str) -> Iterator[Any]:
    """Yield the rows of a query whose result stays in memory; SQLite's own cache of them is freed afterwards."""
    yield from db.execute(query)
    db.execute("PRAGMA shrink_memory")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit the changes made inside, or undo all of them after an error; a nested transaction is a part of the outer
    one.
    """
    is_part = db.in_transaction
    if is_part:
        yield
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # some errors have ended it already
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
