"""Embedding many texts: in batches, with progress, and kept on disk until all of it is stored.

A process that ends in the middle leaves the vectors it has made, and the next one makes only the rest.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ana.embedders import Embedder
from ana.files import connect_own, remove_database

NAME = "vectors.sqlite"
"""The file, in the data folder."""

BATCH = 100
"""Texts embedded between two calls of the progress, and how many make it worth keeping vectors."""

Vector = NDArray[np.float32]
Vectors = Mapping[str, Vector]
"""Vectors by the text that was embedded."""

Progress = Callable[[int, int], None]
"""Called with the number of texts or records done, and of all."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (embedder TEXT, text BLOB, vector BLOB, PRIMARY KEY (embedder, text))"


def embed_many(path: Path, embedder: Embedder, texts: Sequence[str], progress: Progress) -> dict[str, Vector]:
    """Return the vectors of texts.

    Args:
        path: The data folder, where they are kept until `forget_vectors`.
        embedder: Makes those that are not kept.
        texts: Any texts.
        progress: Called after each batch.
    """
    vectors: dict[str, Vector] = {}
    with _open_kept(path) as db:
        for start in range(0, len(texts), BATCH):
            vectors |= _embed_batch(db, embedder, texts[start : start + BATCH])
            progress(min(start + BATCH, len(texts)), len(texts))
    return vectors


def forget_vectors(path: Path) -> None:
    """Remove what is kept: all of it is stored."""
    remove_database(path / NAME)


def _embed_batch(db: sqlite3.Connection, embedder: Embedder, texts: Sequence[str]) -> dict[str, Vector]:
    maker = f"{embedder.name} {embedder.dimension}"
    find = "SELECT vector FROM vectors WHERE embedder = ? AND text = ?"
    rows = ((text, db.execute(find, (maker, _digest(text))).fetchone()) for text in texts)
    kept = {text: np.frombuffer(row[0], np.float32) for text, row in rows if row}
    rest = [text for text in texts if text not in kept]
    made = dict(zip(rest, np.array(embedder.embed_documents(rest), np.float32), strict=True)) if rest else {}
    with db:
        db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
            [(maker, _digest(text), vector.tobytes()) for text, vector in made.items()],
        )
    return kept | made


def _digest(text: str) -> bytes:
    """Return what stands for a text in the file: a purge needs to find no text in it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@contextmanager
def _open_kept(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        db = _connect(path / NAME)
    except sqlite3.DatabaseError:  # damaged: it holds nothing that cannot be made again
        forget_vectors(path)
        db = _connect(path / NAME)
    with closing(db):
        yield db


def _connect(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    db = connect_own(file)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # after a power failure the last batches are made again
        db.execute(_SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db
