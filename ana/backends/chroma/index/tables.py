"""The SQLite file of a derived index: its tables, and how it is opened."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ana.backends.chroma.index.sql import add_functions

VERSION = 2

CACHE = 32_000
"""How many KiB of the file are kept in memory at most; the default of 2,000 is read over and over at 100,000 items."""

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE unsettled (id TEXT PRIMARY KEY);
CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE TABLE items (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, created_at TEXT NOT NULL,
    date TEXT, start INTEGER, stop INTEGER, words BLOB NOT NULL);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE bodies (row INTEGER PRIMARY KEY, item TEXT NOT NULL);
CREATE TABLE properties (
    row INTEGER NOT NULL, key TEXT NOT NULL, element INTEGER NOT NULL, value TEXT NOT NULL, num, start INTEGER,
    stop INTEGER);
"""
_INDEXES = {
    "items_by_digest": "items (digest)",
    "items_by_date": "items (start IS NULL, start, date, created_at DESC, id)",
    "items_by_start": "items (start) WHERE start IS NOT NULL",
    "properties_by_row": "properties (row)",
    "properties_by_value": "properties (key, element, value, row)",
    "properties_by_number": "properties (key, element, num, row) WHERE num IS NOT NULL",
    "properties_by_start": "properties (key, element, start, stop, row) WHERE start IS NOT NULL",
}
_OUTSIDE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
)
"""What SQLite says when the file itself is not to blame."""

_TABLES = ("meta", "unsettled", "terms", "items", "bodies", "vectors", "properties")


def opened(path: Path) -> sqlite3.Connection:
    """A connection to the file; one of another version is deleted and made anew, empty."""
    db = _connected(path)
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        db.close()
        remove(path)
        db = _connected(path)
        with transaction(db):
            db.execute(f"PRAGMA user_version = {VERSION}")
            make_tables(db)
            make_indexes(db)
    return db


def make_tables(db: sqlite3.Connection) -> None:
    """Empty tables instead of those that are there; without indexes, which fill faster afterwards."""
    for table in _TABLES:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA.split(";"):
        db.execute(statement)


def make_indexes(db: sqlite3.Connection) -> None:
    for name, columns in _INDEXES.items():
        db.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # some errors end it by themselves
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def inode(path: Path) -> int:
    """Which file lies there; 0 for none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def remove(path: Path) -> None:
    """Delete the file, and what SQLite keeps beside it."""
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink(missing_ok=True)


def damaged(exc: sqlite3.Error) -> bool:
    """Whether the file no longer holds what it should; a full disk or a locked file is another matter."""
    return getattr(exc, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _OUTSIDE


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, timeout=10, isolation_level=None)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(f"PRAGMA cache_size = -{CACHE}")
    except sqlite3.Error:
        db.close()
        raise
    add_functions(db)
    return db
