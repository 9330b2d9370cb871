"""Replacing Chroma by a new one: restored, embedded again, without purged records, or in place of a damaged one.

A note says where the new one is made and whether the exchange is decided: before that nothing has changed, and after it
the next process that opens the folder finishes the exchange. So a process that ends at any moment leaves the whole old
state or the whole new one. Only files that ana is known to write are replaced or removed.
"""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from ana.backends.chroma.care.files import (
    ASIDE_PATTERN,
    DATABASES,
    NOTES,
    SETTINGS,
    copy_database,
    move_aside,
    name_damaged_folder,
)
from ana.backends.chroma.client import DATABASE, open_chroma
from ana.backends.chroma.collection import INDEXES, NAMES, describe_collection
from ana.backends.chroma.folder import blank_unwritten
from ana.backends.chroma.source import READ, iter_pages
from ana.embedders import Embedder
from ana.embedders.known import embed_many
from ana.errors import StoreBroken
from ana.files import copy_whole, list_drafts, remove_database, write_whole
from ana.notes import read_note
from ana.own_files import is_of_chroma, is_trace
from ana.stopping import Progress

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

NOTE = "restore.json"
"""The file, in the data folder."""

REBUILDING = "rebuilding.json"
"""An earlier version's note of a rebuild: see `ana/backends/chroma/care/rebuild.py`."""

CLOSE = 1e-5
"""Chroma brings a vector to length 1 again, which may change its last digits."""

_LOST = (
    "A restore, a purge or `ana reindex` was cut short. `ana doctor --repair` sets this file aside; then do it again, "
    "a restore (`ana restore FILE`) from the same backup, or from the one in `backups` of what was there before."
)


@dataclass(frozen=True)
class ExchangeNote:
    """An exchange: the folder of the new files, inside the data folder, and the place of the traces if they are new
    too. `aside` names the folder for the old Chroma and its indexes, if they are damaged and kept.

    Once it is decided, the new files replace the old ones; else the new files are removed.
    """

    unpacked: Annotated[str, Field(pattern=r"^restored-[a-z0-9_]{8}$")]
    traces: str | None
    decided: bool = True
    aside: Annotated[str, Field(pattern=ASIDE_PATTERN)] | None = None


@contextmanager
def prepare_exchange(path: Path, traces: Path | None = None, *, is_damaged: bool = False) -> Iterator[Path]:
    """Yield a folder for the new files, while the data folder is held. Without an error, the exchange is then decided.

    `finish_exchange` must follow, while Chroma is closed.

    Args:
        traces: The folder of new traces; None if only Chroma is new.
        is_damaged: Whether the old Chroma and its indexes are set aside, and not deleted.
    """
    with suppress(StoreBroken):
        if earlier := read_note(path / NOTE, ExchangeNote):  # of a move that was cut short
            shutil.rmtree(path / earlier.unpacked, ignore_errors=True)
    name, place = f"restored-{secrets.token_hex(4)}", str(traces.absolute()) if traces else None
    note = ExchangeNote(name, place, decided=False, aside=name_damaged_folder() if is_damaged else None)
    _write_note(path, note)
    try:
        yield path / note.unpacked
        os.sync()  # the new files must survive a power failure as well as the decision does
        _write_note(path, replace(note, decided=True))
    except Exception:  # whatever it was, nothing was decided
        _forget(path, note)
        raise


def read_exchange(path: Path) -> ExchangeNote | None:
    """Return the interrupted exchange of a folder, or None.

    Raises StoreBroken if its note cannot be read, or names missing files.
    """
    note = read_note(path / NOTE, ExchangeNote, _LOST)
    if note and note.decided and not (path / note.unpacked / "data" / "chroma" / DATABASE).exists():
        raise StoreBroken(f"{path / NOTE} names {note.unpacked}, which is not complete.", _LOST)
    return note


def finish_exchange(path: Path) -> Path | None:
    """Finish a decided exchange, if necessary from its start, while the folder is held and Chroma is closed.

    Returns the folder of the old files, if they were damaged.
    """
    for draft in list_drafts(path / NOTE):  # of a note whose process ended in the middle of it
        draft.unlink(missing_ok=True)
    note = read_exchange(path)
    if note is None:
        return None
    aside = None
    if note.decided:
        if note.traces is not None:
            _put_back_files(path / note.unpacked / "data", path)
            _put_back_traces(path / note.unpacked / "traces", Path(note.traces))
        if note.aside:
            aside = move_aside(path, note.aside, "chroma", *INDEXES)
        _put_back_chroma(path / note.unpacked / "data" / "chroma", path / "chroma")
        for name in INDEXES:
            remove_database(path / name)
        (path / REBUILDING).unlink(missing_ok=True)
        os.sync()
        _write_note(path, replace(note, decided=False))  # what is new is there, and its copy of no more use
    _forget(path, note)
    return aside


def _write_note(path: Path, note: ExchangeNote) -> None:
    write_whole(path / NOTE, json.dumps(asdict(note)))


def _forget(path: Path, note: ExchangeNote) -> None:
    """Remove the new files, and then the note that says that they are ana's."""
    shutil.rmtree(path / note.unpacked, ignore_errors=True)
    (path / NOTE).unlink()


def _put_back_files(source: Path, path: Path) -> None:
    for name in DATABASES:
        if (source / name).exists():  # through SQLite: another process may have the old one open
            copy_database(source / name, path / name)
        else:
            remove_database(path / name)
    for name in (*NOTES, SETTINGS):
        if (source / name).exists():
            copy_whole(source / name, path / name)
        elif name in NOTES:
            (path / name).unlink(missing_ok=True)


def _put_back_chroma(source: Path, chroma: Path) -> None:
    for old in (each for each in (chroma.iterdir() if chroma.exists() else ()) if is_of_chroma(each.name)):
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    shutil.copytree(source, chroma, dirs_exist_ok=True)


def _put_back_traces(source: Path, traces: Path) -> None:
    traces.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in traces.iterdir():
        if is_trace(old.name) and not (source / old.name).exists():
            old.unlink()
    for new in source.iterdir() if source.exists() else ():
        copy_whole(new, traces / new.name)


def write_again(client: "Client", path: Path, embedder: Embedder | None, progress: Progress) -> int:
    """Write Chroma again beside the old, while the folder is held; `finish_exchange` must follow.

    Deleted text stays in Chroma's queue, which is also the only copy of the newest vectors, and in free pages of its
    file. So all records are copied, with their vectors if no embedder makes new ones. Returns the number of new
    vectors. Raises StoreBroken if a record differs in the copy.
    """
    with prepare_exchange(path) as new:
        chroma = new / "data" / "chroma"
        chroma.mkdir(parents=True)
        with closing(open_chroma(chroma)) as fresh:
            count = embed_again(client, fresh, embedder, progress) if embedder else 0
            for name in _list_names(client):
                if not embedder or name not in NAMES.values():
                    _copy(client.get_collection(name, embedding_function=None), fresh)
        blank_unwritten(chroma, {})
    return count


def embed_again(client: "Client", fresh: "Client", embedder: Embedder, progress: Progress) -> int:
    """Copy our collections with new vectors, and return how many records."""
    existing = _list_names(client)
    old = {name: client.get_collection(name, embedding_function=None) for name in NAMES.values() if name in existing}
    total, done = sum(collection.count() for collection in old.values()), 0
    progress(done, total)
    for name, collection in old.items():
        new = fresh.create_collection(name, embedding_function=None, **describe_collection(embedder))
        for page in iter_pages(collection, READ):
            texts = [document or "" for document in page["documents"]]  # another program may have stored none
            vectors = embed_many(embedder, texts, _add_to(done, total, progress))
            new.add(page["ids"], np.array([vectors[t] for t in texts]), page["metadatas"], page["documents"])
            done += len(texts)
    return total


def _add_to(done: int, total: int, progress: Progress) -> Progress:
    return lambda part, _: progress(done + part, total)


def _list_names(client: "Client") -> list[str]:
    return [collection.name for collection in client.list_collections()]


def _copy(old: "Collection", fresh: "Client") -> None:
    hnsw: Any = {"hnsw": old.configuration_json.get("hnsw") or {}}
    new = fresh.create_collection(old.name, metadata=old.metadata, configuration=hnsw, embedding_function=None)
    for page in iter_pages(old):
        new.add(page["ids"], page["embeddings"], page["metadatas"], page["documents"])
    for page, copied in zip(iter_pages(old), iter_pages(new), strict=True):
        same = all(page[part] == copied[part] for part in ("ids", "documents", "metadatas"))
        if not same or not np.allclose(page["embeddings"], copied["embeddings"], rtol=0, atol=CLOSE):
            raise StoreBroken(f"The copy of {old.name} is not like it.", "Nothing was changed; try again.")
