"""Which embedder a data folder is bound to: the one that made its vectors, as long as it has any."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ana.backends.chroma.client import DATABASE
from ana.embedders import Embedder

if TYPE_CHECKING:
    from chromadb.api.client import Client

_BOUND = """
SELECT metadata.str_value, coalesce(revision.int_value, 1) FROM collection_metadata AS metadata
LEFT JOIN collection_metadata AS revision
    ON revision.collection_id = metadata.collection_id AND revision.key = 'ana_revision'
WHERE metadata.key = 'ana_embedder' AND EXISTS (
    SELECT 1 FROM segments JOIN embeddings ON embeddings.segment_id = segments.id
    WHERE segments.collection = metadata.collection_id
)"""


def read_embedder(path: Path) -> str | None:
    """Return the name of the embedder that a data folder is bound to, without opening Chroma.

    None if it has no records, or cannot be read: whoever opens it then says why.
    """
    bound = read_vectors(path)
    return bound[0] if bound else None


def read_vectors(path: Path) -> tuple[str, int] | None:
    """Return the embedder that a data folder is bound to and the revision of its vectors; None as `read_embedder`."""
    database = path / "chroma" / DATABASE
    if not database.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            row = db.execute(_BOUND).fetchone()
    except sqlite3.Error:
        return None
    return (str(row[0]), int(row[1])) if row else None


def unbind_empty(client: "Client", names: Iterable[str], embedder: Embedder) -> bool:
    """Delete collections that are bound to another embedder, if none of them has a record.

    Opening creates them again, bound to `embedder`. Nothing else may be bound to what never made a vector.

    Returns:
        Whether any was deleted.
    """
    ours = [collection for collection in client.list_collections() if collection.name in set(names)]
    others = [c for c in ours if (c.metadata or {}).get("ana_embedder") != embedder.name]
    if not others or any(collection.count() for collection in ours):
        return False
    for collection in others:
        client.delete_collection(collection.name)
    return True
