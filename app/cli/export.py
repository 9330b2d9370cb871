"""`ana export`: write everything as lines of JSON."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Annotated

import typer

from ana.errors import UserError
from ana.files import open_draft
from ana.handles import open_data
from ana.output import tell, write_file
from ana.transfer.exporter import export_lines
from ana.workspace import Workspace
from app.show.text import pluralize
from app.startup import start

KINDS = {b'{"item"': "item", b'{"line"': "context line", b'{"change"': "change"}
"""The beginnings of an export's lines, and their contents."""


def export(
    to: Annotated[str, typer.Argument(help="The file; - for standard output; with --all, its name contains {user}.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    ics: Annotated[bool, typer.Option("--ics", help="Write a calendar file of open items with a date.")] = False,
) -> None:
    """Write every item, line and change as lines of JSON in a stable order; or write a calendar file."""
    if ics:
        _write_calendar(start(), to, force=force)
        return
    counts = write_export(start(), to, force=force)
    records = " and ".join([", ".join(counts[:-1]), counts[-1]])
    tell(f"Wrote {records} to {'standard output' if to == '-' else to}.")


def write_export(workspace: Workspace, to: str, *, force: bool = False) -> list[str]:
    """Write everything as lines of JSON into a file, or to standard output for `-`, and return the counts.

    Raises:
        UserError: The file exists and may not be replaced, or cannot be written.
    """
    path = _find_place(to, force=force)
    with _open_draft(path) as file, open_data(workspace, "ana export") as handles:
        counted: Counter[bytes] = Counter()
        for line in export_lines(handles.memory.backend):
            file.write(line)
            counted[line[: line.index(b":")]] += 1
    return [pluralize(counted[kind], name) for kind, name in KINDS.items()]


def _write_calendar(workspace: Workspace, to: str, *, force: bool) -> None:
    from ana.transfer.ics.writer import write_calendar

    path = _find_place(to, force=force)
    with open_data(workspace, "ana export --ics") as handles:
        data, count, notes = write_calendar(handles.memory.items(), handles.clock.zone)
    with _open_draft(path) as file:
        file.write(data)
    for note in [f"Wrote {pluralize(count, 'event')} to {'standard output' if path is None else to}.", *notes]:
        tell(note)


def _find_place(to: str, *, force: bool) -> Path | None:
    """Return the file to write, None for standard output. Raises UserError if it exists and may not be replaced."""
    if not to:
        raise UserError("The export needs a file.", "Give one, or - for standard output.")
    if to == "-":
        return None
    path = Path(to)
    if path.is_dir():
        raise UserError(f"{path} is a folder.", "Give a file.")
    if path.exists() and not path.is_file():  # it would be replaced, not written to: /dev/stdout, /dev/null
        raise UserError(f"{path} is not a regular file.", "Give one, or - for standard output.")
    if not force and path.exists() and path.stat().st_size:  # nothing is lost with an empty one
        raise UserError(f"{path} already exists.", "Give another file, or replace it with --force.")
    return path


@contextmanager
def _open_draft(path: Path | None) -> Iterator[IO[bytes]]:
    """Yield a private file that becomes `path`, or is printed, when it is complete."""
    try:
        with open_draft(path, 0o600) if path else TemporaryFile() as file:
            yield file
            if path is None:  # only now: the data folder is free again however slowly a pipe is read
                file.seek(0)
                write_file(file)
    except OSError as exc:
        raise UserError(
            f"{path or 'The export'} cannot be written: {exc.strerror or exc}.", "Choose another place."
        ) from exc
