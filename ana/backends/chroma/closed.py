"""A collection while Chroma is closed: what its index has to know of it to answer, read in Chroma's SQLite file."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.source import ChromaSource, EmbeddedItem

_COUNTED = """
SELECT collections.id, count(embeddings.id) FROM collections
JOIN collection_metadata AS bound
    ON bound.collection_id = collections.id AND bound.key = 'ana_embedder' AND bound.str_value = ?
JOIN segments ON segments.collection = collections.id AND segments.scope = 'METADATA'
LEFT JOIN embeddings ON embeddings.segment_id = segments.id
WHERE collections.name = ? GROUP BY collections.id"""


@dataclass(frozen=True)
class ClosedSource:
    """The collection that an index is compared with, as long as nobody writes; for its records Chroma is opened.

    Args:
        identity: Its id.
        counted: How many records it has.
        open: Opens Chroma, and returns the collection.
    """

    identity: str
    counted: int
    open: Callable[[], ChromaSource]

    def count(self) -> int:
        return self.counted

    def get_many(self, ids: Sequence[str]) -> list[EmbeddedItem]:
        return self.open().get_many(ids) if ids else []

    def iter_all(self) -> Iterable[EmbeddedItem]:
        return self.open().iter_all()


def read_closed(chroma: Path, name: str, embedder: str, open: Callable[[], ChromaSource]) -> ClosedSource | None:
    """Return a collection, while Chroma is closed; None if it is not there or another's, or the file cannot be read.

    Args:
        chroma: Chroma's own folder.
        name: The collection's.
        embedder: The name of the one that it must be bound to.
        open: As of `ClosedSource`.
    """
    address = (chroma / DATABASE).absolute().as_uri()
    try:
        with closing(sqlite3.connect(f"{address}?mode=ro", uri=True)) as db:
            found = db.execute(_COUNTED, (embedder, name)).fetchall()
    except sqlite3.Error:  # whoever opens Chroma says why
        return None
    if len(found) != 1:
        return None
    identity, count = found[0]
    return ClosedSource(identity, count, open)
