"""An embedder that remembers its vectors in a file, so that another way of ranking is measured in seconds."""

import hashlib
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ana.embedders import Embedder
from ana.values import DELIMITER

PROBE = f"Call the dentist{DELIMITER}type: task"

Embed = Callable[[list[str]], list[list[float]]]


class CachedEmbeddings:
    """Another embedder's vectors.

    Args:
        inner: The embedder; one that embeds otherwise than before is known by its vector of PROBE.
        plain: Whether a document is embedded like a query: as it is.
    """

    def __init__(self, inner: Embedder, *, plain: bool = False) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self._inner = inner
        self._plain = plain
        folder = Path(tempfile.gettempdir()) / "ana-evals"
        folder.mkdir(exist_ok=True)
        self._db = sqlite3.connect(folder / f"{inner.name}.sqlite", check_same_thread=False, isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        probed = np.round(np.array([inner.embed_query(PROBE), *inner.embed_documents([PROBE])]), 3)
        self._version = hashlib.sha256(probed.tobytes()).digest()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self._plain:
            return list(map(self.embed_query, texts))
        return self._look_up("document", texts, self._inner.embed_documents)

    def embed_query(self, text: str) -> list[float]:
        return self._look_up("query", [text], lambda texts: [self._inner.embed_query(text) for text in texts])[0]

    def _look_up(self, kind: str, texts: list[str], embed: Embed) -> list[list[float]]:
        digests = [hashlib.sha256(self._version + kind.encode() + text.encode()).digest() for text in texts]
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if self._read(digest) is None}
        vectors = np.array(embed(list(new.values())), np.float32)
        rows = ((digest, vector.tobytes()) for digest, vector in zip(new, vectors, strict=True))
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self._db.execute("COMMIT")
        return [np.frombuffer(self._read(digest) or b"", np.float32).tolist() for digest in digests]

    def _read(self, digest: bytes) -> bytes | None:
        found = self._db.execute("SELECT vector FROM vectors WHERE digest = ?", (digest,)).fetchone()
        return found[0] if found else None
