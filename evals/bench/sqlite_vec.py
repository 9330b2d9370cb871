"""SQLite with sqlite-vec and FTS5: a hybrid search without ana, to compare ours with.

The query is that of sqlite-vec's documentation for hybrid search: the nearest vectors and the best by BM25, joined by
reciprocal rank fusion (Cormack et al., 2009).
"""

from pathlib import Path
from typing import Any

import apsw
import sqlite_vec

from ana.embedders import Embedder
from ana.memory.item import Item

_SCHEMA = """
CREATE TABLE items (row INTEGER PRIMARY KEY, id TEXT UNIQUE, content TEXT);
CREATE VIRTUAL TABLE words USING fts5 (content, content = 'items', content_rowid = 'row');
CREATE VIRTUAL TABLE vectors USING vec0 (row INTEGER PRIMARY KEY, vector FLOAT[{}] distance_metric = cosine);
"""

_HYBRID = """
WITH nearest AS (
    SELECT row, row_number() OVER (ORDER BY distance) AS place FROM vectors WHERE vector MATCH :vector AND k = :limit
), matching AS (
    SELECT rowid AS row, row_number() OVER (ORDER BY rank) AS place FROM words WHERE words MATCH :words LIMIT :limit
)
SELECT items.id, items.content,
    coalesce(1.0 / (60 + nearest.place), 0) + coalesce(1.0 / (60 + matching.place), 0) AS score
FROM nearest FULL OUTER JOIN matching USING (row) JOIN items ON items.row = coalesce(nearest.row, matching.row)
ORDER BY score DESC LIMIT :limit
"""


class SqliteVec:
    """Items in one SQLite file.

    Args:
        path: The file.
        embedder: Turns text into vectors.
    """

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._db = apsw.Connection(str(path))  # many builds of Python have an SQLite that loads no extension
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(_SCHEMA.format(embedder.dimension))
        self._embedder = embedder

    def fill(self, items: list[Item]) -> None:
        """Store items."""
        vectors = self._embedder.embed_documents([item.content for item in items])
        with self._db:
            for item, vector in zip(items, vectors, strict=True):
                self._db.execute("INSERT INTO items (id, content) VALUES (?, ?)", (item.id, item.content))
                row = self._db.last_insert_rowid()
                self._db.execute("INSERT INTO words (rowid, content) VALUES (?, ?)", (row, item.content))
                self._db.execute("INSERT INTO vectors VALUES (?, ?)", (row, sqlite_vec.serialize_float32(vector)))

    def query(self, text: str) -> list[Any]:
        """Return the ten best items: id, content, score."""
        vector = sqlite_vec.serialize_float32(self._embedder.embed_query(text))
        words = " ".join(f'"{word}"' for word in text.replace('"', "").split())
        return self._db.execute(_HYBRID, {"vector": vector, "words": words, "limit": 10}).fetchall()

    def close(self) -> None:
        self._db.close()
