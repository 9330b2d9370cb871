"""A Chroma that cannot be used is set aside, and made anew from its documents and metadata.

Damage is in the files of the vector index, which Chroma rewrites in place; its SQLite file survives a kill. So that
file is copied back and everything in it embedded again. Where it cannot be read either, what the journal and the
derived index know is stored in a new one by whoever called.
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

from ana.embedders import Embedder
from ana.errors import AnaError
from ana.store.item import Item
from ana.store.opening import DATABASE, foreign_errors, open_chroma, refuse_damaged
from ana.store.probe import sound
from ana.store.reindex import Progress, reindex

ASIDE = "set-aside"
"""The folder, in the data folder, in which damaged files are kept."""

_SETTLED = "SELECT item FROM bodies JOIN items USING (row) WHERE id NOT IN (SELECT id FROM unsettled)"

_log = logging.getLogger(__name__)


def set_aside(path: Path, *names: str) -> Path:
    """Move files or folders of a data folder out of the way; where they are now."""
    aside = path / ASIDE / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside.mkdir(parents=True)
    for name in names:
        for each in list(path.glob(f"{name}*")):  # SQLite keeps files beside its own
            each.rename(aside / each.name)
    return aside


def rebuild(path: Path, names: Sequence[str], made: Mapping[str, Any], embedder: Embedder, progress: Progress) -> Path:
    """Make a data folder's Chroma anew. The folder must be held all the while, and Chroma closed.

    Args:
        path: The data folder.
        names: The collections.
        made: What each is created with.
        embedder: Gives the vectors.
        progress: Told how many records of how many are done.

    Returns:
        Where the damaged one is.
    """
    aside = set_aside(path, "chroma")
    chroma = path / "chroma"
    try:
        chroma.mkdir()
        for each in (aside / "chroma").glob(f"{DATABASE}*"):
            shutil.copy2(each, chroma / each.name)
        with foreign_errors(path):
            refuse_damaged(chroma / DATABASE)
            client = open_chroma(chroma)
            try:
                reindex(client, path, names, made, embedder, progress)
            finally:
                client.close()
        problem = sound(chroma)
    except (AnaError, OSError, ValueError, RuntimeError, TypeError) as exc:
        problem = str(exc)
    if problem:
        _log.warning("the documents in %s cannot be read (%s); beginning with an empty store", aside, problem)
        shutil.rmtree(chroma, ignore_errors=True)
    return aside


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
