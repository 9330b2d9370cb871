"""Writing everything of one person into one file, even while it is in use."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ana.archive.archive import Manifest, write_archive
from ana.archive.folder import open_rows
from ana.archive.side import Side
from ana.backends.chroma.care.files import name_copy
from ana.errors import UserError
from ana.handles import DataHandles
from ana.workspace.folder import FolderStorage


def back_up(handles: DataHandles, to: Path) -> Manifest:
    """Write everything of one person into one file, even while it is in use, and return its manifest.

    Raises:
        UserError: The file already exists, or cannot be written.
        StoreBroken: Some of the data is damaged.
    """
    if to.exists():
        raise UserError(f"{to} already exists.", "Choose another file, or delete it first.")
    try:
        with open_side(handles) as side:
            return write_archive(side, handles.workspace.person, to)
    except OSError as exc:
        raise UserError(f"The backup {to} cannot be written: {exc.strerror or exc}.", "Choose another place.") from exc


def back_up_before(handles: DataHandles, event: str) -> Path:
    """Write a backup into the data folder before a risky change, and return its path."""
    copy = name_copy(handles.workspace.folder, f"before-{event}")
    back_up(handles, to := copy.with_name(f"{copy.name}.zip"))
    return to


@contextmanager
def open_side(handles: DataHandles) -> Iterator[Side]:
    """Yield everything of one person; from a database, and conversations from a folder, as of one moment."""
    workspace = handles.workspace
    if workspace.has_database:
        from ana.archive.database import open_person
        from ana.postgres.database import READ

        rows, embedder = workspace.rows, handles.care.embedder
        with (
            rows.database.transaction(rows.number, READ) as session,
            open_person(rows.database, session, rows.person, embedder) as side,
        ):
            yield side
        return
    storage = workspace.storage
    assert isinstance(storage, FolderStorage)
    with open_rows(storage) as tables:
        yield Side(handles.upkeep.give_whole(), tables, handles.memory.backend.alone)
