"""Reading Chroma's SQLite file while Chroma is closed: the number of records, and their embedder."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ana.backends.chroma.client import DATABASE
from ana.backends.chroma.source import ChromaSource, EmbeddedItem

PATIENCE = 5.0
"""Seconds in which a client that was closed has let go of its files; one after a failed write takes a moment longer."""

_COUNTED = """
SELECT collections.id, count(embeddings.id) FROM collections
JOIN collection_metadata AS bound
    ON bound.collection_id = collections.id AND bound.key = 'ana_embedder' AND bound.str_value = ?
JOIN segments ON segments.collection = collections.id AND segments.scope = 'METADATA'
LEFT JOIN embeddings ON embeddings.segment_id = segments.id
WHERE collections.name = ? GROUP BY collections.id"""

_BOUND = """
SELECT metadata.str_value, coalesce(revision.int_value, 1) FROM collection_metadata AS metadata
LEFT JOIN collection_metadata AS revision
    ON revision.collection_id = metadata.collection_id AND revision.key = 'ana_revision'
WHERE metadata.key = 'ana_embedder' AND EXISTS (
    SELECT 1 FROM segments JOIN embeddings ON embeddings.segment_id = segments.id
    WHERE segments.collection = metadata.collection_id
)"""


@dataclass(frozen=True)
class ClosedSource:
    """The collection that an index is compared with while nobody writes; Chroma is opened only for its records."""

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
    """Return a collection, while Chroma is closed; None if it is missing or foreign, or the file cannot be read."""
    rows = _read(chroma, _COUNTED, embedder, name)
    if len(rows) != 1:
        return None
    identity, count = rows[0]
    return ClosedSource(identity, count, open)


def read_vectors(path: Path) -> tuple[str, int] | None:
    """Return the embedder to which a data folder is bound, the embedder that made its vectors, and their revision.

    None if the folder has no records, or cannot be read.
    """
    return next(iter(_read(path / "chroma", _BOUND)), None)


def read_embedder(path: Path) -> str | None:
    """Return the name of the embedder to which a data folder is bound; None as in `read_vectors`."""
    bound = read_vectors(path)
    return bound[0] if bound else None


def connect_closed(chroma: Path) -> sqlite3.Connection:
    """Open Chroma's file for reading alone."""
    return sqlite3.connect(f"{(chroma / DATABASE).absolute().as_uri()}?mode=ro", uri=True)


def _read(chroma: Path, query: str, *values: str) -> list[Any]:
    """Return the rows of a query; none if the file is missing or cannot be read; opening Chroma later reports the
    reason.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with closing(connect_closed(chroma)) as db:
                return db.execute(query, values).fetchall()
        except sqlite3.Error as exc:
            # a client that was closed a moment ago has not let go of its journal
            is_busy = isinstance(exc, sqlite3.OperationalError) and exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_IOERR
            if not is_busy or time.monotonic() > until:
                return []
            time.sleep(0.02)
