"""Reading or filling the whole store of a data folder."""

from collections.abc import Iterator, Sequence

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.sql.journal import ENTRY
from ana.backends.whole import WholeStore
from ana.embedders.base import Vector
from ana.memory.changes import Entry, Kind
from ana.memory.item import Item
from ana.memory.search.property_text import render_text


class WholeChroma(WholeStore):
    """A store in a data folder."""

    def __init__(self, backend: ChromaBackend) -> None:
        super().__init__(backend)
        self._backend = backend

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        with self._backend.hold():
            yield from self._backend.collections[kind].source.iter_all()

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        known = {render_text(i.content, i.properties): vector for i, vector in records if vector is not None}
        with self._backend.hold():
            self._backend.collections[kind].put([(item, None) for item, _ in records], known)

    def take_entries(self, entries: Sequence[Entry]) -> None:
        with self._backend.hold_in_order():
            self._backend.journal.fill(entries)

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        with self._backend.hold_in_order():
            self._backend.journal.reserve_numbers(ENTRY, last_entry + 1)
            self._backend.journal.reserve_numbers("line", next_line)
