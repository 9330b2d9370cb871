"""Conversations in a data folder: a SQLite database of their states and of the trash, their names, and the last one."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ana.errors import StoreBroken
from ana.files import FILE_ERRORS, describe_fault, is_damage, write_whole
from ana.locks import OwnerLock
from ana.notes import Note, read_note
from ana.own_files import name_folder
from ana.tables import SqliteTables
from ana.threads.ids import canonical_id
from ana.threads.ports import owning
from ana.threads.states import create_tables
from ana.threads.store import ThreadStore

THREADS = "threads.sqlite"
"""The file of the states, in a data folder."""

NAMES = "thread_names.json"
"""The file of the names that the person gave, by the ids of their conversations."""

LAST = "last_thread"


class FolderThreadStore(ThreadStore):
    """The conversations of a data folder; nothing is opened or created before it is used."""

    errors = FILE_ERRORS

    def __init__(self, folder: Path) -> None:
        self.files = SqliteTables(folder / THREADS, create_tables, self.map_errors)
        super().__init__(self.files)
        self._folder = folder
        self._names = folder / NAMES
        self._last = Note(folder / LAST)

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

    def names(self) -> dict[str, str]:
        hint = "`ana doctor --repair` sets the file aside; the conversations stay, without their names."
        return read_note(self._names, dict[str, str], hint) or {}

    def set_names(self, names: Mapping[str, str]) -> None:
        with self.map_errors():
            self._change_names(lambda known: {**known, **names})

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

    def dump_name(self, name: str) -> str:
        return name

    def _change_names(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        """Write all names after a change, while nobody else can; names that others gave meanwhile stay."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # without it the server hangs when it starts
        with owning(OwnerLock(self._names.with_suffix(".lock"), "The list of conversations"), ends=True):
            write_whole(self._names, json.dumps(change(self.names()), indent=1))
