"""Everything of one person in one place, read and filled through the doors that everybody uses, or by whole tables."""

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Protocol, TypeVar

from ana.archive.parts import JOURNAL, RECORDS, SCANNED, Row, split_lines
from ana.backends.ports import WholeStore
from ana.notes import write_value
from ana.own_files import OWN_NOTES, is_trace
from ana.settings import OthersSettings, Settings
from ana.spending.day import DayNote, parse_day
from ana.workspace.storage import Storage

PAGE = 200
"""Records or entries that are written together."""

T = TypeVar("T")


class Tables(Protocol):
    """A person's conversations and the ledger of their reminders."""

    def scan(self, part: str) -> Iterator[Row]:
        """Yield the rows of a part, in the order in which they were written, or that of their keys."""

    def insert(self, part: str, rows: Iterable[Row]) -> None:
        """Insert rows into an empty table."""


class Place:
    """Everything of one person in a folder or a database, which can be filled if it is empty.

    Args:
        storage: The storage of everything but items; the tables are passed separately.
        embedder_name: The embedder of the vectors; None for that of the store.
    """

    def __init__(
        self, store: WholeStore, storage: Storage, settings: Settings, tables: Tables, embedder_name: str | None = None
    ) -> None:
        self._store, self._storage, self._tables, self._embedder_name = store, storage, tables, embedder_name
        self._traces = storage.open_traces(settings)

    @property
    def embedder_name(self) -> str:
        """Return the name of the embedder of the vectors."""
        return self._embedder_name or self._store.embedder_name

    def alone(self) -> AbstractContextManager[object]:
        """Keep others from writing records and journal."""
        return self._store.alone()

    def numbers(self) -> tuple[int, int]:
        """Return the number of the last entry ever made, and the number of the next line."""
        return self._store.position()[0], self._store.next_line_number()

    def read(self, part: str) -> Iterator[Any]:
        """Yield the rows of a part."""
        if part in RECORDS:
            yield from self._store.scan_vectors(RECORDS[part])
        elif part == JOURNAL:
            yield from reversed(self._store.entries())
        elif part in SCANNED:
            yield from self._tables.scan(part)
        elif part == "turns":
            for id in filter(lambda id: is_trace(f"{id}.jsonl"), self._traces.ids()):
                yield from ((id, line) for line in split_lines(self._traces.read_text(id)))
        else:
            yield from self._read_notes(part)

    def write(self, part: str, rows: Iterable[Any]) -> None:
        """Fill a part with the rows of a source."""
        if part in RECORDS:
            for page in split(rows, PAGE):
                self._store.take_records(RECORDS[part], page)
        elif part == JOURNAL:
            for page in split(rows, PAGE):
                self._store.take_entries(page)
        elif part in SCANNED:
            self._tables.insert(part, rows)
        elif part == "turns":
            for id, lines in groupby(rows, itemgetter(0)):
                self._traces.put_back(id, "".join(f"{line}\n" for _, line in lines))
        elif every := [*rows]:
            self._write_notes(part, every)

    def write_numbers(self, last_entry: int, next_line: int) -> None:
        """Make sure that no number is used twice."""
        self._store.take_numbers(last_entry, next_line)

    def _read_notes(self, table: str) -> Iterator[Row]:
        match table:
            case "thread_names":
                names = self._storage.open_thread_store().names()
                yield from ((id, json.dumps(names[id])) for id in sorted(names))
            case "last_thread":
                if last := self._storage.open_thread_store().last():
                    yield (last,)
            case "spending":
                note = parse_day(self._storage.note("spending.json").read())
                if note.day:
                    yield note.day, note.usd, note.most
            case "bills":
                yield from ((line,) for line in split_lines(self._storage.read_bills()))
            case "settings":
                personal = self._storage.read_settings()
                if personal and (fields := personal.dump()):
                    yield (json.dumps(fields, sort_keys=True),)
            case "notes":
                yield from filter(itemgetter(1), ((name, self._storage.note(name).read()) for name in OWN_NOTES))

    def _write_notes(self, table: str, rows: list[Row]) -> None:
        match table:
            case "thread_names":
                self._storage.open_thread_store().set_names({id: json.loads(name) for id, name in rows})
            case "last_thread":
                self._storage.open_thread_store().set_last(rows[0][0])
            case "spending":
                write_value(self._storage.note("spending.json"), DayNote(*rows[0]))
            case "bills":
                self._storage.add_bills([line for (line,) in rows])
            case "settings":
                self._storage.write_settings(OthersSettings.model_validate_json(rows[0][0]))
            case "notes":
                for name, text in rows:
                    if name in OWN_NOTES and isinstance(text, str):  # a backup may come from anybody
                        self._storage.note(name).write(text)


def split(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield rows in pages of limited size."""
    rest = iter(rows)
    while page := [*islice(rest, size)]:
        yield page
