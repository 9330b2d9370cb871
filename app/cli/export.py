"""`ana export`: everything as lines of JSON."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from ana.errors import UserError
from ana.handles import open_data_folder
from ana.output import write_json_lines
from ana.settings import Settings
from app.startup import start


def export(to: Annotated[str, typer.Argument(help="The file; - for standard output.")]) -> None:
    """Write every item, line and change as lines of JSON, in an order that does not change."""
    write_export(start(), to)


def write_export(settings: Settings, to: str) -> None:
    """Write everything as lines of JSON into a file, or to standard output for `-`.

    Raises:
        UserError: The file is not an export, or cannot be written.
    """
    from ana.transfer.exporter import export_lines

    if not to:
        raise UserError("The export needs a file.", "Name one, or - for standard output.")
    path = None if to == "-" else Path(to)
    if path is not None:
        _refuse_other_files(path)
    with open_data_folder(settings, "ana export") as handles, _open_draft(path) as file:
        file.writelines(export_lines(handles.backend))
        if path is None:
            # A draft first, also for a pipe: the folder is free again however slowly the pipe is read.
            file.seek(0)
            write_json_lines(file)
            return
        file.flush()
        os.fsync(file.fileno())
        Path(file.name).replace(path)


@contextmanager
def _open_draft(path: Path | None) -> Iterator[IO[bytes]]:
    """A temporary file that only its owner can read, beside `path` so that it can be renamed to it."""
    try:
        with tempfile.NamedTemporaryFile(
            dir=path and path.parent, prefix=f".{path.name}." if path else None, suffix=".part", delete=False
        ) as file:
            try:
                yield file
            finally:
                Path(file.name).unlink(missing_ok=True)
    except OSError as exc:
        raise UserError(
            f"{path or 'The export'} cannot be written: {exc.strerror or exc}.", "Choose another place."
        ) from exc


def _refuse_other_files(path: Path) -> None:
    """Raise unless nothing is lost by writing there: no file, an empty one, or an earlier export."""
    from ana.transfer.bundle import is_export

    if path.exists() and (path.is_dir() or (path.stat().st_size and not is_export(path))):
        raise UserError(f"{path} exists already and is not an export.", "Name another file.")
