"""Traces that an earlier version kept in the project, whatever the data folder was, are moved to their data folder."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ana.locks import OwnerLock
from ana.output import tell
from ana.settings import PROJECT, TRACES
from ana.workspace import Workspace

OLD = PROJECT / TRACES


def move_old_traces(workspace: Workspace, old: Path = OLD) -> None:
    """Move the traces of this data folder's conversations into it, and say so.

    All others stay: they are of another data folder, which fetches them when it is used, or of deleted conversations.
    A move that is cut short goes on at the next start: the new folder gets its name when everything is in it.

    Args:
        workspace: The person's; nothing is done if its settings name a folder of traces.
        old: Where traces were kept before.
    """
    new = workspace.folder / TRACES
    if workspace.traces_folder != new or new.exists() or not list_old_traces(workspace, old):
        return
    store = workspace.open_thread_store()
    try:
        ids = store.ids()
    except store.errors:  # `ana doctor` says what is wrong with it
        return
    if not ids:
        return
    lock = OwnerLock(workspace.folder / f"{TRACES}.lock", "The folder of the traces")
    lock.acquire()
    try:
        if not new.exists():  # another process may have been faster
            _move(ids, old, new)
    finally:
        lock.release()


def list_old_traces(workspace: Workspace, old: Path = OLD) -> list[Path]:
    """Return the traces that are still where an earlier version kept them, unless the settings name that folder."""
    return [] if workspace.traces_folder == old else sorted(old.glob("*.jsonl"))


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
