"""All that is in a data folder's store, for a move."""

from collections.abc import Iterator, Sequence

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.sql.journal import ENTRY
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item
from ana.memory.search.property_text import property_text


class WholeChroma:
    """A `WholeStore` in a data folder."""

    def __init__(self, backend: ChromaBackend) -> None:
        self.backend = backend

    @property
    def embedder(self) -> Embedder:
        return self.backend.embedder

    @property
    def embedder_name(self) -> str:
        return self.backend.embedder_name

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        with self.backend.hold():
            for each in self.backend.collections[kind].source.iter_all():
                yield each.item, each.vector

    def list_after(self, seq: int, limit: int) -> list[Entry]:
        with self.backend.hold_in_order():
            return self.backend.journal.select("done AND seq > ? ORDER BY seq LIMIT ?", seq, limit)

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        known = {property_text(i.content, i.properties): vector for i, vector in records if vector is not None}
        with self.backend.hold():
            self.backend.collections[kind].put([(item, None) for item, _ in records], known)

    def take_entries(self, entries: Sequence[Entry]) -> None:
        with self.backend.hold_in_order():
            self.backend.journal.fill(entries)

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        with self.backend.hold_in_order():
            self.backend.journal.reserve_numbers(ENTRY, last_entry + 1)
            self.backend.journal.reserve_numbers("line", next_line)
