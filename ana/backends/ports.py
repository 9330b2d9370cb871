"""What a store offers besides `Backend`: its maintenance, and reading or writing it as a whole."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.backend import Backend
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item
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


class WholeStore(Backend, Protocol):
    """A backend that can be filled while it is empty and nobody else uses it."""

    def scan_vectors(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        """Yield every record of a kind with its vector, while others are kept out."""

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        """Store records without the journal; one without a vector is embedded."""

    def take_entries(self, entries: Sequence[Entry]) -> None:
        """Add entries to the journal under their own numbers; the records are there already."""

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        """Make sure that no number is used twice."""
