"""Stores of conversations, in a folder and in PostgreSQL, for what is true of both."""

import sqlite3
from pathlib import Path

import pytest

from ana.tables import SqliteTables
from ana.threads.folder import FolderThreadStore
from ana.threads.postgres import PostgresThreadStore
from ana.threads.saver import ThreadSaver
from ana.threads.store import ThreadStore
from tests.postgres.server import open_people

TABLES = ("states", "task_writes", "sequence")


@pytest.fixture(params=["folder", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ThreadStore:
    if request.param == "folder":
        return FolderThreadStore(tmp_path)
    return PostgresThreadStore(open_people()("owner"))


def list_rows(store: ThreadStore, table: str, thread: str) -> list[str]:
    """Return the ids of a thread's checkpoints in a table of its store."""
    if table == "sequence" and isinstance(store, FolderThreadStore):
        with store.files.open() as db:
            return [id for (id,) in db.execute("SELECT checkpoint_id FROM sequence WHERE thread_id = ?", (thread,))]
    column, table = ("checkpoint", "task_writes") if table == "task_writes" else ("id", "states")
    return [id for (id,) in store.tables.ask(f"SELECT {column} FROM {table} WHERE thread_id = ?", thread)]


def connection_of(saver: ThreadSaver) -> sqlite3.Connection:
    """Return the connection of a saver in a folder."""
    assert isinstance(saver._tables, SqliteTables)
    with saver._tables.open() as db:
        return db
