"""The SQLite file of a derived index: opening, and the tables that only an index has."""

import sqlite3
from pathlib import Path

from ana.backends.sql.tables import connect_tables, make_indexes, make_tables, transaction
from ana.files import remove_database

VERSION = 7

_OWN = {"meta": "name TEXT PRIMARY KEY, value TEXT NOT NULL", "unsettled": "id TEXT PRIMARY KEY"}


def open_index(path: Path) -> sqlite3.Connection:
    """Return a connection to the file; one of another version is deleted and replaced by an empty one."""
    db = connect_tables(path)
    if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        db.close()
        remove_database(path)
        db = connect_tables(path)
        with transaction(db):
            db.execute(f"PRAGMA user_version = {VERSION}")
            empty_index(db)
            make_indexes(db)
    return db


def empty_index(db: sqlite3.Connection) -> None:
    """Replace all tables by empty ones, as `make_tables` does."""
    make_tables(db)
    for table, columns in _OWN.items():
        db.execute(f"DROP TABLE IF EXISTS {table}")
        db.execute(f"CREATE TABLE {table} ({columns})")


def read_inode(path: Path) -> int:
    """Return a number that identifies the present file; 0 without a file."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
