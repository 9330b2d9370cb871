"""A person's data besides items, as rows: through the doors that everybody uses, or from tables that have none."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from ana.archive.parts import NOTES, SCANNED, Row, split_lines
from ana.own_files import is_trace
from ana.settings import OthersSettings, Settings
from ana.workspace.storage import Storage


class Tables(Protocol):
    """A person's conversations and the ledger of their reminders."""

    def scan(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table, in the order in which they were written, or that of their keys."""

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows into an empty table."""


class PersonalRows:
    """A person's data besides items in one place.

    Args:
        storage: What keeps it.
        tables: Those in the same place.
    """

    def __init__(self, storage: Storage, settings: Settings, tables: Tables) -> None:
        self._storage, self._tables = storage, tables
        self._traces, self._books = storage.open_traces(settings), storage.open_books(settings)

    def read(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table."""
        if table in SCANNED:
            yield from self._tables.scan(table)
        elif table == "turns":
            for id in filter(lambda id: is_trace(f"{id}.jsonl"), self._traces.ids()):
                yield from ((id, line) for line in split_lines(self._traces.read_text(id)))
        else:
            yield from self._read_notes(table)

    def write(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows into an empty table; a note only if it is one, because a backup may come from anybody."""
        if table in SCANNED:
            self._tables.insert(table, rows)
        elif table == "turns":
            for id, lines in groupby(rows, itemgetter(0)):
                self._traces.put_back(id, "".join(f"{line}\n" for _, line in lines))
        elif every := [*rows]:
            self._write_notes(table, every)

    def _read_notes(self, table: str) -> Iterator[Row]:
        match table:
            case "thread_names":
                names = self._storage.open_thread_store().names()
                yield from ((id, json.dumps(names[id])) for id in sorted(names))
            case "last_thread":
                if last := self._storage.open_thread_store().last():
                    yield (last,)
            case "spending":
                note = self._books.read()
                if note.day:
                    yield note.day, note.usd, note.most
            case "bills":
                yield from ((line,) for line in split_lines(self._books.read_ledger(0.0)))
            case "settings":
                personal = self._storage.read_settings()
                if personal and (fields := personal.dump()):
                    yield (json.dumps(fields, sort_keys=True),)
            case "notes":
                yield from filter(itemgetter(1), ((name, self._storage.note(name).read()) for name in NOTES))

    def _write_notes(self, table: str, rows: list[Row]) -> None:
        match table:
            case "thread_names":
                self._storage.open_thread_store().set_names({id: json.loads(name) for id, name in rows})
            case "last_thread":
                self._storage.open_thread_store().set_last(rows[0][0])
            case "spending":
                with self._books.open() as note:
                    note.day, note.usd, note.most = rows[0]
            case "bills":
                self._books.append([line for (line,) in rows])
            case "settings":
                self._storage.write_settings(OthersSettings.model_validate_json(rows[0][0]))
            case "notes":
                for name, text in rows:
                    if name in NOTES:
                        self._storage.note(name).write(text)
