"""The maintenance that every store of items has: its embedder, a description of its contents, and embedding them
again.
"""

from typing import Any, Protocol

from ana.embedders import Embedder
from ana.stopping import Progress


class Care(Protocol):
    """Maintenance of a store: checks, repairs and copies."""

    @property
    def embedder(self) -> Embedder:
        """The embedder that makes the vectors."""

    def describe(self) -> list[dict[str, Any]]:
        """Return name, count, embedder and dimension of items and of lines."""

    def reindex(self, progress: Progress) -> int:
        """Embed everything again with the present embedder, while others wait, and return the number of records."""
