"""The ranking of a query over a large collection without scoring every item.

Scores are defined in ana.memory.search.scoring. The vectors propose the nearest items. Other items are compared only
if their words or date could still bring them among the best, since their cosine cannot exceed the smallest one proposed
(the threshold algorithm: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", 2001).
"""

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.lookup import IndexEntry, Lookup
from ana.backends.chroma.index.sql import Sql, join
from ana.backends.chroma.source import ChromaSource
from ana.backends.chroma.vectors import Vector
from ana.memory.search.bm25 import Rows, Words, find_members
from ana.memory.search.found import First
from ana.memory.search.query import ParsedQuery
from ana.memory.search.scoring import Evidence, Weights, is_on_day

NEAREST = 50
"""How many items, at least, the vectors propose."""

MOST = 500
"""How many more items the words and the days may propose."""

FEW = 1000
"""Up to this number all items are compared: the vector index misses one neighbour in 500, each time another."""

WIDE = 5000
"""A filter is applied to at most so many neighbours; if too few pass, all items that pass are compared."""


@dataclass(frozen=True)
class Hit:
    """An item with its evidence."""

    entry: IndexEntry
    evidence: Evidence


class Ranking:
    """The ranking of one query.

    Args:
        at: Look-ups in the zone of the query.
        words: The words of all items.
        source: The collection.
        query: The query's text.
        vector: The query's vector, of length 1.
        passing: The filter; None for every item.
        weights: The weights of a score's parts.
    """

    def __init__(
        self,
        at: Lookup,
        words: Words,
        source: ChromaSource,
        query: ParsedQuery,
        vector: Vector,
        passing: Sql | None,
        weights: Weights,
    ) -> None:
        self._at = at
        self._everything = len(words)
        self._words = words
        self._source = source
        self._query = query
        self._vector = vector
        self._weights = weights
        self._conditions = [passing] if passing else []
        self._allowed = None if passing is None else at.find_rows(passing)
        self._known = lookup.find_term_numbers(at.db, query.words)
        self._word_scores = words.score(list(self._known.values()), len(query.words) - len(self._known))

    @property
    def total(self) -> int:
        """Return how many items pass the filter."""
        return self._everything if self._allowed is None else len(self._allowed)

    def find_best(self, limit: int) -> list[Hit]:
        """Return the best items in order, at most `limit`."""
        if not self.total:
            return []
        near, first = self._find_nearest(self._allowed, limit), self._find_first()
        most = min(near.values(), default=1.0)
        if self._query.undated:
            near |= self._find_nearest(self._find_undated(), limit)  # they get the bonus for a day, so they compete
        hits = list(self._weigh(near, first))
        bar = sorted((hit.evidence.score(self._weights) for hit in hits), reverse=True)[limit - 1 :][:1]
        least = bar[0] if bar else -math.inf
        hits += self._compare(self._find_others(near, first, least - self._weights.vector * most), first, least, most)
        return sorted(hits, key=lambda hit: hit.evidence.rank(hit.entry.id, self._weights))[:limit]

    def find_shared_words(self, hits: Sequence[Hit]) -> dict[int, tuple[str, ...]]:
        """Return the words of the query that each hit has, by its row."""
        return lookup.find_shared_words(self._at.db, [hit.entry.row for hit in hits], self._known)

    def _find_others(
        self, near: Mapping[IndexEntry, float], first: Mapping[int, First], missing: float
    ) -> list[IndexEntry]:
        """Return the items not proposed by the vectors whose words or date may give the missing part of a score."""
        missing -= self._weights.day * self._query.undated
        above = missing / self._weights.words if self._weights.words else math.inf
        likely = self._word_scores.find_top(MOST, above, self._allowed).tolist()
        others = {*likely, *self._find_dated(), *first} - {entry.row for entry in near}
        return _keep_allowed(self._at.get_entries(rows=others), self._allowed)

    def _weigh(self, entries: Mapping[IndexEntry, float], first: Mapping[int, First]) -> Iterator[Hit]:
        lexical = self._word_scores.look_up(np.array([entry.row for entry in entries], np.int64)).tolist()
        for (entry, cosine), words in zip(entries.items(), lexical, strict=True):
            on_day = is_on_day(self._query, entry.span, self._at.zone)
            yield Hit(entry, Evidence(cosine, words, on_day, first.get(entry.row)))

    def _compare(
        self, entries: list[IndexEntry], first: Mapping[int, First], least: float, most: float
    ) -> Iterator[Hit]:
        """Yield hits with their true cosines, if the highest possible cosine would bring them above the least score."""
        hits = self._weigh(dict.fromkeys(entries, most), first)
        close = {hit.entry.row: hit for hit in hits if hit.evidence.first or hit.evidence.score(self._weights) > least}
        for row, cosine in lookup.compute_cosines(self._at.db, close, self._vector).items():
            yield Hit(close[row].entry, replace(close[row].evidence, cosine=cosine))

    def _find_nearest(self, allowed: Rows | None, limit: int) -> dict[IndexEntry, float]:
        """Return the items nearest by vector, with cosines that no other allowed item exceeds."""
        count, total = max(NEAREST, limit), self._everything if allowed is None else len(allowed)
        if allowed is None and total > FEW:
            return self._find_neighbours(allowed, count)
        wide = 2 * count * self._everything // max(total, 1)
        while total > FEW and wide <= min(WIDE, total):
            if len(near := self._find_neighbours(allowed, wide)) >= limit:
                return near
            wide *= 5  # too few of them pass the filter
        rows = None if allowed is None else allowed.tolist()
        cosines = lookup.compute_cosines(self._at.db, rows, self._vector)
        nearest = heapq.nlargest(count, cosines, key=cosines.__getitem__)
        return {entry: cosines[entry.row] for entry in self._at.get_entries(rows=nearest)}

    def _find_neighbours(self, allowed: Rows | None, count: int) -> dict[IndexEntry, float]:
        near = self._source.find_nearest(self._vector, min(count, self._everything))
        found = _keep_allowed(self._at.get_entries(ids=near), allowed)
        return {entry: near[entry.id] for entry in found}

    def _find_undated(self) -> Rows:
        """Return the rows without a date that pass the filter."""
        return self._at.find_rows(join("AND", [*self._conditions, lookup.UNDATED]))

    def _find_first(self) -> dict[int, First]:
        """Return the rows that come before all others, with the reason: an id, a quoted phrase or a tag."""
        db = self._at.db
        first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.find_with_phrase(db, self._words, phrase), "phrase")
        return first | dict.fromkeys(lookup.find_existing_rows(db, self._query.ids), "id")

    def _find_dated(self) -> list[int]:
        """Return the rows on the days that the query names, the earliest first."""
        days = (self._at.on_days(mention.first, mention.last) for mention in self._query.mentions)
        found = (self._at.find_by_date(join("AND", [*self._conditions, day]), MOST) for day in days)
        return [entry.row for entries in found for entry in entries]


def _keep_allowed(entries: list[IndexEntry], allowed: Rows | None) -> list[IndexEntry]:
    """Return the entries that pass the filter."""
    if allowed is None:
        return entries
    members = find_members(allowed, np.array([entry.row for entry in entries], np.int64))
    return [entry for entry, is_member in zip(entries, members, strict=True) if is_member]
