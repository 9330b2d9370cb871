"""Embedding many texts: in batches, with progress, and kept on disk until all of it is stored.

A process that ends in the middle leaves the vectors it has made, and the next one makes only the rest.
"""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ana.embedders import Embedder
from ana.embedders.base import Progress, Vector
from ana.embedders.known import KnownInFile, embed_once
from ana.files import remove_database

NAME = "vectors.sqlite"
"""The file, in the data folder."""

BATCH = 100
"""Texts embedded between two calls of the progress, and how many make it worth keeping vectors."""


def embed_many(path: Path, embedder: Embedder, texts: Sequence[str], progress: Progress) -> dict[str, Vector]:
    """Return the vectors of texts.

    Args:
        path: The data folder, where they are kept until `forget_vectors`.
        embedder: Makes those that are not kept.
        texts: Any texts.
        progress: Called after each batch.
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
