"""The derived index of a collection: typed property rows, words and digests, in SQLite beside Chroma.

Nothing is known only here, and the file may be deleted at any time: it is rebuilt from Chroma if it is missing or
damaged, of another version or collection, or has another number of items than Chroma. A write is entered here first, in
one durable step that also marks its ids as unsettled. The next process that opens the index reads those ids from Chroma
again, and a second time after the next write that succeeds, because on a full disk Chroma may return an old state.
So the two agree however suddenly a process or a write ends. Used only while the folder is held.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from ana.backends.chroma.source import EmbeddedItem
from ana.backends.sql.items import ItemTables
from ana.backends.sql.tables import connect_tables, make_indexes, make_tables, transaction
from ana.files import is_damage, remove_database

T = TypeVar("T")

_log = logging.getLogger(__name__)

VERSION = 9

_OWN = {"meta": "name TEXT PRIMARY KEY, value TEXT NOT NULL", "unsettled": "id TEXT PRIMARY KEY"}


class Source(Protocol):
    """The collection that the index is made from."""

    @property
    def identity(self) -> str: ...

    def count(self) -> int: ...

    def get_many(self, ids: Sequence[str]) -> list[EmbeddedItem]: ...

    def iter_all(self) -> Iterable[EmbeddedItem]: ...


class Index:
    """The derived index of one collection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tables: ItemTables | None = None
        self._version = -1
        self._file = 0
        self._all_written = False
        """Whether all unsettled ids are from writes of this process that succeeded."""

    def make_ready(self, source: Source) -> ItemTables:
        """Make the index agree with the source, and return its tables."""
        return self.use(source, lambda tables: tables)

    def use(self, source: Source, action: Callable[[ItemTables], T]) -> T:
        """Call a function with an index that agrees with the source; repeat it with a new index if the file is
        damaged.
        """
        try:
            return action(self._bring_up_to_date(source))
        except sqlite3.DatabaseError as exc:
            if not is_damage(exc):
                raise
            self.discard()
            return action(self._bring_up_to_date(source))

    @contextmanager
    def enter_write(
        self, source: Source, put: Sequence[EmbeddedItem] = (), removed: Sequence[str] = ()
    ) -> Iterator[None]:
        """Enter a write that is then made inside this context; if the write fails, the source is read again."""

        def enter(tables: ItemTables) -> ItemTables:
            with transaction(tables.db):
                tables.write(put, removed)
                ids = [*removed, *(stored.item.id for stored in put)]
                tables.db.executemany("INSERT OR IGNORE INTO unsettled VALUES (?)", ((id,) for id in ids))
            return tables

        try:
            tables = self.use(source, enter)
            yield
        except BaseException:
            self._version, self._all_written = -1, False
            raise
        if not self._all_written:
            _reread(tables, source)  # after a write that succeeded; the next use compares the counts
            self._version = -1
        _forget_unsettled(tables.db)
        self._all_written = True

    def close(self) -> None:
        if self._tables is not None:
            self._tables.db.close()
        self._tables, self._version = None, -1

    def discard(self) -> None:
        """Delete the index; the next use rebuilds it."""
        self.close()
        remove_database(self._path)

    def _bring_up_to_date(self, source: Source) -> ItemTables:
        if self._tables is not None and self._file != read_inode(self._path):  # another process deleted the file
            self.close()
        if self._tables is None:
            self._tables = ItemTables(open_index(self._path))
            self._file = read_inode(self._path)
        # it changes when another process writes, as long as this connection is open
        if self._version != (version := int(self._tables.db.execute("PRAGMA data_version").fetchone()[0])):
            self._tables.forget()  # another process may have changed them
            self._settle(self._tables, source)
            self._version = version
        return self._tables

    def _settle(self, tables: ItemTables, source: Source) -> None:
        expected = {"identity": source.identity}
        if _read_meta(tables.db) != expected:  # new, or of a collection that was replaced
            self._rebuild(tables, source, expected)
        self._all_written = not _reread(tables, source)
        if tables.db.execute("SELECT count(*) FROM items").fetchone()[0] != source.count():
            self._rebuild(tables, source, expected)

    def _rebuild(self, tables: ItemTables, source: Source, meta: dict[str, str]) -> None:
        _log.info("rebuilding the index %s from %d items", self._path.name, source.count())
        tables.forget()
        stored = source.iter_all()  # which may open Chroma, and that may settle something first
        with transaction(tables.db):
            empty_index(tables.db)
            tables.write(stored)
            make_indexes(tables.db)  # at the end, in a third of the time
            tables.db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())


def _reread(tables: ItemTables, source: Source) -> bool:
    """Read everything unsettled from the source again, and return whether there was anything."""
    unsettled = [id for (id,) in tables.db.execute("SELECT id FROM unsettled")]
    if unsettled:
        stored = source.get_many(unsettled)
        tables.write(stored, sorted(set(unsettled) - {each.item.id for each in stored}))
    return bool(unsettled)


def _forget_unsettled(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous = NORMAL")  # nobody waits for the disk: an id may be read again for nothing
    try:
        db.execute("DELETE FROM unsettled")
    finally:
        db.execute("PRAGMA synchronous = FULL")


def open_index(path: Path) -> sqlite3.Connection:
    """Return a connection to the file. A new file is empty; a file of another version is replaced."""
    db = connect_tables(path)
    if _read_version(db) not in (0, VERSION):
        db.close()
        remove_database(path)
        db = connect_tables(path)
    return db


def empty_index(db: sqlite3.Connection) -> None:
    """Replace all tables by the empty ones of `make_tables`."""
    make_tables(db)
    for table, columns in _OWN.items():
        db.execute(f"DROP TABLE IF EXISTS {table}")
        db.execute(f"CREATE TABLE {table} ({columns})")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _read_meta(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("SELECT name, value FROM meta")) if _read_version(db) == VERSION else {}


def _read_version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def read_inode(path: Path) -> int:
    """Return a number that identifies the present file; 0 without a file."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
