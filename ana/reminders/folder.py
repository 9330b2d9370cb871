"""The tables of the ledger of reminders in a SQLite file."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ana.errors import StoreBroken
from ana.files import compact_database, connect_own, is_damage, remove_database
from ana.reminders.ledger import Change

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rings (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, moment TEXT NOT NULL, address TEXT NOT NULL,
    attempts INTEGER NOT NULL, delivered INTEGER NOT NULL, UNIQUE (address, item, moment));
CREATE TABLE IF NOT EXISTS failing (
    address TEXT PRIMARY KEY, since TEXT NOT NULL, failures INTEGER NOT NULL, tried TEXT NOT NULL,
    reason TEXT NOT NULL);
"""


class LedgerFile:
    """The tables in a SQLite file. A damaged file is replaced, so its reminders may be delivered twice.

    Args:
        path: The file, which is created when something is noted.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, query: str, *params: Any) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        with self.open() as db:
            return db.execute(query, params).fetchall()

    def change(self, *changes: Change) -> None:
        with self.open() as db:
            for text, params in changes:
                db.execute(text, params)

    def compact(self) -> None:
        with self._map_errors():
            compact_database(self._path)

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = FileLock(self._path.with_suffix(".lock")).acquire(timeout=0)
        except Timeout:
            yield lambda: False
            return
        with lock:
            yield lambda: True

    def to_name(self, id: str) -> str:
        return id

    def from_name(self, name: str) -> str:
        return name

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are committed together.

        Raises:
            StoreBroken: The file cannot be used.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._map_errors(), closing(connect_own(self._path)) as db, db:
            db.executescript(_SCHEMA)
            yield db

    @contextmanager
    def _map_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as exc:
            if is_damage(exc):
                remove_database(self._path)
            raise StoreBroken(f"{self._path} cannot be used: {exc}.", "Try again; a damaged file is replaced.") from exc
