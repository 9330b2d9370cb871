"""The interface of every embedder, and the two steps all of them share: prepare a text, return unit vectors."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ana.values import plain_text

Vector: TypeAlias = NDArray[np.float32]
Vectors: TypeAlias = Mapping[str, Vector]
"""Vectors by the text that was embedded."""

EMBEDDED = 20_000
"""How many characters of a text are embedded; the pooled vector of a longer one would say nothing more."""


@runtime_checkable
class Embedder(Protocol):
    """Embeddings that know their name and the length of their vectors."""

    name: str
    dimension: int

    def embed_documents(self, texts: list[str]) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


def prepare_text(text: str) -> str:
    """Return the part of a text that is embedded, in a form that UTF-8 can encode."""
    return plain_text(text[:EMBEDDED])


def to_unit_vectors(rows: NDArray[Any]) -> list[list[float]]:
    """Return the rows, of shape (texts, dimension), scaled to length 1.

    A row without a direction (zero, or not finite) becomes the first axis.
    """
    # in 64 bits, as the squares of large 32-bit numbers overflow
    wide = rows.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.linalg.norm(wide, axis=1)
    lost = ~np.isfinite(norms) | (norms == 0.0)
    wide[lost], norms[lost] = np.eye(1, rows.shape[1])[0], 1.0
    result: list[list[float]] = (wide / norms[:, np.newaxis]).astype(np.float32).tolist()
    return result


def use_one_thread() -> None:
    """Compute each product in one thread: several threads wait by spinning, on a busy machine 70 times as long as they
    work.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")


_REVISIONS = {"minilm": 2}
"""How often the vectors of an embedder's documents changed, from 1; older ones stay usable beside new ones."""


def get_revision(name: str) -> int:
    """Return the revision of the document vectors that an embedder makes."""
    return _REVISIONS.get(name, 1)
