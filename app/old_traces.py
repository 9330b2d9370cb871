"""Traces that an earlier version kept in the project, whatever the data folder was, are moved to their data folder."""

import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ana.locks import OwnerLock
from ana.output import tell
from ana.settings import PROJECT, TRACES, Settings, is_checkout

OLD = PROJECT / TRACES


def move_old_traces(settings: Settings, old: Path = OLD) -> None:
    """Move the traces of this data folder's conversations into it, and say so.

    All others stay: they are of another data folder, which fetches them when it is used, or of deleted conversations.
    A move that is cut short goes on at the next start: the new folder gets its name when everything is in it.

    Args:
        settings: The settings; nothing is done if they name a folder of traces.
        old: Where traces were kept before.
    """
    data, new = settings.ana_data_dir, settings.ana_data_dir / TRACES
    saver = data / "threads.sqlite"
    if settings.traces_dir != new or new.exists() or not saver.exists() or not list_old_traces(settings, old):
        return
    try:
        ids = _read_ids(saver)
    except sqlite3.Error:  # `ana doctor` says what is wrong with it
        return
    lock = OwnerLock(data / f"{TRACES}.lock", "The folder of the traces")
    lock.acquire()
    try:
        if not new.exists():  # another process may have been faster
            _move(ids, old, new)
    finally:
        lock.release()


def list_old_traces(settings: Settings, old: Path = OLD) -> list[Path]:
    """Return the traces that are still where an earlier version kept them, unless the settings name that folder."""
    return [] if settings.traces_dir == old or not is_checkout() else sorted(old.glob("*.jsonl"))


def _read_ids(saver: Path) -> list[str]:
    from graph.checkpoints import thread_ids  # which takes half a second to import

    return thread_ids(saver)


def _move(ids: Iterable[str], old: Path, new: Path) -> None:
    draft = new.with_name(f"{TRACES}.new")
    draft.mkdir(exist_ok=True)
    for id in ids:
        if (old / f"{id}.jsonl").exists():
            _move_file(old / f"{id}.jsonl", draft / f"{id}.jsonl")
    count = len(list(draft.iterdir()))
    draft.rename(new)
    if count:
        tell(f"The traces of {count} conversations are now in {new}; they were in {old}.")
    with suppress(OSError):  # it still holds others
        old.rmdir()


def _move_file(file: Path, to: Path) -> None:
    try:
        file.replace(to)
    except OSError:  # another file system
        to.unlink(missing_ok=True)  # what a move that was cut short has left, or a link
        shutil.copy2(file, to)
        with to.open("rb") as copied:
            os.fsync(copied.fileno())
        file.unlink()
