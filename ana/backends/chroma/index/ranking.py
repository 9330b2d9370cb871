"""Hybrid ranking: vectors for meaning, words for names, dates for days.

An item scores the cosine of its vector, plus what its words score (see ana.backends.chroma.index.words), plus a
constant where its date lies on a day that the query names. The vectors propose the nearest items. Of all others only
those are compared whose words or day could still bring them among the best, since their cosine cannot exceed the
smallest one proposed (the threshold algorithm: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware",
2001).
"""

import heapq
import math
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.lookup import Entry
from ana.backends.chroma.index.sql import Sql
from ana.backends.chroma.index.words import Rows, Words, held_in
from ana.backends.chroma.source import ChromaSource, Vector
from ana.memory.found import First
from ana.memory.query import Asked

NEAREST = 50
"""How many items the vectors propose at least."""

MOST = 500
"""How many more items the words and the days may propose."""

FEW = 1000
"""Up to so many items are all compared: the vector index leaves out one neighbour in 500, differently every time."""

WIDE = 5000
"""A filter is applied to at most so many neighbours; where too few of them pass it, all that pass it are compared."""

_FIRST: dict[First | None, int] = {"id": 0, "phrase": 1, "tag": 2, None: 3}


@dataclass(frozen=True)
class Weights:
    """What each leg is worth. The defaults were chosen on the tuning half of evals/data.

    Args:
        vector: A cosine of 1.
        words: Words that match perfectly.
        day: Lying on a day that the query names.
        due: Whether a text that asks for what is due then, and for nothing besides, is taken as a filter.
    """

    vector: float = 1.0
    words: float = 1.0
    day: float = 0.6
    due: bool = True


@dataclass(frozen=True)
class Hit:
    """An item and what speaks for it.

    Args:
        entry: The item.
        cosine: Likeness of its vector and the query's.
        lexical: What its words score, 0 to 1.
        on_day: Whether its date lies on a day that the query names.
        first: What puts it before all others.
    """

    entry: Entry
    cosine: float
    lexical: float
    on_day: bool
    first: First | None

    def score(self, weights: Weights) -> float:
        return weights.vector * self.cosine + weights.words * self.lexical + weights.day * self.on_day


class Ranking:
    """One query's ranking.

    Args:
        db: The index.
        words: Its lexical leg.
        source: The collection.
        query: What is asked.
        vector: The query's vector, of length 1.
        meant: The filter; None for every item.
        zone: The person's zone.
        weights: What each leg is worth.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        words: Words,
        source: ChromaSource,
        query: Asked,
        vector: Vector,
        meant: Sql | None,
        zone: tzinfo,
        weights: Weights,
    ) -> None:
        self._db = db
        self._everything = len(words)
        self._words = words
        self._source = source
        self._query = query
        self._vector = vector
        self._zone = zone
        self._weights = weights
        self._meant = meant
        self._allowed = None if meant is None else lookup.rows(db, meant)
        self.known = lookup.numbers(db, query.words)
        """The number of each word of the query that some item has had."""
        self._scored = words.scored(list(self.known.values()), len(query.words) - len(self.known))

    @property
    def total(self) -> int:
        """How many items pass the filter."""
        return self._everything if self._allowed is None else len(self._allowed)

    def best(self, limit: int) -> list[Hit]:
        """The best items, at most so many, best first."""
        if not self.total:
            return []
        near, first = self._near(self._allowed, limit), self._first()
        most = min(near.values(), default=1.0)
        if self._query.undated:
            near |= self._near(self._undated(), limit)
        hits = list(self._hits(near, first))
        bar = sorted((hit.score(self._weights) for hit in hits), reverse=True)[limit - 1 :][:1]
        least = bar[0] if bar else -math.inf
        hits += self._compared(self._others(near, first, least - self._weights.vector * most), first, least, most)
        return sorted(hits, key=self._place)[:limit]

    def _others(self, near: Mapping[Entry, float], first: Mapping[int, First], missing: float) -> list[Entry]:
        """What the vectors did not propose and could still be among the best: what is missing, the words may give, and
        having no date where that is asked for."""
        missing -= self._weights.day * self._query.undated
        above = missing / self._weights.words if self._weights.words else math.inf
        likely = self._scored.top(MOST, above, self._allowed).tolist()
        others = {*likely, *self._dated(), *first} - {entry.row for entry in near}
        return _held(lookup.entries(self._db, rows=others), self._allowed)

    def _hits(self, entries: Mapping[Entry, float], first: Mapping[int, First]) -> Iterator[Hit]:
        lexical = self._scored.of(np.array([entry.row for entry in entries], np.int64)).tolist()
        for (entry, cosine), words in zip(entries.items(), lexical, strict=True):
            yield Hit(entry, cosine, words, self._on_day(entry), first.get(entry.row))

    def _compared(self, entries: list[Entry], first: Mapping[int, First], least: float, most: float) -> Iterator[Hit]:
        """Hits with their cosines, of those that reach the least score with the most that a cosine can be."""
        hits = self._hits(dict.fromkeys(entries, most), first)
        close = {hit.entry.row: hit for hit in hits if hit.first or hit.score(self._weights) > least}
        cosines = lookup.cosines(self._db, close, self._vector)
        for row, cosine in cosines.items():
            hit = close[row]
            yield Hit(hit.entry, cosine, hit.lexical, hit.on_day, hit.first)

    def _near(self, allowed: Rows | None, limit: int) -> dict[Entry, float]:
        """The items nearest by vector, with cosines; no other that is allowed has a higher one than their least."""
        count, total = max(NEAREST, limit), self._everything if allowed is None else len(allowed)
        if allowed is None and total > FEW:
            return self._neighbours(allowed, count)
        wide = 2 * count * self._everything // max(total, 1)
        while total > FEW and wide <= min(WIDE, total):
            if len(near := self._neighbours(allowed, wide)) >= limit:
                return near
            wide *= 5
        rows = None if allowed is None else allowed.tolist()
        cosines = lookup.cosines(self._db, rows, self._vector)
        nearest = heapq.nlargest(count, cosines, key=cosines.__getitem__)
        return {entry: cosines[entry.row] for entry in lookup.entries(self._db, rows=nearest)}

    def _neighbours(self, allowed: Rows | None, count: int) -> dict[Entry, float]:
        near = self._source.nearest(self._vector, min(count, self._everything))
        found = _held(lookup.entries(self._db, ids=near), allowed)
        return {entry: near[entry.id] for entry in found}

    def _undated(self) -> Rows:
        """The rows without a date that pass the filter."""
        meant = [self._meant] if self._meant else []
        return lookup.rows(self._db, lookup.all_of([*meant, lookup.is_undated()]))

    def _on_day(self, entry: Entry) -> bool:
        if self._query.undated and entry.span is None:
            return True
        return any(lookup.within(entry, m.first, m.last, self._zone) for m in self._query.mentions)

    def _first(self) -> dict[int, First]:
        """What comes before all others: an item named by its id, one with a quoted phrase, one with a tag."""
        first: dict[int, First] = dict.fromkeys(lookup.tagged(self._db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.with_phrase(self._db, self._words, phrase), "phrase")
        return first | {entry.row: "id" for entry in lookup.entries(self._db, ids=self._query.ids)}

    def _dated(self) -> list[int]:
        """Items on the days that the query names, the earliest first."""
        meant = [self._meant] if self._meant else []
        days = (lookup.on_days(m.first, m.last, self._zone) for m in self._query.mentions)
        found = (lookup.by_date(self._db, lookup.all_of([*meant, day]), MOST) for day in days)
        return [entry.row for entries in found for entry in entries]

    def _place(self, hit: Hit) -> tuple[int, float, str]:
        return _FIRST[hit.first], -hit.score(self._weights), hit.entry.id


def _held(entries: list[Entry], allowed: Rows | None) -> list[Entry]:
    """Those of the entries that pass the filter."""
    if allowed is None:
        return entries
    held = held_in(allowed, np.array([entry.row for entry in entries], np.int64))
    return [entry for entry, holds in zip(entries, held, strict=True) if holds]
