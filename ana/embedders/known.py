"""Vectors that are made once: kept in memory, or in a file."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import numpy as np

from ana.embedders.base import Embedder, Progress, Vector, Vectors
from ana.files import connect_own, remove_database

Embed = Callable[[list[str]], list[list[float]]]

NAME = "vectors.sqlite"
"""The file, in a data folder."""

BATCH = 100
"""Texts embedded between two calls of the progress, and how many make it worth keeping vectors."""

# after a power failure the last ones are made again
_SCHEMA = """PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, text BLOB, vector BLOB, PRIMARY KEY (embedder, text))"""


class Known(Protocol):
    """Where vectors are kept, by text: a dictionary, or a file."""

    def get(self, text: str, /) -> Vector | None: ...

    def update(self, vectors: Vectors, /) -> None: ...


class KnownInFile:
    """Vectors in a SQLite file, in which no text is found: a purge need not look into it.

    A damaged file is made again, as it holds nothing that cannot be. Vectors of another maker are not found.
    """

    def __init__(self, file: Path, maker: str) -> None:
        self._maker = maker
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self._db = connect_own(file, script=_SCHEMA, check_same_thread=False)
        except sqlite3.DatabaseError:
            remove_database(file)
            self._db = connect_own(file, script=_SCHEMA, check_same_thread=False)

    def get(self, text: str, /) -> Vector | None:
        find = "SELECT vector FROM vectors WHERE embedder = ? AND text = ?"
        row = self._db.execute(find, (self._maker, _digest(text))).fetchone()
        return np.frombuffer(row[0], np.float32) if row else None

    def update(self, vectors: Vectors, /) -> None:
        rows = [(self._maker, _digest(text), vector.tobytes()) for text, vector in vectors.items()]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        self._db.close()


class OnceEmbeddings:
    """An embedder that asks another one only for those vectors of documents that are not known."""

    def __init__(self, inner: Embedder, documents: Known | None = None) -> None:
        self.name, self.dimension, self.embed_query = inner.name, inner.dimension, inner.embed_query
        self._inner = inner
        self._documents = {} if documents is None else documents

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = embed_once(self._documents, texts, self._inner.embed_documents)
        return [vectors[text].tolist() for text in texts]


def embed_once(known: Known, texts: Sequence[str], embed: Embed) -> dict[str, Vector]:
    """Return the vectors of texts; those that are not known are made, and kept."""
    found = {text: vector for text in texts if (vector := known.get(text)) is not None}
    if rest := [text for text in dict.fromkeys(texts) if text not in found]:
        made = dict(zip(rest, np.array(embed(rest), np.float32), strict=True))
        known.update(made)
        found |= made
    return found


def embed_many(path: Path, embedder: Embedder, texts: Sequence[str], progress: Progress) -> dict[str, Vector]:
    """Return the vectors of texts, made in batches. A process that ends in the middle leaves those it has made.

    They are kept in the data folder until `forget_vectors`.
    """
    vectors: dict[str, Vector] = {}
    with closing(KnownInFile(path / NAME, f"{embedder.name} {embedder.dimension}")) as kept:
        for start in range(0, len(texts), BATCH):
            vectors |= embed_once(kept, texts[start : start + BATCH], embedder.embed_documents)
            progress(min(start + BATCH, len(texts)), len(texts))
    return vectors


def forget_vectors(path: Path) -> None:
    """Remove what is kept: all of it is stored."""
    remove_database(path / NAME)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
