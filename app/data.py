"""`ana export`, `import`, `backup` and `restore`: everything out, and in again."""

import os
import sys
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.handles import opened
from ana.settings import Settings
from app.show import say

if TYPE_CHECKING:
    from ana.store.bundle import Bundle


def export(settings: Settings, to: str) -> None:
    """Write everything as lines of JSON into a file, or to standard output for `-`.

    Raises:
        UserError: The file is something else, or cannot be written.
    """
    from ana.store.export import exported

    with opened(settings, "ana export") as handles:
        if to == "-":
            sys.stdout.buffer.writelines(exported(handles.memory))
            return
        path = Path(to)
        _refuse_others(path)
        draft = path.with_name(f".{path.name}.part")
        try:
            draft.touch(0o600)
            with draft.open("wb") as file:
                file.writelines(exported(handles.memory))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as exc:
            raise UserError(f"{path} cannot be written: {exc.strerror}.", "Choose another place.") from exc
        finally:
            draft.unlink(missing_ok=True)


def bring_in(settings: Settings, path: Path, *, replace: bool) -> None:
    """Import a file or folder, and say what came of it.

    Raises:
        UserError: It cannot be read; nothing was changed.
    """
    from ana.store.bring_in import bring_in as bring

    with opened(settings, "ana import") as handles:
        try:
            bundle = _read(path, handles.clock.zone)
        except OSError as exc:
            raise UserError(f"{path} cannot be read: {exc.strerror or exc}.", "Nothing was changed.") from exc
        done = bring(handles.memory, bundle, replace=replace)
    say(f"{done.new} new, {done.same} were here already.")
    if done.differing and replace:
        say(f"{len(done.differing)} were something else here and are now as the file says.")
    elif done.differing:
        ids = ", ".join(done.differing[:10]) + (", ..." if len(done.differing) > 10 else "")
        say(f"{len(done.differing)} are something else here, or were deleted here, and were left so: {ids}.")
        say("--replace makes them what the file says.")
    if done.turn:
        say(f"To take it back: ana undo --turn {done.turn}")


def backup(settings: Settings, to: Path) -> None:
    """Write everything, conversations and traces included, into one file.

    Raises:
        UserError: The file is there already, or cannot be written.
    """
    from ana.store.backup import write_backup

    with opened(settings, "ana backup") as handles:
        count = write_backup(handles.memory.folder, settings.traces_dir, to)
    say(f"{count} files are in {to}.")


def restore(settings: Settings, backup: Path) -> None:
    """Make everything what it was when a backup was written.

    Raises:
        UserError: It cannot be used; nothing was changed.
    """
    from ana.store.backup import restore as put_back

    with opened(settings, "ana restore") as handles:
        before = put_back(handles.memory.folder, settings.traces_dir, backup)
        items = handles.memory.items.count()
    say(f"Everything is as it was in {backup}: {items} items. What was here before is in {before}.")


def _read(path: Path, zone: tzinfo) -> "Bundle":
    from ana.store.bundle import Bundle, is_export, read_export
    from ana.store.foreign.detect import reader_of

    if path.is_file() and is_export(path):
        return read_export(path)
    reader = reader_of(path)
    if reader is None:
        raise UserError(
            f"{path} is nothing that can be imported.",
            "An export of ana can, Taskwarrior's JSON, Todoist's CSV, and a Chroma folder of the agent-native-app.",
        )
    brought = reader(path, zone)
    return Bundle(items=brought.items, texts=brought.lines)


def _refuse_others(path: Path) -> None:
    """Only an export is written over."""
    from ana.store.bundle import is_export

    if path.exists() and (path.is_dir() or (path.stat().st_size and not is_export(path))):
        raise UserError(f"{path} is there already and is no export.", "Name another file.")
