"""A person's data besides items, in the files of a data folder."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

from ana.archive.parts import Row, split_lines
from ana.backends.postgres.names import from_name, to_name
from ana.files import write_whole
from ana.keys import OWNER
from ana.own_files import OWN_NOTES, is_trace
from ana.settings import OthersSettings
from ana.spending.folder import FolderBooks
from ana.threads.folder import NAMES, THREADS
from ana.tracing.files import TraceFiles
from ana.workspace.folder import FolderStorage

_FILES = ("thread_names", "last_thread", "spending", "bills", "settings", "notes")
"""Tables in separate files instead of a SQLite file."""


def _read_file(storage: FolderStorage, table: str) -> Iterator[Row]:
    match table:
        case "thread_names":
            names = storage.open_thread_store().names()
            yield from ((id, json.dumps(names[id])) for id in sorted(names))
        case "last_thread":
            if last := storage.open_thread_store().last():
                yield (last,)
        case "spending":
            note = FolderBooks(storage.folder).read()
            if note.day:
                yield note.day, note.usd, note.most
        case "bills":
            yield from ((line,) for line in split_lines(FolderBooks(storage.folder).read_ledger(0.0)))
        case "settings":
            yield from _read_settings(storage)
        case "notes":
            yield from filter(itemgetter(1), ((name, storage.note(name).read()) for name in OWN_NOTES))


def _read_settings(storage: FolderStorage) -> Iterator[Row]:
    personal = storage.read_settings()
    if personal and (fields := personal.dump()):
        yield (json.dumps(fields, sort_keys=True),)


def _read_turns(traces: TraceFiles) -> Iterator[Row]:
    for id in filter(lambda id: is_trace(f"{id}.jsonl"), traces.ids()):
        yield from ((id, line) for line in split_lines(traces.read_text(id)))


def _write_file(storage: FolderStorage, table: str, rows: list[Row]) -> None:
    """Write the rows of a table, at least one, into its file; the owner's settings go to .env."""
    match table:
        case "thread_names":
            names = {id: json.loads(name) for id, name in rows}
            write_whole(storage.folder / NAMES, json.dumps(names, indent=1))
        case "last_thread":
            storage.open_thread_store().set_last(rows[0][0])
        case "spending":
            with FolderBooks(storage.folder).open() as note:
                note.day, note.usd, note.most = rows[0]
        case "bills":
            FolderBooks(storage.folder).append(["\n".join(line for (line,) in rows)])
        case "settings" if storage.person != OWNER:
            storage.write_settings(OthersSettings.model_validate_json(rows[0][0]))
        case "notes":
            for name, text in rows:
                if name in OWN_NOTES:  # a backup may come from anybody
                    storage.note(name).write(text)


def _write_turns(traces: TraceFiles, rows: Iterable[Row]) -> None:
    for id, lines in groupby(rows, itemgetter(0)):
        traces.put_back(id, "".join(f"{line}\n" for _, line in lines))


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


def _keep(row: Row) -> Row:
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
    """A person's files as rows. A SQLite file is read as of the first access, and created at the first row."""

    def __init__(self, storage: FolderStorage, opened: ExitStack) -> None:
        self._storage, self._opened = storage, opened

    def read(self, table: str) -> Iterator[Row]:
        if table == "turns":
            yield from _read_turns(TraceFiles(self._storage.traces_folder))
        elif table in _FILES:
            yield from _read_file(self._storage, table)
        elif (self._storage.folder / ("reminders.sqlite" if table in ("rings", "failing") else THREADS)).exists():
            yield from map(_FROM_FILE.get(table, _keep), self._open(table).execute(_READ[table]))

    def write(self, table: str, rows: Iterable[Row]) -> None:
        if table == "turns":
            _write_turns(TraceFiles(self._storage.traces_folder), rows)
            return
        if table in _FILES:
            if every := [*rows]:
                _write_file(self._storage, table, every)
            return
        change = _TO_FILE.get(table, _keep)
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
        ledger = self._opened.enter_context(self._storage.open_ledger_file().open())
        ledger.execute("BEGIN")
        return ledger


@contextmanager
def open_rows(storage: FolderStorage) -> Iterator[FolderRows]:
    """Yield a folder's data besides items; changes are saved together at the end, or not at all after an error."""
    with ExitStack() as opened:
        yield FolderRows(storage, opened)
