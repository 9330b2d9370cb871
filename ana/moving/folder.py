"""What a person has in a data folder."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.backends.postgres.names import from_name, to_name
from ana.files import SQLITE_SUFFIXES
from ana.handles import open_data
from ana.moving.copying import Side
from ana.moving.files import FILES
from ana.moving.rows import NOTES, Row, split_lines
from ana.own_files import CHROMA, DATABASES, is_trace
from ana.spending.folder import NOTE
from ana.spending.total import LEDGER
from ana.threads.folder import LAST, NAMES
from ana.workspace import Workspace
from ana.workspace.folder import SETTINGS, FolderStorage

PROGRAM = "ana move"

_FILES = tuple(f"{name}{suffix}" for name in DATABASES for suffix in SQLITE_SUFFIXES)
HELD = (CHROMA, *_FILES, NAMES, LAST, NOTE, LEDGER)
"""Files that hold something of a person's."""
MOVED = (*HELD, SETTINGS, *NOTES, "format.json", "generation")
"""What is exchanged for what comes out of the database."""

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
    """A person's files as the rows of PostgreSQL's tables."""

    def __init__(self, workspace: Workspace) -> None:
        storage = workspace.storage
        assert isinstance(storage, FolderStorage)
        self._storage = storage
        self._threads, self._ledger = storage.open_thread_store(), storage.open_ledger()

    def read(self, table: str) -> Iterator[Row]:
        if table in FILES:
            yield from FILES[table][0](self._storage)
            return
        change = _FROM_FILE.get(table, _same)
        with self._open(table) as db:
            yield from map(change, db.execute(_READ[table]))

    def write(self, table: str, rows: Iterable[Row]) -> None:
        if table in FILES:
            FILES[table][1](self._storage, rows)
            return
        change = _TO_FILE.get(table, _same)
        with self._open(table) as db:
            db.executemany(_WRITE[table], map(change, rows))

    def _open(self, table: str) -> Any:
        return self._ledger.open() if table in ("rings", "failing") else self._threads.open_tables()


@contextmanager
def open_folder(workspace: Workspace) -> Iterator[Side]:
    """Yield all that is in a data folder, while nobody else uses its store. Errors as of a command that opens it."""
    with open_data(workspace, PROGRAM) as handles:
        store = handles.upkeep.give_whole()
        with store.backend.alone():
            yield Side(store, FolderRows(workspace))


def list_held(workspace: Workspace) -> list[Path]:
    """Return the files and folders that hold something of the person's."""
    kept = [workspace.folder / name for name in HELD if (workspace.folder / name).exists()]
    return [*kept, *_list_traces(workspace)]


def exchange(source: Workspace, target: Workspace) -> None:
    """Give a folder the files of another; what was cut short goes on. The target's own were put aside."""
    target.traces_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _move_files(source, target.folder, target.traces_folder)


def put_aside(workspace: Workspace, name: str) -> None:
    """Put a person's files aside; what was cut short goes on under the same name."""
    if list_held(workspace):
        aside = workspace.name_aside(name)
        (aside / "traces").mkdir(parents=True, exist_ok=True, mode=0o700)
        _move_files(workspace, aside, aside / "traces")


def _move_files(source: Workspace, folder: Path, traces: Path) -> None:
    for name in MOVED:
        if (source.folder / name).exists():
            (source.folder / name).rename(folder / name)
    for file in _list_traces(source):
        shutil.move(file, traces / file.name)  # they may be on another disk


def _list_traces(workspace: Workspace) -> list[Path]:
    folder = workspace.traces_folder
    return [path for path in folder.iterdir() if is_trace(path.name)] if folder.is_dir() else []
