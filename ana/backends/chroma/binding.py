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
SELECT metadata.str_value FROM collection_metadata AS metadata
WHERE metadata.key = 'ana_embedder' AND EXISTS (
    SELECT 1 FROM segments JOIN embeddings ON embeddings.segment_id = segments.id
    WHERE segments.collection = metadata.collection_id
)"""


def read_embedder(path: Path) -> str | None:
    """Return the name of the embedder that a data folder is bound to, without opening Chroma.

    None if it has no records, or cannot be read: whoever opens it then says why.
    """
    database = path / "chroma" / DATABASE
    if not database.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            row = db.execute(_BOUND).fetchone()
    except sqlite3.Error:
        return None
    return str(row[0]) if row else None


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
