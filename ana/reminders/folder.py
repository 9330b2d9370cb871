"""The tables of the ledger of reminders in a SQLite file."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from ana.errors import StoreBroken
from ana.files import is_damage, remove_database
from ana.tables import SqliteTables

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rings (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, moment TEXT NOT NULL, address TEXT NOT NULL,
    attempts INTEGER NOT NULL, delivered INTEGER NOT NULL, UNIQUE (address, item, moment));
CREATE TABLE IF NOT EXISTS failing (
    address TEXT PRIMARY KEY, since TEXT NOT NULL, failures INTEGER NOT NULL, tried TEXT NOT NULL,
    reason TEXT NOT NULL);
"""


class LedgerFile(SqliteTables):
    """The tables in a SQLite file. A damaged file is replaced, so its reminders may be delivered twice.

    Args:
        path: The file, which is created when something is noted.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, lambda db: db.executescript(_SCHEMA), self.map_errors)

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = FileLock(self.path.with_suffix(".lock")).acquire(timeout=0)
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
    def map_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as exc:
            if is_damage(exc):
                remove_database(self.path)
            raise StoreBroken(f"{self.path} cannot be used: {exc}.", "Try again; a damaged file is replaced.") from exc
