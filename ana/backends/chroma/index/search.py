"""Queries over one collection: by filter and date, or by text and what it asks for."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.lookup import Entry
from ana.backends.chroma.index.ranking import Hit, Ranking, Weights
from ana.backends.chroma.index.sql import Sql, compiled
from ana.backends.chroma.source import ChromaSource, Vector
from ana.embedders import Embedder
from ana.errors import ToolError
from ana.memory.filters import And, keys, parse
from ana.memory.found import Found, Reason
from ana.memory.query import Asked, asked
from ana.time.clock import Clock
from ana.values import Json

_EVERY_ITEM = And(())


@dataclass(frozen=True)
class Prepared:
    """A query that was read.

    Args:
        query: What it asks for.
        vector: Its vector, of length 1; None where only its days count.
    """

    query: Asked
    vector: Vector | None


class Search:
    """Finds items. Used only while the folder is held.

    Args:
        index: The derived index.
        embedder: Turns a query into a vector.
        clock: The person's clock: what "Tuesday" means, and where a day begins.
        weights: What each leg of the ranking is worth.
    """

    def __init__(self, index: Index, embedder: Embedder, clock: Clock, weights: Weights) -> None:
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._weights = weights

    def prepared(self, text: str | None) -> Prepared | None:
        """A query's text read and, where its meaning counts, embedded; nothing of the store is used."""
        if not text or not text.strip():
            return None
        query = asked(text, self._clock.now().date())
        if query.due and self._weights.due:
            return Prepared(query, None)
        return Prepared(replace(query, due=None), np.array(self._embedder.embed_query(text), np.float32))

    def query(
        self, source: ChromaSource, prepared: Prepared | None, where: Mapping[str, Json] | None, limit: int
    ) -> Found:
        """Find items.

        Args:
            source: The collection.
            prepared: The text; None for what the filter finds, by date.
            where: The filter.
            limit: At most how many.

        Raises:
            ToolError: The filter or the limit makes no sense.
        """
        node = parse(where, self._clock.zone)
        if limit < 1:
            raise ToolError(f"A limit of {limit} finds nothing.", "Give a limit of 1 or more.")
        db = self._index.ready(source)
        query, vector = (prepared.query, prepared.vector) if prepared else (None, None)
        meant = None if node == _EVERY_ITEM else compiled(node)
        if query is None or vector is None:
            entries, reasons, total = self._by_date(db, query, meant, limit)
        else:
            ranking = Ranking(db, self._index.words(db), source, query, vector, meant, self._clock.zone, self._weights)
            entries, reasons, total = _by_meaning(db, ranking, query, limit, meant is not None)
        items = lookup.items(db, entries)
        unknown = () if total else lookup.unknown(db, keys(node))
        return Found(items, total, total > len(items), unknown, tuple(reasons), query.due if query else None)

    def due(self, source: ChromaSource, first: date, last: date, limit: int) -> Found:
        """The open items whose own date lies on these days, the earliest first."""
        db = self._index.ready(source)
        meant = lookup.all_of([lookup.on_days(first, last, self._clock.zone), lookup.is_open()])
        entries, total = lookup.by_date(db, meant, limit), lookup.total(db, meant)
        return Found(lookup.items(db, entries), total, total > len(entries))

    def _by_date(
        self, db: sqlite3.Connection, query: Asked | None, meant: Sql | None, limit: int
    ) -> tuple[list[Entry], list[Reason], int]:
        asked_for = [meant] if meant else []
        if query and query.due:
            asked_for.append(lookup.is_due(*query.due, self._clock.zone))
        both = lookup.all_of(asked_for)
        entries, total = lookup.by_date(db, both, limit), lookup.total(db, both)
        reasons = [Reason(date=entry.date if query else None, filter=meant is not None) for entry in entries]
        return entries, reasons, total


def _by_meaning(
    db: sqlite3.Connection, ranking: Ranking, query: Asked, limit: int, filtered: bool
) -> tuple[list[Entry], list[Reason], int]:
    hits = ranking.best(limit)
    shared = lookup.shared(db, [hit.entry.row for hit in hits], ranking.known)
    reasons = [_reason(hit, shared.get(hit.entry.row, ()), filtered) for hit in hits]
    return [hit.entry for hit in hits], reasons, ranking.total


def _reason(hit: Hit, words: tuple[str, ...], filtered: bool) -> Reason:
    return Reason(hit.cosine, words, hit.entry.date if hit.on_day else None, hit.first, filtered)
