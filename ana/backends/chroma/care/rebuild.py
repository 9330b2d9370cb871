"""Rebuilding a damaged Chroma: a new one is made from its documents and metadata, and the damaged one is set aside.

Damage is in the files of the vector index, which Chroma rewrites in place; its SQLite file survives a kill. So a copy
of that file is read, and everything in it is embedded again. If that file cannot be read either, the new Chroma gets
the records known to the journal and the derived index. Until the exchange is decided (see exchange.py) the damaged
files stay where they are, so after a crash the next process finds the damage, and rebuilds it from the start.
"""

import json
import logging
import re
import shutil
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ana.backends.chroma.care.exchange import REBUILDING, embed_again, finish_exchange, prepare_exchange
from ana.backends.chroma.care.files import ASIDE, ASIDE_PATTERN
from ana.backends.chroma.care.files import FOLDER as BACKUPS
from ana.backends.chroma.care.probe import find_fault
from ana.backends.chroma.client import DATABASE, map_foreign_errors, open_chroma, refuse_damaged
from ana.backends.chroma.collection import INDEXES, NAMES
from ana.backends.chroma.source import READ, iter_pages
from ana.embedders import Embedder
from ana.errors import AnaError, StoreBroken
from ana.files import is_damage, list_database_files, remove_database
from ana.memory.item import Item, from_json
from ana.notes import read_note
from ana.own_files import name_folder
from ana.stopping import Progress

if TYPE_CHECKING:
    from chromadb.api.client import Client

ROOM = 20_000_000
"""Bytes that must be free for a failure to be Chroma's own, and not the disk's."""

_OF_CONVERSATIONS = ("threads.sqlite", "thread_names.json")
"""Files set aside by a repair that hold no records."""

_SETTLED = "SELECT item FROM bodies JOIN items USING (row) WHERE id NOT IN (SELECT id FROM unsettled)"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RebuildNote:
    """The folder in which an earlier version has set the damaged files aside before it began a rebuild."""

    aside: Annotated[str, Field(pattern=ASIDE_PATTERN)]


def take_back(path: Path) -> bool:
    """Put back the damaged files of a rebuild that an earlier version began and did not finish, while the folder is
    held and everything in it is closed: what has their place holds a part of the records, or none.

    Returns whether there was such a rebuild. Raises StoreBroken if its note cannot be read.
    """
    hint = f"It names the folder in `{ASIDE}` with the whole store: put back what is in there, and delete the note."
    note = read_note(path / REBUILDING, RebuildNote, hint)
    if note is None:
        return False
    aside = path / ASIDE / note.aside
    if (aside / "chroma").exists():
        shutil.rmtree(path / "chroma", ignore_errors=True)
        (aside / "chroma").rename(path / "chroma")
    for index in INDEXES:
        if files := list_database_files(aside / index):
            remove_database(path / index)
            for each in files:
                each.rename(path / each.name)
    (path / REBUILDING).unlink()
    return True


def refuse_full_disk(path: Path) -> None:
    """Raise StoreBroken if the disk of a folder has no room for a rebuild."""
    if shutil.disk_usage(path).free < ROOM:
        raise StoreBroken(f"The disk of the {name_folder(path)} is full.", "Make room; nothing is lost.")


def rebuild(path: Path, embedder: Embedder, progress: Progress, complete: Callable[["Client"], None]) -> Path | None:
    """Replace a data folder's Chroma by one that is made again, while the folder is held and Chroma is closed.

    Args:
        complete: Stores the records in the new Chroma that are missing in the documents.

    Returns:
        The folder of the damaged files.

    Raises:
        AnaError: It cannot be rebuilt now, because of the embedder or the disk; nothing was changed.
    """
    take_back(path)
    with prepare_exchange(path, is_damaged=True) as new:
        chroma = new / "data" / "chroma"
        chroma.mkdir(parents=True)
        with map_foreign_errors(path), closing(open_chroma(chroma)) as fresh:
            _embed_documents(path, new, fresh, embedder, progress)
            complete(fresh)
        if problem := find_fault(chroma):
            raise StoreBroken(f"The store could not be rebuilt: {problem}", "Nothing was changed.")
    return finish_exchange(path)


def _embed_documents(path: Path, new: Path, fresh: "Client", embedder: Embedder, progress: Progress) -> None:
    """Embed the documents of a damaged Chroma again, from a copy of its SQLite file alone; none if it is unreadable."""
    copied = new / "copied"
    copied.mkdir()
    for each in list_database_files(path / "chroma" / DATABASE):
        shutil.copy2(each, copied / each.name)
    if problem := _find_unreadable(copied):
        refuse_full_disk(path)
        _log.warning("the documents of Chroma cannot be read (%s); beginning with an empty store", problem)
        return
    with closing(open_chroma(copied)) as old:
        embed_again(old, fresh, embedder, progress)


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
    for aside in [each for each in path.glob(f"{ASIDE}/*/") if re.match(ASIDE_PATTERN, each.name)]:
        for each in aside.iterdir():
            if not each.name.startswith(_OF_CONVERSATIONS):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        if not any(aside.iterdir()):
            aside.rmdir()
    for each in path.glob(f"{BACKUPS}/.*.part"):
        shutil.rmtree(each) if each.is_dir() else each.unlink()
