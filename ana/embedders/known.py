"""Vectors that are made once."""

from collections.abc import Callable, Sequence

import numpy as np

from ana.embedders.base import Embedder, Vector
from ana.stopping import Progress, check_stopped, report

Embed = Callable[[list[str]], list[list[float]]]

BATCH = 100
"""Texts embedded between two calls of the progress."""


class OnceEmbeddings:
    """An embedder that asks another one only for those vectors of documents that are not known."""

    def __init__(self, inner: Embedder, documents: dict[str, Vector] | None = None) -> None:
        self.name, self.dimension, self.embed_query = inner.name, inner.dimension, inner.embed_query
        self._inner = inner
        self._documents = {} if documents is None else documents

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = embed_once(self._documents, texts, self._inner.embed_documents)
        return [vectors[text].tolist() for text in texts]


def embed_once(known: dict[str, Vector], texts: Sequence[str], embed: Embed) -> dict[str, Vector]:
    """Return the vectors of texts; new ones are added to the known ones."""
    vectors = {text: vector for text in texts if (vector := known.get(text)) is not None}
    if rest := [text for text in dict.fromkeys(texts) if text not in vectors]:
        new = dict(zip(rest, np.array(embed(rest), np.float32), strict=True))
        known.update(new)
        vectors |= new
    return vectors


def embed_many(embedder: Embedder, texts: Sequence[str], progress: Progress = report) -> dict[str, Vector]:
    """Return the vectors of texts, made in batches. Raises WorkStopped if the present work is stopped meanwhile."""
    vectors: dict[str, Vector] = {}
    for start in range(0, len(texts), BATCH):
        check_stopped()
        embed_once(vectors, texts[start : start + BATCH], embedder.embed_documents)
        progress(min(start + BATCH, len(texts)), len(texts))
    return vectors
