"""What is in files of its own in a data folder, and not in a SQLite file, as rows."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from ana.files import write_whole
from ana.moving.rows import NOTES, Row, split_lines
from ana.own_files import is_trace
from ana.settings import OthersSettings
from ana.spending.folder import FolderBooks
from ana.spending.total import SpendingNote
from ana.threads.folder import NAMES
from ana.tracing.files import TraceFiles
from ana.tracing.lines import find_id
from ana.workspace.folder import FolderStorage

Read = Callable[[FolderStorage], Iterator[Row]]
Write = Callable[[FolderStorage, Iterable[Row]], None]


def _read_turns(storage: FolderStorage) -> Iterator[Row]:
    traces = TraceFiles(storage.traces_folder)
    for id in filter(lambda id: is_trace(f"{id}.jsonl"), traces.ids()):
        for line in split_lines(traces.read_text(id)):
            yield id, find_id(line, id, "Install the newer one."), line


def _write_turns(storage: FolderStorage, rows: Iterable[Row]) -> None:
    traces = TraceFiles(storage.traces_folder)
    for id, lines in groupby(rows, itemgetter(0)):
        traces.put_back(id, "".join(f"{line}\n" for *_, line in lines))


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
    if personal := storage.read_settings():
        yield (json.dumps(personal.dump(), sort_keys=True),)


def _write_settings(storage: FolderStorage, rows: Iterable[Row]) -> None:
    for (fields,) in rows:
        storage.write_settings(OthersSettings.model_validate_json(fields))


def _read_notes(storage: FolderStorage) -> Iterator[Row]:
    texts = ((name, storage.note(name).read()) for name in NOTES)
    return ((name, text) for name, text in texts if text)


def _write_notes(storage: FolderStorage, rows: Iterable[Row]) -> None:
    for name, text in rows:
        storage.note(name).write(text)


FILES: dict[str, tuple[Read, Write]] = {
    "turns": (_read_turns, _write_turns),
    "thread_names": (_read_names, _write_names),
    "last_thread": (_read_last, _write_last),
    "spending": (_read_spending, _write_spending),
    "bills": (_read_bills, _write_bills),
    "settings": (_read_settings, _write_settings),
    "notes": (_read_notes, _write_notes),
}
"""How the rows of each table are read from files, and written to them."""
