"""Vectors of evaluations are kept in a file, so that another way of ranking is measured in seconds."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np

from ana.embedders import Embedder
from ana.embedders.known import KnownInFile, OnceEmbeddings
from ana.values import DELIMITER

PROBE = f"Call the dentist{DELIMITER}type: task"


def keep_vectors(inner: Embedder) -> OnceEmbeddings:
    """Return an embedder that makes each vector once; PROBE's vectors tell one that embeds otherwise than before."""
    file = Path(tempfile.gettempdir()) / "ana-evals" / f"{inner.name}-vectors.sqlite"
    probed = np.round(np.array([inner.embed_query(PROBE), *inner.embed_documents([PROBE])]), 3)
    version = hashlib.sha256(probed.tobytes()).hexdigest()
    return OnceEmbeddings(inner, KnownInFile(file, f"{version} document"), KnownInFile(file, f"{version} query"))


class PlainEmbeddings:
    """An embedder that embeds a document like a query: as it is.

    Args:
        inner: The embedder.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimension, self.embed_query = inner.name, inner.dimension, inner.embed_query

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return list(map(self.embed_query, texts))
