"""`ana export`, `import`, `backup` and `restore`: everything out, and in again."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ana.errors import UserError
from ana.handles import opened
from ana.settings import Settings
from app.show.text import counted, say

if TYPE_CHECKING:
    from ana.handles import FolderHandles
    from ana.transfer.bundle import Bundle


def export(settings: Settings, to: str) -> None:
    """Write everything as lines of JSON into a file, or to standard output for `-`.

    Raises:
        UserError: The file is something else, or cannot be written.
    """
    from ana.transfer.exporter import export_lines

    if not to:
        raise UserError("The export needs a file.", "Name one, or - for standard output.")
    path = None if to == "-" else Path(to)
    if path is not None:
        _refuse_others(path)
    with opened(settings, "ana export") as handles, _draft(path) as file:
        file.writelines(export_lines(handles.backend))
        if path is None:  # the folder is free again however slowly it is read
            file.seek(0)
            shutil.copyfileobj(file, sys.stdout.buffer)
            return
        file.flush()
        os.fsync(file.fileno())
        Path(file.name).replace(path)


@contextmanager
def _draft(path: Path | None) -> Iterator[IO[bytes]]:
    """A file of its own to write into, only for its owner's eyes; beside the one that it becomes, if it becomes one."""
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


def bring_in(settings: Settings, path: Path, *, replace: bool) -> None:
    """Import a file or folder, and say what came of it.

    Raises:
        UserError: It cannot be read; nothing was changed.
    """
    from ana.transfer.importer import import_bundle

    with opened(settings, "ana import") as handles:
        try:
            bundle = _read(path, handles.clock.zone)
        except OSError as exc:
            raise UserError(f"{path} cannot be read: {exc.strerror or exc}.", "Nothing was changed.") from exc
        before = _backed_up(handles) if bundle.changes else None
        done = import_bundle(handles.memory, bundle, replace=replace)
    say(f"{done.new} new, {done.unchanged} were here already.")
    if done.conflicting and replace:
        say(f"{len(done.conflicting)} were something else here and are now as the file says.")
    elif done.conflicting:
        ids = ", ".join(done.conflicting[:10]) + (", ..." if len(done.conflicting) > 10 else "")
        say(f"{len(done.conflicting)} are something else here, or were deleted here, and were left so: {ids}.")
        say("--replace makes them what the file says.")
    if done.turn:
        say(f"To take it back: ana undo --turn {done.turn}")
    elif before and done.new:
        say(f"It came with its own history. To go back to before it: ana restore {before}")


def backup(settings: Settings, to: Path) -> None:
    """Write everything, conversations and traces included, into one file.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    from ana.backends.chroma.care.backup import write_backup

    with opened(settings, "ana backup") as handles:
        count = write_backup(handles.backend.folder, settings.traces_dir, to)
    say(f"{count} files are in {to}.")


def restore(settings: Settings, backup: Path) -> None:
    """Make everything what it was when a backup was written.

    Raises:
        UserError: It cannot be used; nothing was changed.
    """
    from ana.backends.chroma.care.restore import restore as put_back

    with opened(settings, "ana restore") as handles:
        before = put_back(handles.backend.folder, settings.traces_dir, backup)
        say(f"Everything is as it was in {backup}. What was here before is in {before}.")
        say(f"{counted(handles.memory.count(), 'item')}.")


def _backed_up(handles: "FolderHandles") -> Path | None:
    """A backup from before records come in with a history of their own, which no undo takes back as one."""
    from ana.backends.chroma.care.backup import own_backup_path, write_backup

    if not handles.memory.turns():
        return None
    to = own_backup_path(handles.backend.path, "before-import")
    write_backup(handles.backend.folder, handles.settings.traces_dir, to)
    return to


def _read(path: Path, zone: tzinfo) -> "Bundle":
    from ana.transfer.bundle import Bundle, is_export, read_export
    from ana.transfer.foreign.detect import find_reader

    if path.is_file() and is_export(path):
        return read_export(path)
    reader = find_reader(path)
    if reader is None:
        raise UserError(
            f"{path} is nothing that can be imported.",
            "An export of ana can, Taskwarrior's JSON, Todoist's CSV, and a Chroma folder of the agent-native-app.",
        )
    brought = reader(path, zone)
    return Bundle(items=brought.items, texts=brought.lines)


def _refuse_others(path: Path) -> None:
    """Only an export is written over."""
    from ana.transfer.bundle import is_export

    if path.exists() and (path.is_dir() or (path.stat().st_size and not is_export(path))):
        raise UserError(f"{path} is there already and is no export.", "Name another file.")
