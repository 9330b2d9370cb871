"""Stores that are moved into another database: each gives all that is in it as it is, and takes what another gave."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.backend import Backend
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item


class WholeStore(Protocol):
    """All of a store, whose owner keeps everybody else out. What takes something is empty before."""

    @property
    def backend(self) -> Backend:
        """Return what it is read by otherwise."""

    @property
    def embedder(self) -> Embedder:
        """Return what makes the vectors of what is taken."""

    @property
    def embedder_name(self) -> str:
        """Return the name of what made the vectors that are given."""

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        """Yield every record of a kind with its vector."""

    def list_after(self, seq: int, limit: int) -> list[Entry]:
        """Return at most so many journal entries after one, the oldest first."""

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        """Store records; one without a vector is embedded."""

    def take_entries(self, entries: Sequence[Entry]) -> None:
        """Enter what was done, each entry under the number that it has; the records are there."""

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        """Give no number again that was given."""
