"""The Chroma backend: two collections, the journal beside them, and one owner of the folder at a time.

The layers of the package: client and folder; source and index; collection; acts; this module; care. Only this module
and care are used from outside.
"""

import itertools
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ana.backends.chroma.acts import Acts, Journal
from ana.backends.chroma.care.exchange import finish_exchange, write_again
from ana.backends.chroma.care.healing import Healing, Tell
from ana.backends.chroma.care.rebuild import remove_remains
from ana.backends.chroma.client import map_foreign_errors
from ana.backends.chroma.closed import read_embedder
from ana.backends.chroma.collection import FROM_RECORD, NAMES, ChromaCollection
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.metadata import is_utf8
from ana.backends.chroma.source import PAGE
from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables
from ana.backends.sql.journal import ENTRY
from ana.backends.sql.reads import T, TableReads
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.embedders.known import embed_many
from ana.memory.backend import Expected, RecordKey
from ana.memory.changes import Change, Entry, Kind, net
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.memory.search.query import Query
from ana.memory.search.ranking import Weights
from ana.memory.search.result import QueryResult
from ana.stopping import Progress

if TYPE_CHECKING:
    from chromadb.api.client import Client

_log = logging.getLogger(__name__)


class ChromaBackend(TableReads):
    """A Backend in one data folder, which several processes may use in turns.

    Args:
        path: The data folder; created at the first use.
        program: The name of this process in another's messages.
        person: The person whose folder it is, for its backups; empty if unknown.
        tell: Called with the progress of a repair.
        weights: The weights of the ranking; None for the best measured ones.
        follow: Returns the embedder of another name to which the folder may be bound, or None if it must not be used.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        *,
        timeout: float = 10.0,
        program: str = "ana",
        person: str = "",
        tell: Tell = _log.warning,
        weights: Weights | None = None,
        follow: Callable[[str], Embedder | None] = lambda _: None,
    ) -> None:
        self.path = path
        self.folder = Folder(path, timeout, program, person)
        self.embedder = embedder
        self._follow = follow
        self.collections = {
            kind: ChromaCollection(self.folder, name, embedder, weights or Weights(), FROM_RECORD[kind])
            for kind, name in NAMES.items()
        }
        self.journal: Journal = Journal(path / "journal.sqlite")
        self.acts = Acts(self.collections, self.journal)
        self.healing = Healing(self.folder, self.collections, self.journal, embedder, tell)
        self.folder.before_opening = (self.healing.settle_files, self.healing.heal_if_doubtful)
        self.folder.must_open = lambda: bool(self.healing.steps or self.journal.list_unfinished())
        opened = self._follow_embedder, self._unbind_empty, self.healing.take_steps, self.acts.settle
        self.folder.after_opening = opened

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        with self.hold():
            possible = [id for id in ids if id and is_utf8(id)]  # Chroma refuses others, even to look for them
            return {item.id: item for item in self.collections[kind].source.get_items(possible)}

    def scan(self, kind: Kind, page: int = PAGE) -> Iterator[Item]:
        if kind == "line":
            yield from self.look_up(kind, lambda tables: lookup.list_items(tables.db))
            return
        for offset in itertools.count(0, page):
            with self.hold():  # for a page only, so that a slow reader blocks nobody
                items = self.collections[kind].source.read_page(offset, page)
            yield from items
            if len(items) < page:
                return

    def query(self, query: Query) -> QueryResult:
        # before the folder is held: an embedder may be a server, and slow
        embedder, vector = self.embedder, self._embed_query(query)
        with self.hold() if query.text else self.hold_in_order():
            if self.embedder is not embedder:
                vector = self._embed_query(query)
            return self.collections["item"].query(query, vector)

    def find_change(self, key: str) -> Change | None:
        with self.hold():
            self.acts.settle()  # the change may be in an act that was cut short
            return self.journal.find(key)

    def reserve_line_numbers(self, below: int) -> None:
        with self.hold():
            self.journal.reserve_numbers("line", below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        # before the folder is held: an embedder may be a server, and slow
        new = [change.after for change in net(entry.change for entry in entries) if change.after]
        embedder, vectors = self.embedder, embed_many(self.embedder, [render_text(item) for item in new])
        with self.hold():
            if self.embedder is not embedder:
                vectors = {}
            return self.acts.make(entries, expected or {}, vectors, distinct=distinct)

    def erase(self, records: Collection[RecordKey]) -> None:
        with self.hold():
            self.acts.settle()  # an act that was cut short may need an entry
            self.journal.erase(records)
            self.write_again()
            remove_remains(self.path)

    def write_again(self, embedder: Embedder | None = None, progress: Progress = lambda *_: None) -> int:
        """Write Chroma again, with vectors of an embedder or its present ones; return the number of new vectors."""
        with self.hold() as client:
            self.folder.mark_written()
            try:
                count = write_again(client, self.path, embedder, progress)
            finally:
                self.folder.close()
            for collection in self.collections.values():
                collection.index.discard()
            finish_exchange(self.path)
            return count

    def hold(self) -> AbstractContextManager["Client"]:
        """Own the data folder, with Chroma; errors of Chroma inside become errors of ana. May be nested."""
        return self._map_errors(self.folder.hold())

    def hold_in_order(self) -> AbstractContextManager[None]:
        """Own the data folder as `hold` does, for reads that index and journal can answer while Chroma is closed."""
        return self._map_errors(self.folder.hold_in_order())

    def look_up(self, kind: Kind, find: Callable[[ItemTables], T]) -> T:
        with self.hold_in_order():
            return self.collections[kind].look_up(find)

    @contextmanager
    def _map_errors(self, context: AbstractContextManager[T]) -> Iterator[T]:
        with map_foreign_errors(self.path), context as value:
            try:
                yield value
            except sqlite3.Error:
                self.close()
                raise

    def reading(self) -> AbstractContextManager[object]:
        return self.alone()  # whoever reads Chroma must own the folder too

    @contextmanager
    def alone(self) -> Iterator[None]:
        with ExitStack() as stack:
            with map_foreign_errors(self.path):  # but not those of the caller, which may be about other files
                stack.enter_context(self.folder.hold_in_order())
            yield

    def close(self) -> None:
        self.journal.close()
        for collection in self.collections.values():
            collection.index.close()
        self.folder.close()

    def scan_vectors(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        with self.hold():
            yield from self.collections[kind].source.iter_all()

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        known = {render_text(item): vector for item, vector in records if vector is not None}
        with self.hold():
            self.collections[kind].put([(item, None) for item, _ in records], known)

    def take_entries(self, entries: Sequence[Entry]) -> None:
        with self.hold_in_order():
            self.journal.fill(entries)

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        with self.hold_in_order():
            self.journal.reserve_numbers(ENTRY, last_entry + 1)
            self.journal.reserve_numbers("line", next_line)

    def _follow_embedder(self) -> None:
        """Switch to the embedder with which another process has embedded everything again."""
        bound = read_embedder(self.path)
        if bound and bound != self.embedder.name and (other := self._follow(bound)):
            self.embedder = self.healing.embedder = other
            for collection in self.collections.values():
                collection.embedder = other

    def _unbind_empty(self) -> None:
        """Delete collections that are bound to another embedder, if there is no record; opening creates them again.

        No collection may be bound to an embedder that never made a vector.
        """
        client = self.folder.get_client()
        ours = [collection for collection in client.list_collections() if collection.name in NAMES.values()]
        others = [c for c in ours if (c.metadata or {}).get("ana_embedder") != self.embedder.name]
        if others and not any(collection.count() for collection in ours):
            for collection in others:
                client.delete_collection(collection.name)
            self.folder.mark_written()

    def _embed_query(self, query: Query) -> Vector | None:
        return np.array(self.embedder.embed_query(query.text.text), np.float32) if query.text else None
