"""Conversations in a data folder: a SQLite database of their states and of the trash, their names, and the last one."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from ana.errors import StoreBroken
from ana.files import FILE_ERRORS, compact_database, connect_own, describe_fault, is_damage, write_whole
from ana.locks import OwnerLock
from ana.notes import Note, read_note
from ana.own_files import name_folder
from ana.threads import sequence
from ana.threads.ids import TRASHED, canonical_id
from ana.threads.ports import Created, DeletedThread, ThreadStore, owning
from ana.values import read_json

if TYPE_CHECKING:
    from ana.threads.pruning import PruningSaver

THREADS = "threads.sqlite"
"""The file of the states, in a data folder."""

NAMES = "thread_names.json"
"""The file of the names that the person gave, by the ids of their conversations."""

LAST = "last_thread"

_CREATE_TRASH = """CREATE TABLE IF NOT EXISTS trash (
    id TEXT PRIMARY KEY, thread TEXT NOT NULL, ts TEXT NOT NULL, name TEXT NOT NULL, trace TEXT NOT NULL)"""
_CREATE_CREATED = """CREATE TABLE IF NOT EXISTS created (
    thread_id TEXT PRIMARY KEY, ts TEXT NOT NULL, metadata TEXT NOT NULL)"""


class FolderThreadStore(ThreadStore):
    """The conversations of a data folder; nothing is opened or created before it is used.

    The code that reads checkpoints is imported only when they are read, because that takes half a second.
    """

    errors = FILE_ERRORS

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / THREADS
        self._names = folder / NAMES
        self._last = Note(folder / LAST)

    @contextmanager
    def open_saver(self) -> "Iterator[PruningSaver]":
        from ana.threads.pruning import PruningSaver

        self._make_folder()
        with _connect(self._file) as connection:
            yield PruningSaver(connection)

    @contextmanager
    def map_errors(self) -> Iterator[None]:
        try:
            yield
        except self.errors as exc:
            hint = "Check that the disk has room and the data folder may be written."
            if isinstance(exc, sqlite3.DatabaseError) and is_damage(exc):
                hint = "`ana doctor --repair` sets the damaged file aside; what was stored stays."
            place = name_folder(self._folder)
            raise StoreBroken(
                f"The conversation could not be kept in the {place}: {describe_fault(exc)}.", hint
            ) from exc

    def ids(self) -> list[str]:
        with self._read() as connection:
            return _leave_out_deleted(sequence.list_threads(connection))

    def marks(self) -> dict[str, tuple[int, int]]:
        with self._read() as connection:
            marks = {id: (seq, writes) for id, seq, writes in sequence.select(connection, "emptied", sequence.MARKS)}
        return {id: marks[id] for id in _leave_out_deleted(marks)}

    def list_waiting(self) -> list[str]:
        with self._read() as connection:
            return _leave_out_deleted([id for (id,) in sequence.select(connection, "emptied", sequence.WAITING)])

    def names(self) -> dict[str, str]:
        hint = "`ana doctor --repair` sets the file aside; the conversations stay, without their names."
        return read_note(self._names, dict[str, str], hint) or {}

    def set_names(self, names: Mapping[str, str]) -> None:
        with self.map_errors():
            self._change_names(lambda known: {**known, **names})

    def created(self) -> dict[str, Created]:
        with self._read() as connection:
            rows = sequence.select(connection, "created", "SELECT thread_id, ts, metadata FROM created")
        live = {*_leave_out_deleted([id for id, *_ in rows])}
        return {id: Created(ts, read_json(metadata)) for id, ts, metadata in rows if id in live}

    def create(self, id: str, created: Created) -> None:
        self._make_folder()
        with self._write() as connection:
            connection.execute(_CREATE_CREATED)
            row = (id, created.ts, json.dumps(created.metadata))
            connection.execute("INSERT OR REPLACE INTO created VALUES (?, ?, ?)", row)

    def last(self) -> str | None:
        return canonical_id(self._last.read().strip())

    def set_last(self, id: str) -> None:
        with self.map_errors():
            self._last.write(id)

    def forget(self, ids: Collection[str]) -> None:
        with self.map_errors():
            if self.names().keys() & {*ids}:
                self._change_names(lambda names: {id: name for id, name in names.items() if id not in ids})
            if self.last() in ids:
                self._last.remove()

    def put_in_trash(self, id: str, ts: str, name: str, trace: str) -> None:
        deleted = DeletedThread(f"{TRASHED}{ts}:{id}", id, ts, name, trace)
        with self._write() as connection:
            connection.execute(_CREATE_TRASH)
            connection.execute("INSERT INTO trash VALUES (?, ?, ?, ?, ?)", astuple(deleted))
            _rename(connection, id, deleted.id)

    def list_trash(self) -> list[DeletedThread]:
        with self._read() as connection:
            # not by time: a clock can go back; VACUUM may number the rows again, in the same order
            query = "SELECT id, thread, ts, name, trace FROM trash ORDER BY rowid DESC"
            return [DeletedThread(*row) for row in sequence.select(connection, "trash", query)]

    def take_out_of_trash(self, deleted: DeletedThread) -> None:
        with self._write() as connection:
            _rename(connection, deleted.id, deleted.thread)
            connection.execute("DELETE FROM trash WHERE id = ?", (deleted.id,))
        if deleted.name:
            self.set_names({deleted.thread: deleted.name})

    def delete(self, ids: Collection[str]) -> None:
        if self._file.exists():
            with self._write() as connection:
                for table, key in _list_tables(connection):
                    connection.executemany(f'DELETE FROM "{table}" WHERE {key} = ?', [(id,) for id in ids])

    def compact(self) -> None:
        if self._file.exists():
            with self.map_errors():
                compact_database(self._file)

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        ids: set[str] = set()
        with self._read() as connection:
            for table, key in _list_tables(connection):
                for id, *values in connection.execute(f'SELECT {key}, * FROM "{table}"'):
                    texts = [value.encode() if isinstance(value, str) else value for value in values]
                    if id not in ids and any(mentions(each) for each in texts if isinstance(each, bytes)):
                        ids.add(id)
        return ids

    @contextmanager
    def open_tables(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection with all tables; its changes are committed together."""
        with self.map_errors(), self.open_saver() as saver, self._write() as connection:
            saver.setup()
            connection.execute(_CREATE_TRASH)
            connection.execute(_CREATE_CREATED)
            yield connection

    def _change_names(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        """Write all names after a change, while nobody else can; names that others gave meanwhile stay."""
        self._make_folder()
        with owning(OwnerLock(self._names.with_suffix(".lock"), "The list of conversations"), ends=True):
            write_whole(self._names, json.dumps(change(self.names()), indent=1))

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for reading; without a file it is empty."""
        file = self._file if self._file.exists() else Path(":memory:")
        with self.map_errors(), _connect(file) as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self.map_errors(), _connect(self._file) as connection, connection:
            yield connection

    def _make_folder(self) -> None:  # without it the server hangs when it starts
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _leave_out_deleted(ids: Collection[str]) -> list[str]:
    return [id for id in ids if not id.startswith(TRASHED)]


def _connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(connect_own(path, check_same_thread=False))


def _rename(connection: sqlite3.Connection, thread: str, to: str) -> None:
    for table, key in _list_tables(connection):
        if key == "thread_id":
            connection.execute(f'UPDATE OR REPLACE "{table}" SET thread_id = ? WHERE thread_id = ?', (to, thread))


def _list_tables(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the tables with data of threads, such as checkpoints and writes, each with the column of the thread's
    id.
    """
    query = """SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND (c.name = 'thread_id' OR (m.name = 'trash' AND c.name = 'id'))"""
    return connection.execute(query).fetchall()
