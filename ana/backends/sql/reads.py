"""The reads of a backend that its tables of SQLite and its journal answer, wherever these are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables
from ana.backends.sql.journal import JournalTable
from ana.backends.sql.search import find_similar
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.backend import JournalPosition, RecordKey
from ana.memory.changes import KINDS, Entry, Kind
from ana.memory.item import Item
from ana.values import Json

T = TypeVar("T")


class IndexReads(ABC):
    """A part of a `Backend`; its public methods are those of the protocol, except the one that a backend adds."""

    embedder: Embedder

    @abstractmethod
    def look_up(self, kind: Kind, find: Callable[[ItemTables], T]) -> T:
        """Search in the tables of a kind of record."""

    @property
    def embedder_name(self) -> str:
        return self.embedder.name

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        return self.look_up(kind, lambda tables: find_similar(tables, id, limit))

    def get_vectors(self, kind: Kind, ids: Sequence[str]) -> dict[str, Vector]:
        return self.look_up(kind, lambda tables: lookup.get_vectors(tables.db, ids))

    def list_keys(self) -> dict[str, int]:
        return self.look_up("item", lambda tables: lookup.list_keys(tables.db))

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        return self.look_up("item", lambda tables: lookup.list_values(tables.db, key))


class TableReads(IndexReads):
    """The same reads, for a journal that is a table of SQLite too."""

    journal: JournalTable

    @abstractmethod
    def hold_in_order(self) -> AbstractContextManager[object]:
        """Own tables and journal, so that they stay unchanged. May be nested."""

    @abstractmethod
    def reserve_line_numbers(self, below: int) -> None: ...

    def count(self, kind: Kind) -> int:
        return self.look_up(kind, lambda tables: lookup.count_items(tables.db))

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        with self.hold_in_order():
            return self.journal.entries(turn=turn, id=id, since=since, limit=limit)

    def latest(self, kind: Kind) -> list[Entry]:
        with self.hold_in_order():
            return self.journal.latest(kind)

    def position(self) -> JournalPosition:
        with self.hold_in_order():
            return self.journal.position()

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        with self.hold_in_order():
            entries = self.journal.deletions(record)
            existing = {kind: self._find_existing(kind, entries) for kind in KINDS}
            return [entry for entry in entries if entry.change.id not in existing[entry.change.kind]]

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        with self.hold_in_order():
            return self.journal.turns(thread=thread, prefix=prefix, limit=limit)

    def next_line_number(self) -> int:
        with self.hold_in_order():
            lines = self.look_up("line", lambda tables: lookup.list_items(tables.db))
            used = (int(line.id) for line in lines)
            return max(self.journal.get_next_number("line"), max(used, default=-1) + 1)

    def take_line_number(self) -> int:
        with self.hold_in_order():
            number = self.next_line_number()
            self.reserve_line_numbers(number + 1)
            return number

    def _find_existing(self, kind: Kind, entries: list[Entry]) -> set[str]:
        ids = [entry.change.id for entry in entries if entry.change.kind == kind]
        return {*self.look_up(kind, lambda tables: lookup.find_rows_of_ids(tables.db, ids)).values()} if ids else set()
