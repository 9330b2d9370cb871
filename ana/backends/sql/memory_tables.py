"""The tables of one kind of record in memory, in a SQLite that has no file."""

import sqlite3
import weakref

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.dialect import add_functions
from ana.backends.sql.items import ItemTables
from ana.backends.sql.search import search
from ana.backends.sql.tables import make_indexes, make_tables
from ana.embedders.base import Vector
from ana.memory.item import Item
from ana.memory.search.query import Query
from ana.memory.search.ranking import ROUNDING, find_bar, sort_similar
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
        vector = lookup.get_vectors(self.db, [id]).get(id)
        if vector is None:
            return []
        vectors = self.tables.load_vectors(self.db)
        rows = np.setdiff1d(vectors.list_rows(), [*lookup.find_rows_of_ids(self.db, [id])])
        cosines = vectors.compute_cosines(vector, rows)
        near = np.flatnonzero(cosines >= find_bar(cosines, limit) - ROUNDING)
        items = lookup.load_items(self.db, rows[near].tolist())
        return sort_similar(zip(items, cosines[near].tolist(), strict=True))[:limit]
