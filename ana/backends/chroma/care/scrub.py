"""Chroma is written again from its records, so that nothing is left of those that were deleted.

Deleted text stays in Chroma's queue, which is also the only copy of the newest vectors, and in free pages of its file.
So all records are copied, with their vectors, into a new folder, which then takes the place of the old one. While it
is written its name ends in .part; once it is complete it is renamed to .new, and from then on whoever opens the data
folder finishes the exchange. A process that ends at any moment leaves the old or the new whole. A file says that these
names are ours by now: a person's own folder may be called chroma.old.
"""

import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ana.backends.chroma.care.backup import FOLDER as BACKUPS
from ana.backends.chroma.care.rebuild import list_asides
from ana.backends.chroma.client import open_chroma
from ana.backends.chroma.folder import blank_unwritten
from ana.backends.chroma.source import iter_pages
from ana.errors import StoreBroken, UserError
from ana.files import write_whole
from ana.own_files import is_of_chroma

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

PURGING = "purging"
"""The file, in the data folder, that is there while the folders beside Chroma's are ours."""

CLOSE = 1e-5
"""Chroma brings a vector to length 1 again, which may change its last digits."""

_OF_CONVERSATIONS = ("threads.sqlite", "thread_names.json")
"""Files set aside by a repair that hold no records."""


def copy_records(client: "Client", path: Path) -> None:
    """Copy every collection into a new folder, while the data folder is held; `finish_copy` must follow.

    Raises:
        UserError: A file of the person's own is in the way.
        StoreBroken: A record reads otherwise in the copy.
    """
    refuse_strangers(path)
    write_whole(path / PURGING, "")
    draft = _beside(path, "part")
    with closing(open_chroma(draft)) as fresh:
        for name in [collection.name for collection in client.list_collections()]:
            old = client.get_collection(name, embedding_function=None)
            hnsw: Any = {"hnsw": old.configuration_json.get("hnsw") or {}}
            new = fresh.create_collection(name, metadata=old.metadata, configuration=hnsw, embedding_function=None)
            _copy(old, new)
    blank_unwritten(draft, {})
    os.sync()  # the copy must survive a power failure as well as its new name does
    draft.rename(_beside(path, "new"))  # the moment of change


def finish_copy(path: Path) -> None:
    """Put a complete copy in the place of Chroma, and remove what is no longer needed, while Chroma is closed."""
    if not (path / PURGING).exists():
        return
    chroma, new, old, draft = (_beside(path, state) for state in ("", "new", "old", "part"))
    if new.exists():
        shutil.rmtree(old, ignore_errors=True)
        if chroma.exists():
            chroma.rename(old)
        new.rename(chroma)
    for left in (old, draft):
        if left.exists():
            shutil.rmtree(left)
    (path / PURGING).unlink()


def remove_remains(path: Path) -> None:
    """Remove records in what repairs have set aside, and the drafts of backups that were cut short."""
    for aside in list_asides(path):
        for each in aside.iterdir():
            if not each.name.startswith(_OF_CONVERSATIONS):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        if not any(aside.iterdir()):
            aside.rmdir()
    for each in path.glob(f"{BACKUPS}/.*.part"):
        each.unlink()


def refuse_strangers(path: Path) -> None:
    """Refuse to go on if what is not Chroma's would be moved with it, or is called as its copies are.

    Raises:
        UserError: There is such a file; names it.
    """
    strange = [each for each in _beside(path, "").iterdir() if not is_of_chroma(each.name)]
    strange += [each for state in ("part", "new", "old") if (each := _beside(path, state)).exists()]
    if strange:
        raise UserError(f"{strange[0]} is in the way of a purge.", "Move it to another place, and purge again.")


def _beside(path: Path, state: str) -> Path:
    """Return Chroma's folder, or the one beside it whose name ends in a state; links are followed."""
    chroma = (path / "chroma").resolve()
    return chroma.with_name(f"{chroma.name}.{state}") if state else chroma


def _copy(old: "Collection", new: "Collection") -> None:
    for page in iter_pages(old):
        new.add(page["ids"], page["embeddings"], page["metadatas"], page["documents"])
    for page, copied in zip(iter_pages(old), iter_pages(new), strict=True):
        same = all(page[part] == copied[part] for part in ("ids", "documents", "metadatas"))
        if not same or not np.allclose(page["embeddings"], copied["embeddings"], rtol=0, atol=CLOSE):
            raise StoreBroken(f"The copy of {old.name} is not like it.", "Nothing was changed; try again.")
