"""Vectors of evaluations are kept in a file, so that another way of ranking is measured in seconds."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np

from ana.embedders import Embedder
from ana.embedders.known import Known, KnownInFile, OnceEmbeddings, embed_once
from ana.values import DELIMITER

PROBE = f"Call the dentist{DELIMITER}type: task"


class KeptEmbeddings:
    """An embedder that asks another one only for what is not known, of documents and of queries."""

    def __init__(self, inner: Embedder, documents: Known, queries: Known) -> None:
        once = OnceEmbeddings(inner, documents)
        self.name, self.dimension, self.embed_documents = once.name, once.dimension, once.embed_documents
        self._inner = inner
        self._queries = queries

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = embed_once(self._queries, [text], lambda _: [self._inner.embed_query(text)])[text].tolist()
        return found


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
