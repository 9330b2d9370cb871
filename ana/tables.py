"""A person's tables, in a SQLite file or in PostgreSQL, and the SQL that both understand, with question marks."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ana.files import compact_database, connect_own

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """A statement of SQL, and the values of its question marks."""

    text: str
    params: Sequence[Any] = ()


class Tables(Protocol):
    """A person's tables. Whoever opens them says what the methods raise if the disk, or the database, fails."""

    def ask(self, text: str, *params: Any) -> Rows:
        """Return the rows of a query."""

    def read(self, *statements: Statement) -> list[Rows]:
        """Return the rows of queries, which see one state."""

    def change(self, *statements: Statement, waits: bool = True) -> list[Rows]:
        """Make changes, all or none, and return the rows of each.

        Args:
            waits: Whether they must survive a power failure; else it is enough that a later change brings them onto the
                disk. A database always waits.
        """

    def compact(self) -> None:
        """Leave no byte of deleted rows in the files."""

    def keep_open(self) -> AbstractContextManager["Tables"]:
        """Open the tables for many small changes, from any thread; errors are those of SQLite, or of the database."""


class SqliteTables:
    """The tables in a SQLite file, which is created at the first change.

    Args:
        create: Creates tables that are missing, at every opening.
        map_errors: A context that turns the errors of SQLite and the disk into ana's.
    """

    def __init__(
        self,
        path: Path,
        create: Callable[[sqlite3.Connection], object],
        map_errors: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.path, self._create, self._map_errors = path, create, map_errors

    def ask(self, text: str, *params: Any) -> Rows:
        return self.read(Statement(text, params))[0]

    def read(self, *statements: Statement) -> list[Rows]:
        if not self.path.exists():
            return [[] for _ in statements]
        with self.open() as db:
            db.execute("BEGIN")
            return [db.execute(*each).fetchall() for each in statements]

    def change(self, *statements: Statement, waits: bool = True) -> list[Rows]:
        with self.open() as db:
            # https://sqlite.org/pragma.html#pragma_synchronous: with a log, NORMAL leaves the disk to a later commit
            db.execute(f"PRAGMA synchronous = {'FULL' if waits else 'NORMAL'}")
            return [db.execute(*each).fetchall() for each in statements]

    def compact(self) -> None:
        if self.path.exists():
            with self._map_errors():
                compact_database(self.path)

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are committed together."""
        with self._map_errors(), self._connect() as db, db:
            self._create(db)
            yield db

    @contextmanager
    def keep_open(self) -> Iterator["SqliteTables"]:
        """Yield the tables with a connection that stays open, for any thread; the errors are those of SQLite."""
        with self._connect() as db:
            yield _OpenTables(self.path, self._create, db)

    def _connect(self) -> closing[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return closing(connect_own(self.path, check_same_thread=False))


class _OpenTables(SqliteTables):
    """The tables on one connection, which one thread uses at a time."""

    def __init__(self, path: Path, create: Callable[[sqlite3.Connection], object], db: sqlite3.Connection) -> None:
        super().__init__(path, create, nullcontext)
        self._db, self._using, self._is_ready = db, threading.Lock(), False

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        with self._using, self._db:
            if not self._is_ready:
                self._create(self._db)
                self._is_ready = True
            yield self._db
