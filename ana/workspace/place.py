"""Checking whether the place of a deployment's data can be used."""

from tempfile import TemporaryFile

from ana.errors import AnaError, StoreBroken
from ana.workspace.workspace import Workspace

_BLOCK = bytes(4096)
"""What is written to try: less fits into a file system that has no room for anything else."""


PATIENCE = 3.0
"""Seconds to wait for a connection."""


def check_place(workspace: Workspace) -> None:
    """Raise StoreBroken, with a sentence that reveals nothing about people, if nothing can be stored at present."""
    if workspace.has_database:
        _check_database(workspace)
    else:
        _check_folder(workspace)


def _check_database(workspace: Workspace) -> None:
    try:
        with workspace.rows.database.connect(PATIENCE) as connection:
            connection.execute("SELECT 1")
    except AnaError as exc:
        raise StoreBroken("The database cannot be used; the log tells why.") from exc


def _check_folder(workspace: Workspace) -> None:
    try:
        with TemporaryFile(dir=workspace.folder, buffering=0) as file:  # it has no name, and is gone with a crash too
            file.write(_BLOCK)
    except OSError as exc:
        raise StoreBroken(f"The data folder cannot be written: {exc.strerror}.") from exc
