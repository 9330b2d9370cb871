"""A Chroma that cannot be used is set aside, and made anew from its documents and metadata.

Damage is in the files of the vector index, which Chroma rewrites in place; its SQLite file survives a kill. So that
file is copied back and everything in it embedded again. Where it cannot be read either, what the journal and the
derived index know is stored in a new one by whoever called. A note tells until the end that this is going on and where
the damaged files are, so that whoever comes after a crash begins again from them.
"""

import json
import logging
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ana.backends.chroma.care.probe import sound
from ana.backends.chroma.care.reindex import BATCH, Progress, reindex
from ana.backends.chroma.client import DATABASE, foreign_errors, open_chroma, refuse_damaged
from ana.embedders import Embedder
from ana.errors import AnaError, StoreBroken
from ana.memory.item import Item

ASIDE = "set-aside"
"""The folder, in the data folder, in which damaged files are kept."""

REBUILDING = "rebuilding.json"
"""The note that says where, while a store is being made anew."""

_SETTLED = "SELECT item FROM bodies JOIN items USING (row) WHERE id NOT IN (SELECT id FROM unsettled)"

_log = logging.getLogger(__name__)


def set_aside(path: Path, *names: str) -> Path:
    """Move files or folders of a data folder out of the way; where they are now."""
    aside = _new_place(path)
    for name in names:
        _move(path, aside, name)
    return aside


def rebuild(path: Path, names: Sequence[str], made: Mapping[str, Any], embedder: Embedder, progress: Progress) -> Path:
    """Make a data folder's Chroma anew, or go on with that. The folder must be held all the while, and Chroma closed.

    When what the new one still lacks has been stored in it, `finished` ends it.

    Args:
        path: The data folder.
        names: The collections.
        made: What each is created with.
        embedder: Gives the vectors.
        progress: Told how many records of how many are done.

    Returns:
        Where the damaged files are.

    Raises:
        AnaError: It cannot be made now, because of the embedder or the disk; the next use tries again.
    """
    aside = _begun(path)
    chroma = path / "chroma"
    shutil.rmtree(chroma, ignore_errors=True)
    chroma.mkdir()
    for each in (aside / "chroma").glob(f"{DATABASE}*"):
        shutil.copy2(each, chroma / each.name)
    if problem := _unreadable(chroma, names):
        _log.warning("the documents in %s cannot be read (%s); beginning with an empty store", aside, problem)
        shutil.rmtree(chroma)
        return aside
    with foreign_errors(path):
        client = open_chroma(chroma)
        try:
            reindex(client, path, names, made, embedder, progress)
        finally:
            client.close()
    if problem := sound(chroma):
        raise StoreBroken(f"The store could not be made anew: {problem}", f"The damaged files are kept in {aside}.")
    return aside


def finished(path: Path) -> None:
    """Say that the new store holds all that can be had."""
    (path / REBUILDING).unlink(missing_ok=True)


def bodies(index: Path) -> list[Item]:
    """The items that a derived index holds, as far as it can be read."""
    if not index.exists():
        return []
    try:
        with closing(sqlite3.connect(f"{index.as_uri()}?mode=ro", uri=True)) as db:
            return [Item(**json.loads(text)) for (text,) in db.execute(_SETTLED)]
    except (sqlite3.Error, ValueError, TypeError) as exc:
        _log.warning("the index %s cannot be read: %s", index.name, exc)
        return []


def _begun(path: Path) -> Path:
    """Where the damaged files are, all of them moved there."""
    note = path / REBUILDING
    if note.exists():
        aside = path / ASIDE / str(json.loads(note.read_text())["aside"])
    else:
        aside = _new_place(path)
        draft = note.with_suffix(".new")
        draft.write_text(json.dumps({"aside": aside.name}))
        draft.rename(note)
    if not (aside / "chroma").exists():
        _move(path, aside, "chroma")
    for index in [each for each in path.glob("*.index.sqlite") if not (aside / each.name).exists()]:
        _move(path, aside, index.name)
    return aside


def _unreadable(chroma: Path, names: Sequence[str]) -> str | None:
    """Why the documents cannot be read; None when they can."""
    if not (chroma / DATABASE).exists():
        return "they are gone"
    try:
        refuse_damaged(chroma / DATABASE)
        client = open_chroma(chroma)
        try:
            for collection in client.list_collections():
                for offset in range(0, collection.count() if collection.name in names else 0, BATCH):
                    with foreign_errors(chroma):
                        collection.get(limit=BATCH, offset=offset, include=["documents", "metadatas"])
        finally:
            client.close()
    except (AnaError, sqlite3.Error, ValueError, TypeError) as exc:
        return str(exc)
    return None


def _new_place(path: Path) -> Path:
    aside = path / ASIDE / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside.mkdir(parents=True)
    return aside


def _move(path: Path, aside: Path, name: str) -> None:
    for each in list(path.glob(f"{name}*")):  # SQLite keeps files beside its own
        each.rename(aside / each.name)
