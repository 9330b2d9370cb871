"""Writing everything of one person into one file, even while it is in use."""

from contextlib import AbstractContextManager
from pathlib import Path

from ana.archive.archive import Manifest, write_archive
from ana.archive.folder import open_used_folder
from ana.archive.place import Place
from ana.backends.chroma.care.files import name_copy
from ana.errors import UserError
from ana.handles import DataHandles


def back_up(handles: DataHandles, to: Path) -> Manifest:
    """Write everything of one person into one file, even while it is in use, and return its manifest.

    Raises:
        UserError: The file already exists, or cannot be written.
        StoreBroken: Some of the data is damaged.
    """
    if to.exists():
        raise UserError(f"{to} already exists.", "Choose another file, or delete it first.")
    try:
        with open_place(handles) as place:
            return write_archive(place, handles.workspace.person, to)
    except OSError as exc:
        raise UserError(f"The backup {to} cannot be written: {exc.strerror or exc}.", "Choose another place.") from exc


def back_up_before_import(handles: DataHandles) -> Path | None:
    """Write a backup into the data folder before an import with its own history, which undo cannot take back as one
    turn. Return its path; None where nothing was written yet, or a database keeps the data.
    """
    if handles.find_upkeep() is None or not handles.memory.turns(limit=1):
        return None
    copy = name_copy(handles.workspace.folder, "before-import")
    back_up(handles, to := copy.with_name(f"{copy.name}.zip"))
    return to


def open_place(handles: DataHandles) -> AbstractContextManager[Place]:
    """Yield everything of one person; from a database, and conversations from a folder, as of one moment."""
    if handles.workspace.has_database:
        from ana.archive.database import open_used_person

        return open_used_person(handles)
    return open_used_folder(handles)
