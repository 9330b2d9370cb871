"""Re-embedding: every collection is written again beside the old one, and then all of them change places at once.

The change happens when one file is renamed into place. Before it exists, the old collections are valid and the new ones
worthless; once it exists, the next process that opens the folder finishes the change. So a process that ends at any
moment leaves all of the old or all of the new.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ana.embedders import Embedder
from ana.files import write_whole

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

BATCH = 500
"""Documents embedded between two calls of `progress`."""

_NEW = "{}.new"
_CHANGE = "reindexed.json"

Progress = Callable[[int, int], None]
"""Called with the number of documents done, and of all."""


def reindex(
    client: "Client",
    path: Path,
    names: Sequence[str],
    arguments: Mapping[str, Any],
    embedder: Embedder,
    progress: Progress,
) -> int:
    """Embed every document again, while the folder is held.

    Args:
        client: Chroma, opened.
        path: The data folder.
        names: The collections; one that does not exist is left out.
        arguments: The arguments that create the new ones.
        embedder: Makes the new vectors.
        progress: Called after every batch.

    Returns:
        The number of documents.
    """
    settle_reindex(client, path)
    existing = _list_names(client)
    old = {name: client.get_collection(name, embedding_function=None) for name in names if name in existing}
    total, done = sum(collection.count() for collection in old.values()), 0
    progress(done, total)
    for name, collection in old.items():
        new = client.create_collection(_NEW.format(name), embedding_function=None, **arguments)
        for offset in range(0, collection.count(), BATCH):
            done += _copy(collection, new, offset, embedder)
            progress(done, total)
    write_whole(path / _CHANGE, json.dumps(list(old)))  # the moment of change
    settle_reindex(client, path)
    return total


def settle_reindex(client: "Client", path: Path) -> None:
    """Finish a change that was decided, and remove the rest of one that was not."""
    change, existing = path / _CHANGE, _list_names(client)
    decided = json.loads(change.read_text()) if change.exists() else []
    for name in decided:
        if _NEW.format(name) in existing:
            if name in existing:
                client.delete_collection(name)
            client.get_collection(_NEW.format(name), embedding_function=None).modify(name=name)
    for name in existing:
        if name.endswith(_NEW.format("")) and name.removesuffix(_NEW.format("")) not in decided:
            client.delete_collection(name)
    change.unlink(missing_ok=True)


def _copy(old: "Collection", new: "Collection", offset: int, embedder: Embedder) -> int:
    page: Any = old.get(limit=BATCH, offset=offset, include=["documents", "metadatas"])
    texts = [document or "" for document in page["documents"]]  # another program may have stored none
    vectors = np.array(embedder.embed_documents(texts), np.float32)
    new.add(page["ids"], vectors, page["metadatas"], page["documents"])
    return len(page["ids"])


def _list_names(client: "Client") -> list[str]:
    return [collection.name for collection in client.list_collections()]
