"""Queries over one collection: the items of a query, as the derived index and Chroma know them.

In a small collection every item is compared, from vectors in memory: that is exact, and faster than asking the vector
index. In a large one the vector index proposes the nearest items. Others are compared only if their words or date could
still bring them among the best, since their cosine cannot exceed the smallest one proposed (the threshold algorithm:
Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", 2001). Of more equal
items than are asked for, those that the vector index proposes are found, in order among themselves.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ana.backends.chroma.source import ChromaSource
from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables
from ana.backends.sql.lookup import Lookup
from ana.backends.sql.search import TableCandidates
from ana.embedders.base import Vector
from ana.memory.search.postings import Rows
from ana.memory.search.query import ParsedQuery
from ana.memory.search.ranking import DEEPER, find_bar
from ana.memory.search.words import Scores, find_members

FEW = 20_000
"""Up to this number all items are compared: their vectors take 30 MB, which the vector index takes otherwise."""

NEAREST = 50
"""How many items, at least, the vectors propose in a larger collection."""

WIDE = 5000
"""A filter is applied to at most so many neighbours; if too few pass, all items that pass are compared."""

STEP = 100
"""How many more items are compared at once, those first that may score highest."""


class IndexCandidates(TableCandidates):
    """The items of one query. The weight is that of a cosine in a score."""

    def __init__(
        self,
        at: Lookup,
        tables: ItemTables,
        query: ParsedQuery,
        vector: Vector,
        get_source: Callable[[], ChromaSource],
        weight: float,
    ) -> None:
        super().__init__(at, tables, query, vector)
        self._get_source = get_source
        self._weight = weight

    def compare(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        if len(self.words) <= FEW:
            return super().compare(rows, bonus, limit, first)
        return self._compare_likely(rows, bonus, DEEPER * limit, first)

    def _compare_likely(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        cosines = np.full(len(rows), np.nan, np.float32)
        most = self._find_nearest(rows, cosines, limit)
        self._fill_in(rows, cosines, np.searchsorted(rows, first))
        possible = self._weight * most + bonus
        likely = np.flatnonzero(np.isnan(cosines) & (possible > find_bar(self._weight * cosines + bonus, limit)))
        likely = likely[np.argsort(-possible[likely])]
        for start in range(0, len(likely), STEP):
            step = likely[start : start + STEP]
            if possible[step[0]] <= find_bar(self._weight * cosines + bonus, limit):
                break
            self._fill_in(rows, cosines, step)
        return cosines

    def _fill_in(self, rows: Rows, cosines: Scores, places: NDArray[np.intp]) -> None:
        wanted = rows[places].tolist()
        found = lookup.compute_cosines(self.at.db, wanted, self.vector)
        cosines[places] = [found[row] for row in wanted]

    def _find_nearest(self, rows: Rows, cosines: Scores, limit: int) -> float:
        """Fill in the cosines of the items nearest by vector, and return a cosine that no other item exceeds."""
        count, every = max(NEAREST, limit), len(self.words)
        wide = 2 * count * every // len(rows) if len(rows) < every else count
        while wide <= min(max(WIDE, limit), every):
            near = self._get_source().find_nearest(self.vector, wide)
            ids = lookup.find_rows_of_ids(self.at.db, near)
            known = np.fromiter(ids, np.int64, len(ids))
            passing = find_members(rows, known)
            cosines[np.searchsorted(rows, known[passing])] = [near[ids[row]] for row in known[passing].tolist()]
            if np.count_nonzero(passing) >= min(limit, len(rows)):
                return min(near.values())
            wide *= 5  # too few of them pass the filter
        self._fill_in(rows, cosines, np.arange(len(rows)))
        return -1.0
