"""The tables of one kind of record in memory, in a SQLite that has no file."""

import sqlite3
import weakref

from ana.backends.sql.dialect import add_functions
from ana.backends.sql.items import ItemTables
from ana.backends.sql.search import find_similar, search
from ana.backends.sql.tables import make_indexes, make_tables
from ana.embedders.base import Vector
from ana.memory.item import Item
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult
from ana.memory.search.scoring import Weights


class MemoryTables:
    """Records by their properties, words, dates and vectors; one thread at a time."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self.tables = ItemTables()
        weakref.finalize(self, self.db.close)
        add_functions(self.db)
        make_tables(self.db)
        make_indexes(self.db)

    def query(self, query: Query, vector: Vector | None) -> QueryResult:
        """Find records. The vector belongs to the query's text; None if the query has no text."""
        return search(self.db, self.tables, query, vector, Weights())

    def find_similar(self, id: str, limit: int) -> list[tuple[Item, float]]:
        """Return the records nearest to one by its vector, best first, with their cosines; without itself."""
        return find_similar(self.db, self.tables, id, limit)
