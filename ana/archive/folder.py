"""Everything of a person in the files of a data folder."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ana.archive.parts import SCANNED, Row, list_columns, select_all, split_lines
from ana.archive.place import Place
from ana.backends.chroma.care.upkeep import open_store
from ana.backends.postgres.names import from_name, to_name
from ana.handles import DataHandles, choose_embedder
from ana.output import tell
from ana.tables import SqliteTables
from ana.workspace import Workspace
from ana.workspace.folder import FolderStorage

_FROM_FILE: dict[str, Callable[[Row], Row]] = {
    "checkpoints": lambda row: (*row[:4], bool(row[4]), *row[5:]),
    "trash": lambda row: (*row[:3], json.dumps(row[3]), "".join(f"{line}\n" for line in split_lines(row[4]))),
    "rings": lambda row: (row[0], to_name(row[1]), *row[2:4], bool(row[4])),
}
_TO_FILE: dict[str, Callable[[Row], Row]] = {
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
        self._connections: dict[Path, Any] = {}

    def scan(self, part: str) -> Iterator[Row]:
        file = self._find(part)
        if file.path.exists():
            yield from map(_FROM_FILE.get(part, _keep), self._open(file).execute(select_all(part)))

    def insert(self, part: str, rows: Iterable[Row]) -> None:
        columns, change = list_columns(part), _TO_FILE.get(part, _keep)
        insert = f"INSERT INTO {SCANNED[part][0]} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        for row in rows:
            self._open(self._find(part)).execute(insert, change(row))

    def _find(self, part: str) -> SqliteTables:
        is_of_ledger = part in ("rings", "failing")
        return self._storage.open_ledger_file() if is_of_ledger else self._storage.open_thread_store().files

    def _open(self, file: SqliteTables) -> Any:
        if file.path not in self._connections:
            self._connections[file.path] = self._opened.enter_context(file.open())
            self._connections[file.path].execute("BEGIN")
        return self._connections[file.path]


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
