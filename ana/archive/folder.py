"""Everything of a person in the files of a data folder."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ana.archive.parts import ORDER, SCANNED, TABLES, Row, split_lines
from ana.archive.place import Place
from ana.backends.chroma.care.upkeep import open_store
from ana.backends.postgres.names import from_name, to_name
from ana.handles import DataHandles, choose_embedder
from ana.output import tell
from ana.threads.folder import THREADS
from ana.workspace import Workspace
from ana.workspace.folder import FolderStorage

_FILES = dict.fromkeys(("rings", "failing"), "reminders.sqlite")
"""The files of tables that are not of conversations."""

_COLUMNS = {table: ", ".join(columns) for table, columns in TABLES.items()} | {
    "checkpoints": "thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "thread_id, checkpoint_ns, checkpoint_id, task_id, idx, task_path, channel, type, value",
    "emptied": "thread_id",
    "stopped": "run_id",
    "created": "thread_id, ts, metadata",
}
"""The columns of tables in the files; of a checkpoint those that a trigger does not fill."""

_READ = {table: f"SELECT {_COLUMNS[table]} FROM {table} ORDER BY {ORDER.get(table, '1')}" for table in SCANNED} | {
    "checkpoints": """SELECT thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, begins_turn, run_id, type,
        checkpoint, CAST(metadata AS TEXT)
        FROM checkpoints JOIN sequence USING (thread_id, checkpoint_ns, checkpoint_id) ORDER BY seq""",
    "trash": "SELECT id, thread, ts, name, trace FROM trash ORDER BY rowid",
}
_FROM_FILE: dict[str, Callable[[Row], Row]] = {
    "checkpoints": lambda row: (*row[:4], bool(row[4]), *row[5:]),
    "trash": lambda row: (*row[:3], json.dumps(row[3]), "".join(f"{line}\n" for line in split_lines(row[4]))),
    "rings": lambda row: (row[0], to_name(row[1]), *row[2:4], bool(row[4])),
}
_TO_FILE: dict[str, Callable[[Row], Row]] = {
    "checkpoints": lambda row: (*row[:4], *row[6:8], str(row[8]).encode()),
    "trash": lambda row: (*row[:3], json.loads(row[3]), row[4]),
    "rings": lambda row: (row[0], from_name(row[1]), *row[2:]),
}


def _keep(row: Row) -> Row:
    return row


class _FileTables:
    """The tables in SQLite files. A file is read as of the first access, and created at the first row.

    Args:
        opened: Saves all changes at its end, or none after an error.
    """

    def __init__(self, storage: FolderStorage, opened: ExitStack) -> None:
        self._storage, self._opened = storage, opened
        self._connections: dict[str, Any] = {}

    def scan(self, table: str) -> Iterator[Row]:
        if (self._storage.folder / _FILES.get(table, THREADS)).exists():
            yield from map(_FROM_FILE.get(table, _keep), self._open(table).execute(_READ[table]))

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        columns, change = _COLUMNS[table], _TO_FILE.get(table, _keep)
        marks = ", ".join("?" for _ in columns.split(","))
        for row in rows:
            self._open(table).execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", change(row))

    def _open(self, table: str) -> Any:
        file, storage = _FILES.get(table, THREADS), self._storage
        if file not in self._connections:
            opening = (
                storage.open_thread_store().open_tables() if file == THREADS else storage.open_ledger_file().open()
            )
            self._connections[file] = self._opened.enter_context(opening)
            self._connections[file].execute("BEGIN")
        return self._connections[file]


@contextmanager
def open_used_folder(handles: DataHandles) -> Iterator[Place]:
    """Yield the contents of a folder that others may use meanwhile."""
    storage = handles.workspace.storage
    assert isinstance(storage, FolderStorage)
    with ExitStack() as opened:
        yield Place(handles.upkeep.store, storage, handles.settings, _FileTables(storage, opened))


@contextmanager
def open_folder(workspace: Workspace, folder: Path, bound: str | None) -> Iterator[Place]:
    """Yield the contents of a folder that nobody else uses.

    Args:
        folder: A folder with the subfolders `data` and `traces`.
        bound: The embedder of its vectors, or of future ones.
    """
    embedder = choose_embedder(workspace, bound)
    backend, _ = open_store(folder / "data", embedder, "ana restore", workspace.person, tell, lambda _: None)
    storage = FolderStorage(workspace.person, folder / "data", folder / "traces", folder / "people")
    try:
        with backend.alone(), ExitStack() as opened:
            yield Place(backend, storage, workspace.settings, _FileTables(storage, opened))
    finally:
        backend.close()
