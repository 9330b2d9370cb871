"""Hybrid ranking: vectors for meaning, words for names, dates for days.

An item scores the cosine of its vector, plus what its words score (see ana.store.words), plus a constant where its date
lies on a day that the query names. The vectors propose the nearest items, the words the likeliest; of the latter only
those are compared that could still get among the best, since their cosine cannot exceed the smallest one proposed (the
threshold algorithm: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", 2001).
"""

import heapq
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo

import numpy as np

from ana.store import lookup
from ana.store.asked import Asked
from ana.store.base import First
from ana.store.lookup import Entry
from ana.store.source import ChromaSource, Vector
from ana.store.sql import Sql
from ana.store.words import Words, held_in

NEAREST = 50
"""How many items each leg proposes at least."""

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
    day: float = 0.3
    due: bool = True


@dataclass(frozen=True)
class Hit:
    """An item and what speaks for it.

    Args:
        entry: The item.
        cosine: Likeness of its vector and the query's; None while it is not known.
        lexical: What its words score, 0 to 1.
        on_day: Whether its date lies on a day that the query names.
        first: What puts it before all others.
    """

    entry: Entry
    cosine: float | None
    lexical: float
    on_day: bool
    first: First | None

    def score(self, weights: Weights, cosine: float = 0.0) -> float:
        """What it scores; with the cosine given where its own is not known."""
        known = cosine if self.cosine is None else self.cosine
        return weights.vector * known + weights.words * self.lexical + weights.day * self.on_day


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
        count = max(NEAREST, limit)
        near, first = self._near(count, limit), self._first()
        likely = self._scored.top(count, self._allowed).tolist()
        more = {*likely, *self._dated(count), *first} - {entry.row for entry in near}
        hits = [*self._hits(near, first), *self._hits(dict.fromkeys(self._entries(rows=more)), first)]
        return sorted(self._compared(hits, min(near.values(), default=1.0), limit), key=self._place)[:limit]

    def _hits(self, entries: Mapping[Entry, float | None], first: Mapping[int, First]) -> Iterator[Hit]:
        lexical = self._scored.of(np.array([entry.row for entry in entries], np.int64)).tolist()
        for (entry, cosine), words in zip(entries.items(), lexical, strict=True):
            yield Hit(entry, cosine, words, self._on_day(entry), first.get(entry.row))

    def _compared(self, hits: list[Hit], most: float, limit: int) -> Iterator[Hit]:
        """The hits with their cosines, without those that cannot be among the best with the most that theirs can be."""
        bar = sorted((hit.score(self._weights) for hit in hits if hit.cosine is not None), reverse=True)[
            limit - 1 : limit
        ]
        unknown = [hit for hit in hits if hit.cosine is None]
        close = [hit.entry.row for hit in unknown if hit.first or not bar or hit.score(self._weights, most) > bar[0]]
        cosines = lookup.cosines(self._db, close, self._vector)
        for hit in hits:
            if hit.cosine is not None:
                yield hit
            elif hit.entry.row in cosines:
                yield replace(hit, cosine=cosines[hit.entry.row])

    def _near(self, count: int, limit: int) -> dict[Entry, float]:
        """The items nearest by vector, with cosines; no other that is allowed has a higher one than their least."""
        if self._allowed is None:
            return self._neighbours(count)
        wide = 2 * count * self._everything // len(self._allowed)
        while wide <= min(WIDE, len(self._allowed)):
            if len(near := self._neighbours(wide)) >= limit:
                return near
            wide *= 5
        cosines = lookup.cosines(self._db, self._allowed.tolist(), self._vector)
        nearest = heapq.nlargest(count, cosines, key=cosines.__getitem__)
        return {entry: cosines[entry.row] for entry in self._entries(rows=nearest)}

    def _neighbours(self, count: int) -> dict[Entry, float]:
        near = self._source.nearest(self._vector, min(count, self._everything))
        return {entry: near[entry.id] for entry in self._entries(ids=near)}

    def _entries(self, *, ids: Iterable[str] = (), rows: Iterable[int] = ()) -> list[Entry]:
        """The entries with these ids and rows that pass the filter."""
        found = lookup.entries(self._db, ids=ids, rows=rows)
        if self._allowed is None:
            return found
        held = held_in(self._allowed, np.array([entry.row for entry in found], np.int64))
        return [entry for entry, holds in zip(found, held, strict=True) if holds]

    def _on_day(self, entry: Entry) -> bool:
        return any(lookup.within(entry, m.first, m.last, self._zone) for m in self._query.mentions)

    def _first(self) -> dict[int, First]:
        """What comes before all others: an item named by its id, one with a quoted phrase, one with a tag."""
        first: dict[int, First] = dict.fromkeys(lookup.tagged(self._db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.with_phrase(self._db, self._words, phrase), "phrase")
        return first | {entry.row: "id" for entry in lookup.entries(self._db, ids=self._query.ids)}

    def _dated(self, count: int) -> list[int]:
        """Items on the days that the query names, the earliest first."""
        meant = [self._meant] if self._meant else []
        days = (lookup.on_days(m.first, m.last, self._zone) for m in self._query.mentions)
        found = (lookup.by_date(self._db, lookup.all_of([*meant, day]), count) for day in days)
        return [entry.row for entries in found for entry in entries]

    def _place(self, hit: Hit) -> tuple[int, float, str]:
        return _FIRST[hit.first], -hit.score(self._weights), hit.entry.id
