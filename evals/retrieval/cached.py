"""Vectors of evaluations are kept in a file, so that another way of ranking is measured in seconds."""

import hashlib
import sqlite3
import tempfile
import weakref
from pathlib import Path

import numpy as np

from ana.embedders import Embedder
from ana.embedders.base import Vector, Vectors
from ana.embedders.known import Known, OnceEmbeddings, embed_once
from ana.files import connect_own, remove_database
from ana.values import DELIMITER

PROBE = f"Call the dentist{DELIMITER}type: task"


# after a power failure the last ones are made again
_SCHEMA = """PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, text BLOB, vector BLOB, PRIMARY KEY (embedder, text))"""


class KnownInFile:
    """Vectors in a SQLite file.

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
        weakref.finalize(self, self._db.close)  # as of a dictionary, nobody need end it

    def get(self, text: str, /) -> Vector | None:
        find = "SELECT vector FROM vectors WHERE embedder = ? AND text = ?"
        row = self._db.execute(find, (self._maker, _digest(text))).fetchone()
        return np.frombuffer(row[0], np.float32) if row else None

    def update(self, vectors: Vectors, /) -> None:
        rows = [(self._maker, _digest(text), vector.tobytes()) for text, vector in vectors.items()]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)


class KeptEmbeddings:
    """An embedder that asks another one only for what is not known, of documents and of queries."""

    def __init__(self, inner: Embedder, documents: Known, queries: Known) -> None:
        once = OnceEmbeddings(inner, documents)
        self.name, self.dimension, self.embed_documents = once.name, once.dimension, once.embed_documents
        self._inner = inner
        self._queries = queries

    def embed_query(self, text: str) -> list[float]:
        row: list[float] = embed_once(self._queries, [text], lambda _: [self._inner.embed_query(text)])[text].tolist()
        return row


def keep_vectors(inner: Embedder) -> KeptEmbeddings:
    """Return an embedder that makes each vector once; PROBE's vectors tell one that embeds otherwise than before."""
    file = Path(tempfile.gettempdir()) / "ana-evals" / f"{inner.name}-vectors.sqlite"
    probed = np.round(np.array([inner.embed_query(PROBE), *inner.embed_documents([PROBE])]), 3)
    version = hashlib.sha256(probed.tobytes()).hexdigest()
    return KeptEmbeddings(inner, KnownInFile(file, f"{version} document"), KnownInFile(file, f"{version} query"))


class PlainEmbeddings:
    """An embedder that embeds a document like a query: as it is.

    Args:
        inner: The embedder.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimension, self.embed_query = inner.name, inner.dimension, inner.embed_query

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
