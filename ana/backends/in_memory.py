"""A backend with its tables in memory: complete and exact, but lost when the process ends. For tests, demos and
temporary copies.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables, make_in_memory
from ana.backends.sql.journal import SCHEMA, JournalTable
from ana.backends.sql.reads import T, TableReads
from ana.backends.sql.search import search
from ana.backends.sql.tables import transaction
from ana.embedders import Embedder
from ana.embedders.base import Vectors
from ana.embedders.known import embed_many
from ana.errors import DuplicateItem
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change, get_records
from ana.memory.changes import KINDS, Change, Entry, Kind, combine, net
from ana.memory.digests import digest_content
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult


class InMemoryBackend(TableReads):
    """Records in the tables of a SQLite that has no file, one for each kind; the journal is beside the items."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._tables: dict[Kind, ItemTables] = {kind: make_in_memory() for kind in KINDS}
        self._tables["item"].db.executescript(SCHEMA)
        self.journal = JournalTable(lambda: self._tables["item"].db)
        self._lock = threading.RLock()

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        return self.look_up(kind, lambda tables: lookup.get_items(tables.db, ids))

    def hold_in_order(self) -> AbstractContextManager[object]:
        return self._lock

    def look_up(self, kind: Kind, find: Callable[[ItemTables], T]) -> T:
        with self._lock:
            return find(self._tables[kind])

    def scan(self, kind: Kind) -> Iterator[Item]:
        return iter(self.look_up(kind, lambda tables: lookup.list_items(tables.db)))

    def query(self, query: Query) -> QueryResult:
        # before the lock is taken: an embedder may be a server, and slow
        vector = np.array(self.embedder.embed_query(query.text.text), np.float32) if query.text else None
        return self.look_up("item", lambda tables: search(tables, query, vector))

    def find_change(self, key: str) -> Change | None:
        with self._lock:
            return self.journal.find(key)

    def reserve_line_numbers(self, below: int) -> None:
        with self._change():
            self.journal.raise_number("line", below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        changes = net(entry.change for entry in entries)
        vectors = embed_many(self.embedder, [render_text(change.after) for change in changes if change.after])
        with self._change():
            if earlier := find_earlier_change(self.journal.find, entries):
                return [earlier]
            check_expected(expected or {}, get_records(self, expected or {}))
            for change in changes if distinct else ():
                self._refuse_copy(change)
            self._store(changes, vectors)
            first = self.journal.get_next_seq()
            self.journal.insert(entries, first, first, done=True)
            read = get_records(self, [change.key for change in changes])
            combined = combine(entry.change for entry in entries)
            return [replace(change, after=read.get(change.key, change.after)) for change in combined]

    def erase(self, records: Collection[RecordKey]) -> None:
        with self._change():
            self.journal.delete(records)

    def fill(self, records: Mapping[RecordKey, Item], entries: Sequence[Entry], line_number: int) -> None:
        """Take over records, their journal, the oldest first, and the number of the next line, into an empty store."""
        changes = [Change(kind, id, None, item) for (kind, id), item in records.items()]
        vectors = embed_many(self.embedder, [render_text(change.after) for change in changes if change.after])
        with self._change():
            self._store(changes, vectors)
            for entry in entries:
                self.journal.insert([entry], entry.seq, entry.seq, done=True)
            self.journal.raise_number("line", line_number)

    def copy(self) -> "InMemoryBackend":
        """Return another backend with the same records and the same journal."""
        copied = InMemoryBackend(self.embedder)
        with self._lock:
            for kind, tables in self._tables.items():
                tables.db.backup(copied._tables[kind].db)
        return copied

    def reading(self) -> AbstractContextManager[object]:
        return self._lock

    def alone(self) -> AbstractContextManager[object]:
        return self._lock

    def close(self) -> None:
        """Do nothing: closing would lose the data."""

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._lock, transaction(self._tables["item"].db), transaction(self._tables["line"].db):
            try:
                yield
            except BaseException:
                for tables in self._tables.values():
                    tables.forget()  # what is undone
                raise

    def _refuse_copy(self, change: Change) -> None:
        if change.after:
            digest = digest_content(change.after.content, change.after.properties)
            if same := lookup.find_same(self._tables[change.kind].db, digest):
                raise DuplicateItem(same[0])

    def _store(self, changes: Sequence[Change], vectors: Vectors) -> None:
        for kind, tables in self._tables.items():
            mine = [change for change in changes if change.kind == kind]
            new = [change.after for change in mine if change.after]
            gone = [change.id for change in mine if change.after is None]
            tables.write([(item, vectors[render_text(item)]) for item in new], gone)
