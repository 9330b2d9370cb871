"""Stores of conversations, in a folder and in PostgreSQL, for what is true of both."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ana.threads.folder import FolderThreadStore
from ana.threads.ports import ThreadStore
from ana.threads.postgres import PostgresThreadStore
from tests.postgres.server import open_people

TABLES = ("checkpoints", "writes", "sequence")


@pytest.fixture(params=["folder", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ThreadStore:
    if request.param == "folder":
        return FolderThreadStore(tmp_path)
    return PostgresThreadStore(open_people()("owner"))


def list_rows(store: ThreadStore, table: str, thread: str) -> list[str]:
    """Return the ids of a thread's checkpoints in a table of its store."""
    if isinstance(store, PostgresThreadStore):
        column = "checkpoint" if table == "writes" else "id"
        table = "writes" if table == "writes" else "checkpoints"  # which have their order themselves
        return [id for (id,) in store._rows.ask(f"SELECT {column} FROM {table} WHERE thread = ?", thread)]
    assert isinstance(store, FolderThreadStore)
    with closing(sqlite3.connect(store._file)) as db:
        return [id for (id,) in db.execute(f"SELECT checkpoint_id FROM {table} WHERE thread_id = ?", (thread,))]
