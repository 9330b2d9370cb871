"""The ranking of a query.

Scores are defined in ana.memory.search.scoring. In a small collection every item is scored, from vectors in memory:
that is exact, and faster than asking the vector index. In a large one the vector index proposes the nearest items.
Others are compared only if their words or date could still bring them among the best, since their cosine cannot exceed
the smallest one proposed (the threshold algorithm: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware",
2001). Words that are hardly near the query's are compared last and only of the items that lead without them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.lookup import IndexEntry, Lookup
from ana.backends.chroma.index.sql import Sql, join
from ana.backends.chroma.source import ChromaSource
from ana.embedders.base import Vector
from ana.memory.search.found import First
from ana.memory.search.postings import Rows
from ana.memory.search.query import ParsedQuery
from ana.memory.search.scoring import Evidence, Weights
from ana.memory.search.words import WordScores, find_members

FEW = 20_000
"""Up to this number all items are compared: their vectors take 30 MB, which the vector index takes otherwise."""

NEAREST = 50
"""How many items, at least, the vectors propose in a larger collection."""

PROPOSED = 100
"""How many items, at least, have all their words compared: the best by vector, day, status and words that are near."""

SPARE = 4
"""As many times the limit have all their words compared. Of 251 questions to 480 items no list had an item that stood
further down before; this is measured, not proved, since words that are hardly near add up."""

DEEPER = 3
"""In a larger collection as many times the limit are sought by words that are near, as others may yet move them up.
Of 6,275 lists of 1 to 60 items from questions to 480 items, 18 had another item than with every item compared."""

WIDE = 5000
"""A filter is applied to at most so many neighbours; if too few pass, all items that pass are compared."""

STEP = 100
"""How many more items are compared at once, those first that may score highest."""

ROUNDING = 1e-6
"""By how much the scores of equal items may differ."""

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Hit:
    """An item with its evidence."""

    entry: IndexEntry
    evidence: Evidence


class Ranking:
    """The ranking of one query.

    Args:
        at: Look-ups in the zone of the query.
        index: The words and the vectors of all items.
        source: The collection.
        query: The query's text.
        vector: The query's vector, of length 1.
        passing: The filter; None for every item.
        weights: The weights of a score's parts.
    """

    def __init__(
        self,
        at: Lookup,
        index: Index,
        source: ChromaSource,
        query: ParsedQuery,
        vector: Vector,
        passing: Sql | None,
        weights: Weights,
    ) -> None:
        self._at = at
        self._index = index
        self._words = index.load_words(at.db)
        self._source = source
        self._query = query
        self._vector = vector
        self._weights = weights
        self._asked = lookup.find_query_words(at.db, query.words)
        every = self._words.propose(list(self._asked.values()), weights.near)
        self._everything = len(every.rows)
        self._scores = every if passing is None else _select(every, at.find_rows(passing))
        self._rows = self._scores.rows
        self._on_day = find_members(self._find_on_day(), self._rows)
        self._has_status = find_members(self._find_with_status(), self._rows)
        bonus = weights.day * self._on_day + weights.status * self._has_status
        self._bonus: Scores = (weights.words * self._scores.scores + bonus).astype(np.float32)
        """All of each item's score but its vector's part; with the words that propose it, see `_compare_words`."""

    @property
    def total(self) -> int:
        """Return how many items pass the filter."""
        return len(self._rows)

    def find_best(self, limit: int) -> list[Hit]:
        """Return the best items in order, at most `limit`."""
        if not self.total:
            return []
        first = self._find_first()
        cosines = self._compare_all() if self._everything <= FEW else self._compare_likely(DEEPER * limit, list(first))
        scores = self._compare_words(self._score(cosines), max(PROPOSED, SPARE * limit), list(first))
        best = np.flatnonzero(scores >= _find_bar(scores, limit) - ROUNDING)
        entries = self._at.get_entries(rows={*self._rows[best].tolist(), *first})
        hits = [self._make_hit(entry, cosines, first.get(entry.row)) for entry in entries]
        return sorted(hits, key=lambda hit: hit.evidence.rank(hit.entry.id, self._weights))[:limit]

    def find_shared_words(self, hits: Sequence[Hit]) -> dict[int, tuple[str, ...]]:
        """Return the words of the query that each hit has, by its row."""
        known = {text: word.number for text, word in self._asked.items() if word.number is not None}
        return lookup.find_shared_words(self._at.db, [hit.entry.row for hit in hits], known)

    def _make_hit(self, entry: IndexEntry, cosines: Scores, first: First | None) -> Hit:
        place = int(np.searchsorted(self._rows, entry.row))
        words, on_day, has_status = self._scores.scores[place], self._on_day[place], self._has_status[place]
        return Hit(entry, Evidence(float(cosines[place]), float(words), bool(on_day), bool(has_status), first))

    def _score(self, cosines: Scores) -> Scores:
        """Return the score of each item; NaN if its cosine is not known."""
        scores: Scores = self._weights.vector * cosines + self._bonus
        return scores

    def _compare_words(self, scores: Scores, count: int, first: Sequence[int]) -> Scores:
        """Return the scores with all words compared, of the rows that come first and those with the highest scores
        without, and NaN for others."""
        best = np.flatnonzero(scores >= _find_bar(scores, count))
        best = np.union1d(best, np.searchsorted(self._rows, np.array(first, np.int64)))
        terms = lookup.get_terms(self._at.db, self._rows[best].tolist())
        words = self._words.score(list(self._asked.values()), terms, self._weights.near)
        complete = np.full(self.total, np.nan, np.float32)
        complete[best] = scores[best] + self._weights.words * (words - self._scores.scores[best])
        self._scores.scores[best] = words
        return complete

    def _compare_all(self) -> Scores:
        """Return the cosine of every item that passes."""
        return self._index.load_vectors(self._at.db).compute_cosines(self._vector, self._rows)

    def _compare_likely(self, limit: int, first: Sequence[int]) -> Scores:
        """Return the cosines of all items that can be among the best, and NaN for others.

        Args:
            limit: How many items are wanted.
            first: Rows that come before all others.
        """
        cosines = np.full(self.total, np.nan, np.float32)
        most = self._find_nearest(cosines, limit)
        self._fill_in(cosines, np.searchsorted(self._rows, first))
        possible = self._weights.vector * most + self._bonus
        likely = np.flatnonzero(np.isnan(cosines) & (possible > _find_bar(self._score(cosines), limit)))
        likely = likely[np.argsort(-possible[likely])]
        for start in range(0, len(likely), STEP):
            step = likely[start : start + STEP]
            if possible[step[0]] <= _find_bar(self._score(cosines), limit):
                break
            self._fill_in(cosines, step)
        return cosines

    def _fill_in(self, cosines: Scores, places: NDArray[np.intp]) -> None:
        """Compute cosines from stored vectors."""
        rows = self._rows[places].tolist()
        found = lookup.compute_cosines(self._at.db, rows, self._vector)
        cosines[places] = [found[row] for row in rows]

    def _find_nearest(self, cosines: Scores, limit: int) -> float:
        """Fill in the cosines of the items nearest by vector, and return a cosine that no other item exceeds."""
        count = max(NEAREST, limit)
        wide = 2 * count * self._everything // self.total if self.total < self._everything else count
        while wide <= min(max(WIDE, limit), self._everything):
            near = self._source.find_nearest(self._vector, wide)
            rows = lookup.find_rows_of_ids(self._at.db, near)
            known = np.fromiter(rows, np.int64, len(rows))
            passing = find_members(self._rows, known)
            cosines[np.searchsorted(self._rows, known[passing])] = [near[rows[row]] for row in known[passing].tolist()]
            if np.count_nonzero(passing) >= min(limit, self.total):
                return min(near.values())
            wide *= 5  # too few of them pass the filter
        self._fill_in(cosines, np.arange(self.total))
        return -1.0

    def _find_first(self) -> dict[int, First]:
        """Return the rows that come before all others, with the reason: an id, a quoted phrase or a tag."""
        db = self._at.db
        first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.find_with_phrase(db, self._words, phrase), "phrase")
        first |= dict.fromkeys(lookup.find_existing_rows(db, self._query.ids), "id")
        passing = find_members(self._rows, np.array(list(first), np.int64))
        return {row: reason for (row, reason), passes in zip(first.items(), passing, strict=True) if passes}

    def _find_on_day(self) -> Rows:
        """Return the rows on the days that the query names, ascending, and those without a date if it asks for them."""
        conditions = [self._at.on_days(mention.first, mention.last) for mention in self._query.mentions]
        if self._query.undated:
            conditions.append(lookup.UNDATED)
        return self._at.find_rows(join("OR", conditions)) if conditions else np.empty(0, np.int64)

    def _find_with_status(self) -> Rows:
        """Return the rows that are open, or done, ascending, if the query asks for that."""
        asked = self._query.is_open
        return np.empty(0, np.int64) if asked is None else self._at.find_rows(lookup.with_status(is_open=asked))


def _select(scores: WordScores, rows: Rows) -> WordScores:
    return WordScores(rows, scores.look_up(rows))


def _find_bar(scores: Scores, limit: int) -> float:
    """Return the lowest known score among the best; minus infinity if all are."""
    known = scores[~np.isnan(scores)]
    return float(np.partition(known, -limit)[-limit]) if len(known) >= limit else -np.inf
