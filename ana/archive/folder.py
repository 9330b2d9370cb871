"""What a person has besides items, in the files of a data folder."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

from ana.archive.parts import NOTES, Row, split_lines
from ana.backends.postgres.names import from_name, to_name
from ana.files import write_whole
from ana.keys import OWNER
from ana.own_files import is_trace
from ana.settings import OthersSettings
from ana.spending.folder import FolderBooks
from ana.spending.total import SpendingNote
from ana.threads.folder import NAMES, THREADS
from ana.tracing.files import TraceFiles
from ana.workspace.folder import FolderStorage

Read = Callable[[FolderStorage], Iterator[Row]]
Write = Callable[[FolderStorage, Iterable[Row]], None]


def _read_turns(storage: FolderStorage) -> Iterator[Row]:
    traces = TraceFiles(storage.traces_folder)
    for id in filter(lambda id: is_trace(f"{id}.jsonl"), traces.ids()):
        yield from ((id, line) for line in split_lines(traces.read_text(id)))


def _write_turns(storage: FolderStorage, rows: Iterable[Row]) -> None:
    traces = TraceFiles(storage.traces_folder)
    for id, lines in groupby(rows, itemgetter(0)):
        traces.put_back(id, "".join(f"{line}\n" for _, line in lines))


def _read_names(storage: FolderStorage) -> Iterator[Row]:
    names = storage.open_thread_store().names()
    return ((id, json.dumps(names[id])) for id in sorted(names))


def _write_names(storage: FolderStorage, rows: Iterable[Row]) -> None:
    if names := {id: json.loads(name) for id, name in rows}:
        write_whole(storage.folder / NAMES, json.dumps(names, indent=1))


def _read_last(storage: FolderStorage) -> Iterator[Row]:
    if last := storage.open_thread_store().last():
        yield (last,)


def _write_last(storage: FolderStorage, rows: Iterable[Row]) -> None:
    for (id,) in rows:
        storage.open_thread_store().set_last(id)


def _read_spending(storage: FolderStorage) -> Iterator[Row]:
    if note := FolderBooks(storage.folder).read():
        yield note.day, note.usd, note.most


def _write_spending(storage: FolderStorage, rows: Iterable[Row]) -> None:
    for row in rows:
        with FolderBooks(storage.folder).open() as books:
            books.write(SpendingNote(*row))


def _read_bills(storage: FolderStorage) -> Iterator[Row]:
    return ((line,) for line in split_lines(FolderBooks(storage.folder).read_ledger(0.0)))


def _write_bills(storage: FolderStorage, rows: Iterable[Row]) -> None:
    if bills := "\n".join(line for (line,) in rows):
        FolderBooks(storage.folder).append([bills])


def _read_settings(storage: FolderStorage) -> Iterator[Row]:
    personal = storage.read_settings()
    if personal and (fields := personal.dump()):
        yield (json.dumps(fields, sort_keys=True),)


def _write_settings(storage: FolderStorage, rows: Iterable[Row]) -> None:
    if storage.person != OWNER:  # whose settings are in .env
        for (fields,) in rows:
            storage.write_settings(OthersSettings.model_validate_json(fields))


def _read_notes(storage: FolderStorage) -> Iterator[Row]:
    texts = ((name, storage.note(name).read()) for name in NOTES)
    return ((name, text) for name, text in texts if text)


def _write_notes(storage: FolderStorage, rows: Iterable[Row]) -> None:
    for name, text in rows:
        if name in NOTES:  # a backup may come from anybody
            storage.note(name).write(text)


_FILES: dict[str, tuple[Read, Write]] = {
    "turns": (_read_turns, _write_turns),
    "thread_names": (_read_names, _write_names),
    "last_thread": (_read_last, _write_last),
    "spending": (_read_spending, _write_spending),
    "bills": (_read_bills, _write_bills),
    "settings": (_read_settings, _write_settings),
    "notes": (_read_notes, _write_notes),
}
"""How the rows of each table are read from files, and written to them."""

_READ = {
    "checkpoints": """SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, begins_turn, run_id, type,
        checkpoint, CAST(metadata AS TEXT)
        FROM checkpoints JOIN sequence USING (thread_id, checkpoint_ns, checkpoint_id) ORDER BY seq""",
    "writes": """SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, type, value
        FROM writes ORDER BY 1, 2, 3, 4, 5""",
    "emptied": "SELECT thread_id FROM emptied ORDER BY 1",
    "stopped": "SELECT run_id FROM stopped ORDER BY 1",
    "created": "SELECT thread_id, ts, metadata FROM created ORDER BY 1",
    "trash": "SELECT id, thread, ts, name, trace FROM trash ORDER BY rowid",
    "rings": "SELECT address, item, moment, attempts, delivered FROM rings ORDER BY number",
    "failing": "SELECT address, since, failures, tried, reason FROM failing ORDER BY 1",
}
_WRITE = {
    # a trigger enters the order, and what begins a turn
    "checkpoints": """INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,
        checkpoint, metadata) VALUES (?1, ?2, ?3, ?4, ?7, ?8, CAST(?9 AS BLOB))""",
    "writes": """INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, type,
        value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
    "emptied": "INSERT INTO emptied VALUES (?)",
    "stopped": "INSERT INTO stopped VALUES (?)",
    "created": "INSERT INTO created VALUES (?, ?, ?)",
    "trash": "INSERT INTO trash VALUES (?, ?, ?, ?, ?)",
    "rings": "INSERT INTO rings (address, item, moment, attempts, delivered) VALUES (?, ?, ?, ?, ?)",
    "failing": "INSERT INTO failing VALUES (?, ?, ?, ?, ?)",
}


def _same(row: Row) -> Row:
    return row


_FROM_FILE: dict[str, Callable[[Row], Row]] = {
    "checkpoints": lambda row: (*row[:4], bool(row[4]), *row[5:]),
    "trash": lambda row: (*row[:3], json.dumps(row[3]), "".join(f"{line}\n" for line in split_lines(row[4]))),
    "rings": lambda row: (row[0], to_name(row[1]), *row[2:4], bool(row[4])),
}
_TO_FILE: dict[str, Callable[[Row], Row]] = {
    "trash": lambda row: (*row[:3], json.loads(row[3]), row[4]),
    "rings": lambda row: (row[0], from_name(row[1]), *row[2:]),
}


class FolderRows:
    """A person's files as rows; a SQLite file is as it was when it was first read, and made when there is a row."""

    def __init__(self, storage: FolderStorage, opened: ExitStack) -> None:
        self._storage, self._opened = storage, opened

    def read(self, table: str) -> Iterator[Row]:
        if table in _FILES:
            yield from _FILES[table][0](self._storage)
        elif (self._storage.folder / ("reminders.sqlite" if table in ("rings", "failing") else THREADS)).exists():
            yield from map(_FROM_FILE.get(table, _same), self._open(table).execute(_READ[table]))

    def write(self, table: str, rows: Iterable[Row]) -> None:
        if table in _FILES:
            _FILES[table][1](self._storage, rows)
            return
        change = _TO_FILE.get(table, _same)
        for row in rows:
            self._open(table).execute(_WRITE[table], change(row))

    def _open(self, table: str) -> Any:
        return self._ledger if table in ("rings", "failing") else self._threads

    @cached_property
    def _threads(self) -> Any:
        threads = self._opened.enter_context(self._storage.open_thread_store().open_tables())
        threads.execute("BEGIN")
        return threads

    @cached_property
    def _ledger(self) -> Any:
        ledger = self._opened.enter_context(self._storage.open_ledger().open())
        ledger.execute("BEGIN")
        return ledger


@contextmanager
def open_rows(storage: FolderStorage) -> Iterator[FolderRows]:
    """Yield what is in a folder besides items; what is written to it is kept at the end, or nothing after an error."""
    with ExitStack() as opened:
        yield FolderRows(storage, opened)
