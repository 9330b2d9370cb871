"""Re-embedding: every collection is written again beside the old one, and then all of them change places at once.

The change happens when one file is renamed into place. Before it exists, the old collections are valid and the new ones
worthless; once it exists, the next process that opens the folder finishes the change. So a process that ends at any
moment leaves all of the old or all of the new.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ana.backends.chroma.collection import NAMES, collection_arguments
from ana.backends.chroma.source import READ, iter_pages
from ana.embedders import Embedder
from ana.embedders.base import Progress
from ana.embedders.known import embed_many, forget_vectors
from ana.files import write_whole

if TYPE_CHECKING:
    from chromadb.api.client import Client

_NEW = "{}.new"
_CHANGE = "reindexed.json"


def reindex(client: "Client", path: Path, embedder: Embedder, progress: Progress) -> int:
    """Embed every document again, while the folder is held. If that was cut short, the vectors it made are used.

    Returns their number.
    """
    settle_reindex(client, path)
    existing = _list_names(client)
    old = {name: client.get_collection(name, embedding_function=None) for name in NAMES.values() if name in existing}
    total, done = sum(collection.count() for collection in old.values()), 0
    progress(done, total)
    for name, collection in old.items():
        new = client.create_collection(_NEW.format(name), embedding_function=None, **collection_arguments(embedder))
        for page in iter_pages(collection, READ):
            texts = [document or "" for document in page["documents"]]  # another program may have stored none
            vectors = embed_many(path, embedder, texts, _add_to(done, total, progress))
            new.add(page["ids"], np.array([vectors[t] for t in texts]), page["metadatas"], page["documents"])
            done += len(texts)
    write_whole(path / _CHANGE, json.dumps(list(old)))  # the moment of change
    forget_vectors(path)
    settle_reindex(client, path)
    return total


def is_reindex_decided(path: Path) -> bool:
    """Return whether there is a change to finish that was decided."""
    return (path / _CHANGE).exists()


def settle_reindex(client: "Client", path: Path) -> None:
    """Finish a change that was decided, and remove the rest of one that was not.

    The file decides by being there, whatever is in it: it appears when all of the new ones are complete.
    """
    is_decided, existing = is_reindex_decided(path), _list_names(client)
    for name, new in ((name, _NEW.format(name)) for name in NAMES.values() if _NEW.format(name) in existing):
        if not is_decided:
            client.delete_collection(new)
            continue
        if name in existing:
            client.delete_collection(name)
        client.get_collection(new, embedding_function=None).modify(name=name)
    (path / _CHANGE).unlink(missing_ok=True)


def _add_to(done: int, total: int, progress: Progress) -> Progress:
    """Return the progress of a part of all documents, after those that are done."""
    return lambda part, _: progress(done + part, total)


def _list_names(client: "Client") -> list[str]:
    return [collection.name for collection in client.list_collections()]
