"""Rebuilding a damaged Chroma: it is set aside, and made again from its documents and metadata.

Damage is in the files of the vector index, which Chroma rewrites in place; its SQLite file survives a kill. So that
file is copied back and everything in it is embedded again. If that file cannot be read either, the caller stores the
records known to the journal and the derived index in a new Chroma. Until the end a note says that a rebuild is going
on, and where the damaged files are, so that the next process after a crash begins again with them.
"""

import json
import logging
import re
import shutil
import sqlite3
import tempfile
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana.backends.chroma.care.exchange import REBUILDING, embed_again
from ana.backends.chroma.care.files import FOLDER as BACKUPS
from ana.backends.chroma.care.probe import find_fault
from ana.backends.chroma.client import DATABASE, map_foreign_errors, open_chroma, refuse_damaged
from ana.backends.chroma.collection import INDEXES, NAMES
from ana.backends.chroma.source import READ, iter_pages
from ana.embedders import Embedder
from ana.errors import AnaError, FileUnreadable, StoreBroken
from ana.files import is_damage, list_database_files, write_whole
from ana.memory.item import Item, from_json
from ana.notes import read_note
from ana.own_files import name_folder
from ana.stopping import Progress

ASIDE = "set-aside"
"""The folder, in the data folder, for damaged files."""

ROOM = 20_000_000
"""Bytes that must be free for a failure to be Chroma's own, and not the disk's."""

_ASIDE = re.compile(r"\A\d{8}T\d{12}Z\Z")
"""What each of them is called: when it was made."""

_OF_CONVERSATIONS = ("threads.sqlite", "thread_names.json")
"""Files set aside by a repair that hold no records."""


@dataclass(frozen=True)
class RebuildNote:
    """The subfolder with the damaged files of this rebuild."""

    aside: Annotated[str, Field(pattern=_ASIDE)]


_SETTLED = "SELECT item FROM bodies JOIN items USING (row) WHERE id NOT IN (SELECT id FROM unsettled)"

_log = logging.getLogger(__name__)


def set_aside(path: Path, *names: str) -> Path:
    """Move files or folders of a data folder out of the way, and return their new folder."""
    aside = _make_aside(path)
    for name in names:
        _move(path, aside, name)
    return aside


def refuse_full_disk(path: Path) -> None:
    """Raise StoreBroken if the disk of a folder has no room for a rebuild."""
    if shutil.disk_usage(path).free < ROOM:
        raise StoreBroken(f"The disk of the {name_folder(path)} is full.", "Make room; nothing is lost.")


def rebuild(path: Path, embedder: Embedder, progress: Progress) -> Path:
    """Rebuild a data folder's Chroma, or continue a rebuild. The folder must be held, and Chroma closed.

    Returns the folder of the damaged files. Afterwards the caller stores the records that are still missing and calls
    `finish_rebuild`. Raises AnaError if it cannot be rebuilt now, because of the embedder or the disk; the next use
    tries again.
    """
    aside = _begin(path)
    chroma = path / "chroma"
    shutil.rmtree(chroma, ignore_errors=True)
    chroma.mkdir()
    with tempfile.TemporaryDirectory(dir=aside) as name:
        copied = Path(name)  # the damaged files stay as they were
        for each in list_database_files(aside / "chroma" / DATABASE):
            shutil.copy2(each, copied / each.name)
        with map_foreign_errors(path):
            problem = _find_unreadable(copied)
        if problem:
            refuse_full_disk(path)
            _log.warning("the documents in %s cannot be read (%s); beginning with an empty store", aside, problem)
            return aside
        with map_foreign_errors(path), closing(open_chroma(copied)) as old, closing(open_chroma(chroma)) as new:
            embed_again(old, new, embedder, progress)
    if problem := find_fault(chroma):
        raise StoreBroken(f"The store could not be rebuilt: {problem}", f"The damaged files are kept in {aside}.")
    return aside


def finish_rebuild(path: Path) -> None:
    """Note that the rebuild is complete."""
    (path / REBUILDING).unlink(missing_ok=True)


def read_indexed_items(index: Path) -> list[Item]:
    """Return the items of a derived index; none if it cannot be read."""
    if not index.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{index.as_uri()}?mode=ro", uri=True)) as db:
            return [from_json(json.loads(text)) for (text,) in db.execute(_SETTLED)]
    except (sqlite3.Error, ValueError, TypeError) as exc:
        _log.warning("the index %s cannot be read: %s", index.name, exc)
        return []


def _begin(path: Path) -> Path:
    """Move all damaged files aside, unless that was done before, and return their folder."""
    aside = _read_aside(path)
    if aside is None:
        aside = _make_aside(path)
        write_whole(path / REBUILDING, json.dumps({"aside": aside.name}))
    aside.mkdir(parents=True, exist_ok=True)
    if not (aside / "chroma").exists():
        _move(path, aside, "chroma")
    for index in INDEXES:
        if not (aside / index).exists():
            _move(path, aside, index)
    return aside


def _read_aside(path: Path) -> Path | None:
    """Return the place of the damaged files, if a rebuild was interrupted; None if its note is damaged too.

    Then the files that exist by now are set aside as well: nothing is deleted, and the journal has the rest.
    """
    try:
        note = read_note(path / REBUILDING, RebuildNote)
    except FileUnreadable:
        raise
    except StoreBroken as exc:
        _log.warning("the rebuild starts again from the beginning: %s", exc)
        return None
    return path / ASIDE / note.aside if note else None


def _find_unreadable(chroma: Path) -> str | None:
    """Return the reason why the documents cannot be read, or None."""
    if not (chroma / DATABASE).exists():
        return "the file is missing"
    try:
        refuse_damaged(chroma / DATABASE)
        with map_foreign_errors(chroma), closing(open_chroma(chroma)) as client:
            for collection in client.list_collections():
                if collection.name in NAMES.values():
                    deque(iter_pages(collection, READ), maxlen=0)  # reads all of it, keeps none
    except sqlite3.Error as exc:
        if not is_damage(exc):
            raise
        return str(exc)
    except (AnaError, ValueError, TypeError) as exc:
        return str(exc)
    return None


def remove_remains(path: Path) -> None:
    """Remove records from files that repairs have set aside, and the drafts of interrupted backups."""
    for aside in [each for each in path.glob(f"{ASIDE}/*/") if _ASIDE.fullmatch(each.name)]:
        for each in aside.iterdir():
            if not each.name.startswith(_OF_CONVERSATIONS):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        if not any(aside.iterdir()):
            aside.rmdir()
    for each in path.glob(f"{BACKUPS}/.*.part"):
        shutil.rmtree(each) if each.is_dir() else each.unlink()


def _make_aside(path: Path) -> Path:
    aside = path / ASIDE / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside.mkdir(parents=True)
    return aside


def _move(path: Path, aside: Path, name: str) -> None:
    for each in list_database_files(path / name):
        each.rename(aside / each.name)
