"""A Chroma that cannot be used is set aside and rebuilt from its documents and metadata.

Damage is in the files of the vector index, which Chroma rewrites in place; its SQLite file survives a kill. So that
file is copied back and everything in it is embedded again. If it cannot be read either, the caller stores what the
journal and the derived index know in a new one. Until the end a note says that a rebuild is going on and where the
damaged files are, so that the next process after a crash begins again from them.
"""

import json
import logging
import re
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from ana.backends.chroma.care.probe import find_fault
from ana.backends.chroma.care.reindex import BATCH, reindex
from ana.backends.chroma.client import DATABASE, map_foreign_errors, open_chroma, refuse_damaged
from ana.backends.chroma.collection import INDEXES
from ana.backends.chroma.vectors import Progress
from ana.embedders import Embedder
from ana.errors import AnaError, StoreBroken
from ana.files import list_database_files, write_whole
from ana.memory.item import Item
from ana.notes import read_note

ASIDE = "set-aside"
"""The folder, in the data folder, for damaged files."""

_ASIDE = re.compile(r"\A\d{8}T\d{12}Z\Z")
"""What each of them is called: when it was made."""

REBUILDING = "rebuilding.json"
"""The note that says where they are during a rebuild."""


@dataclass(frozen=True)
class RebuildNote:
    """The folder, in that of damaged files, of this rebuild's."""

    aside: Annotated[str, Field(pattern=_ASIDE)]


_SETTLED = "SELECT item FROM bodies JOIN items USING (row) WHERE id NOT IN (SELECT id FROM unsettled)"

_log = logging.getLogger(__name__)


def set_aside(path: Path, *names: str) -> Path:
    """Move files or folders of a data folder out of the way, and return their new folder."""
    aside = _make_aside(path)
    for name in names:
        _move(path, aside, name)
    return aside


def rebuild(
    path: Path, names: Sequence[str], arguments: Mapping[str, Any], embedder: Embedder, progress: Progress
) -> Path:
    """Rebuild a data folder's Chroma, or continue a rebuild. The folder must be held, and Chroma closed.

    Afterwards the caller stores the records that are still missing and calls `finish_rebuild`.

    Args:
        path: The data folder.
        names: The collections.
        arguments: The arguments that create each.
        embedder: Makes the vectors.
        progress: Called with the number of records done, and of all.

    Returns:
        The folder of the damaged files.

    Raises:
        AnaError: It cannot be rebuilt now, because of the embedder or the disk; the next use tries again.
    """
    aside = _begin(path)
    chroma = path / "chroma"
    shutil.rmtree(chroma, ignore_errors=True)
    chroma.mkdir()
    for each in (aside / "chroma").glob(f"{DATABASE}*"):
        shutil.copy2(each, chroma / each.name)  # a copy: the damaged files stay as they were
    if problem := _find_unreadable(chroma, names):
        _log.warning("the documents in %s cannot be read (%s); beginning with an empty store", aside, problem)
        shutil.rmtree(chroma)
        return aside
    with map_foreign_errors(path):
        client = open_chroma(chroma)
        try:
            reindex(client, path, names, arguments, embedder, progress)
        finally:
            client.close()
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
            return [Item(**json.loads(text)) for (text,) in db.execute(_SETTLED)]
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
    """Return where the damaged files are, if a rebuild was cut short; None if its note is damaged too.

    Then what there is by now is set aside as well: nothing is deleted, and the journal has the rest.
    """
    try:
        note = read_note(path / REBUILDING, RebuildNote)
    except StoreBroken as exc:
        _log.warning("the rebuild begins anew: %s", exc)
        return None
    return path / ASIDE / note.aside if note else None


def _find_unreadable(chroma: Path, names: Sequence[str]) -> str | None:
    """Return why the documents cannot be read, or None."""
    if not (chroma / DATABASE).exists():
        return "the file is missing"
    try:
        refuse_damaged(chroma / DATABASE)
        client = open_chroma(chroma)
        try:
            for collection in client.list_collections():
                for offset in range(0, collection.count() if collection.name in names else 0, BATCH):
                    with map_foreign_errors(chroma):
                        collection.get(limit=BATCH, offset=offset, include=["documents", "metadatas"])
        finally:
            client.close()
    except (AnaError, sqlite3.Error, ValueError, TypeError) as exc:
        return str(exc)
    return None


def list_asides(path: Path) -> list[Path]:
    """Return the folders of damaged files, the oldest first."""
    return sorted(each for each in path.glob(f"{ASIDE}/*/") if _ASIDE.fullmatch(each.name))


def _make_aside(path: Path) -> Path:
    aside = path / ASIDE / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside.mkdir(parents=True)
    return aside


def _move(path: Path, aside: Path, name: str) -> None:
    for each in list_database_files(path / name):
        each.rename(aside / each.name)
