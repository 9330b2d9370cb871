"""Reading or filling a person's whole store in PostgreSQL, in one transaction with their other data."""

from collections.abc import Iterator, Sequence

import numpy as np

from ana.backends.postgres import journal
from ana.backends.postgres.backend import MAKE_STORE, PostgresBackend
from ana.backends.postgres.writing import Writing
from ana.backends.whole import WholeStore
from ana.embedders.base import Vector
from ana.embedders.known import OnceEmbeddings
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item, from_json
from ana.memory.search.property_text import render_text
from ana.postgres.session import Session


class WholePostgres(WholeStore):
    """A store in a transaction to which its backend is bound."""

    def __init__(self, backend: PostgresBackend, session: Session) -> None:
        super().__init__(backend)
        self._backend, self._session = backend, session

    @property
    def embedder_name(self) -> str:
        names = [name for (name,) in self._session.ask("SELECT embedder FROM stores WHERE embedder <> ''")]
        return names[0] if names else super().embedder_name

    def scan(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        query = f"SELECT record, vector FROM records WHERE kind = '{kind}' ORDER BY row"
        for record, vector in self._session.scan(query):
            yield from_json(record), np.frombuffer(vector, np.float32)

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        known = {render_text(item.content, item.properties): vector for item, vector in records if vector is not None}
        # only records are written, without journal entries: `take_entries` brings those
        creations = [Entry(ts="", thread="", turn="", change=Change(kind, item.id, None, item)) for item, _ in records]
        self._session.add(MAKE_STORE)
        Writing(creations, OnceEmbeddings(self._backend.embedder, known)).fill(self._session)
        self._session.run()

    def take_entries(self, entries: Sequence[Entry]) -> None:
        rows = [row for each in entries for row in journal.make_entries([each], each.seq)]
        self._session.insert("entries", journal.ENTRIES, rows)
        self._session.run()

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        self._session.add(MAKE_STORE)
        numbers = "UPDATE stores SET embedder = ?, entries = ?, line = ?"
        self._session.add(numbers, self._backend.embedder.name, last_entry, next_line)
