"""Queries over one collection: the items of a query, as the derived index and Chroma know them.

In a small collection every item is compared, from vectors in memory: that is exact, and faster than asking the vector
index. In a large one the vector index proposes the nearest items. Others are compared only if their words or date could
still bring them among the best, since their cosine cannot exceed the smallest one proposed (the threshold algorithm:
Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", 2001).
"""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.lookup import Lookup
from ana.backends.chroma.index.sql import EVERYTHING, compile_filter, join
from ana.backends.chroma.source import ChromaSource
from ana.embedders.base import Vector
from ana.memory.search.found import First, Found, Reason
from ana.memory.search.postings import Rows, Terms
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import Ranking, find_bar
from ana.memory.search.scoring import Weights
from ana.memory.search.words import QueryWord, Scores, find_members

FEW = 20_000
"""Up to this number all items are compared: their vectors take 30 MB, which the vector index takes otherwise."""

NEAREST = 50
"""How many items, at least, the vectors propose in a larger collection."""

DEEPER = 3
"""In a larger collection as many times the limit are sought by words that are near, as others may yet move them up.
Of 6,275 lists of 1 to 60 items from questions to 480 items, 18 had another item than with every item compared."""

WIDE = 5000
"""A filter is applied to at most so many neighbours; if too few pass, all items that pass are compared."""

STEP = 100
"""How many more items are compared at once, those first that may score highest."""


class IndexCandidates:
    """The items of one query; its methods are those of `Candidates`.

    The vector has length 1; the weight is that of a cosine in a score.
    """

    def __init__(
        self, at: Lookup, index: Index, source: ChromaSource, query: ParsedQuery, vector: Vector, weight: float
    ) -> None:
        self._at = at
        self._index = index
        self.words = index.load_words(at.db)
        self._source = source
        self._query = query
        self._vector = vector
        self._weight = weight

    def find_words(self) -> dict[str, QueryWord]:
        return lookup.find_query_words(self._at.db, self._query.words)

    def find_on_day(self) -> Rows:
        conditions = [self._at.on_days(mention.first, mention.last) for mention in self._query.mentions]
        if self._query.undated:
            conditions.append(lookup.UNDATED)
        return self._at.find_rows(join("OR", conditions)) if conditions else np.empty(0, np.int64)

    def find_with_status(self) -> Rows:
        asked = self._query.is_open
        return np.empty(0, np.int64) if asked is None else self._at.find_rows(lookup.with_status(is_open=asked))

    def find_first(self) -> dict[int, First]:
        db = self._at.db
        first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.find_with_phrase(db, self.words, phrase), "phrase")
        return first | dict.fromkeys(lookup.find_rows_of_ids(db, self._query.ids), "id")

    def get_terms(self, rows: Sequence[int]) -> list[Terms]:
        return lookup.get_terms(self._at.db, rows)

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None]]:
        return lookup.describe_rows(self._at.db, rows)

    def compare(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        if len(self.words) <= FEW:
            return self._index.load_vectors(self._at.db).compute_cosines(self._vector, rows)
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
        """Compute cosines from stored vectors."""
        wanted = rows[places].tolist()
        found = lookup.compute_cosines(self._at.db, wanted, self._vector)
        cosines[places] = [found[row] for row in wanted]

    def _find_nearest(self, rows: Rows, cosines: Scores, limit: int) -> float:
        """Fill in the cosines of the items nearest by vector, and return a cosine that no other item exceeds."""
        count, every = max(NEAREST, limit), len(self.words)
        wide = 2 * count * every // len(rows) if len(rows) < every else count
        while wide <= min(max(WIDE, limit), every):
            near = self._source.find_nearest(self._vector, wide)
            ids = lookup.find_rows_of_ids(self._at.db, near)
            known = np.fromiter(ids, np.int64, len(ids))
            passing = find_members(rows, known)
            cosines[np.searchsorted(rows, known[passing])] = [near[ids[row]] for row in known[passing].tolist()]
            if np.count_nonzero(passing) >= min(limit, len(rows)):
                return min(near.values())
            wide *= 5  # too few of them pass the filter
        self._fill_in(rows, cosines, np.arange(len(rows)))
        return -1.0


def search(
    db: sqlite3.Connection, index: Index, source: ChromaSource, query: Query, vector: Vector | None, weights: Weights
) -> Found:
    """Find records, while the folder is held; the vector is that of the query's text, None without one.

    Raises:
        ToolError: The filter has more conditions than SQLite takes.
    """
    dates = index.get_dates(db, query.zone)
    at = Lookup(db, dates)
    conditions = [compile_filter(query.where, dates)] if query.has_filter else []
    if query.due:
        conditions.append(at.on_days(*query.due))
    if query.excluded:
        conditions.append(lookup.without_status(query.excluded))
    passing = join("AND", conditions) if conditions else None
    if query.text is None or vector is None:
        found = at.find_by_date(passing or EVERYTHING, query.limit)
        reasons = [Reason(date=date if query.due else None, filter=query.has_filter) for _, date in found]
        rows, total = [row for row, _ in found], at.count(passing or EVERYTHING)
    else:
        candidates = IndexCandidates(at, index, source, query.text, vector, weights.vector)
        ranking = Ranking(candidates, candidates.words, at.find_rows(passing) if passing else None, weights)
        hits = ranking.find_best(query.limit)
        rows, reasons, total = [hit.row for hit in hits], ranking.explain(hits, query.has_filter), ranking.total
    items = lookup.load_items(db, rows)
    return Found(items, total, total > len(items), tuple(reasons))
