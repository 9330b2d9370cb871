"""Whole stores: each backend hands out everything in it, and takes everything from another backend or a backup."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Protocol

from ana.embedders.base import Vector
from ana.memory.backend import Backend
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item


class StoreSource(Protocol):
    """Hands out all of a store, while its owner keeps everybody else out."""

    @property
    def embedder_name(self) -> str:
        """Return the name of the embedder that made the vectors."""

    def count(self, kind: Kind) -> int:
        """Return how many records of a kind there are."""

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        """Yield every record of a kind with its vector."""

    def entries(self) -> Iterator[Entry]:
        """Yield all of the journal, the oldest first."""

    def numbers(self) -> tuple[int, int]:
        """Return the number of the last entry ever made, and the number of the next line."""


class WholeStore(StoreSource):
    """A backend's `StoreSource`, which can also be filled; it is empty before."""

    def __init__(self, backend: Backend) -> None:
        self._whole = backend

    @property
    def embedder_name(self) -> str:
        """Return the name of what made the vectors, and of what makes those of records that are taken."""
        return self._whole.embedder_name

    def count(self, kind: Kind) -> int:
        return self._whole.count(kind)

    def entries(self) -> Iterator[Entry]:
        return reversed(self._whole.entries())

    def numbers(self) -> tuple[int, int]:
        return self._whole.position()[0], self._whole.next_line_number()

    @abstractmethod
    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        """Store records; one without a vector is embedded."""

    @abstractmethod
    def take_entries(self, entries: Sequence[Entry]) -> None:
        """Add entries to the journal under their own numbers; the records are there already."""

    @abstractmethod
    def take_numbers(self, last_entry: int, next_line: int) -> None:
        """Give no number again that was given."""
