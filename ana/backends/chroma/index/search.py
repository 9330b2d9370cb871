"""Queries over one collection, by filter and date or by text."""

import sqlite3
from dataclasses import dataclass

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.lookup import IndexEntry, Lookup
from ana.backends.chroma.index.ranking import Ranking
from ana.backends.chroma.index.sql import EVERYTHING, Sql, compile_filter, join
from ana.backends.chroma.source import ChromaSource
from ana.embedders.base import Vector
from ana.memory.search.found import Found, Reason
from ana.memory.search.query import Query
from ana.memory.search.scoring import Weights


@dataclass(frozen=True)
class _Ranked:
    """The best items that pass, and how many pass in all."""

    entries: list[IndexEntry]
    reasons: list[Reason]
    total: int


class Search:
    """Finds records. Used only while the folder is held.

    Args:
        index: The derived index.
        weights: The weights of the ranking.
    """

    def __init__(self, index: Index, weights: Weights) -> None:
        self._index = index
        self._weights = weights

    def find(self, db: sqlite3.Connection, source: ChromaSource, query: Query, vector: Vector | None) -> Found:
        """Find records.

        Args:
            db: The index, made ready.
            source: The collection.
            query: The query.
            vector: The vector of its text, of length 1; None without a text.

        Raises:
            ToolError: The filter has more conditions than SQLite takes.
        """
        dates = self._index.get_dates(db, query.zone)
        at = Lookup(db, dates)
        conditions = [compile_filter(query.where, dates)] if query.has_filter else []
        if query.due:
            conditions.append(at.on_days(*query.due))
        if query.excluded:
            conditions.append(lookup.without_status(query.excluded))
        passing = join("AND", conditions) if conditions else None
        if query.text is None or vector is None:
            found = _rank_by_date(at, query, passing or EVERYTHING)
        else:
            ranking = Ranking(at, self._index, source, query.text, vector, passing, self._weights)
            found = _rank_by_meaning(ranking, query)
        items = lookup.load_items(db, found.entries)
        return Found(items, found.total, found.total > len(items), tuple(found.reasons))


def _rank_by_date(at: Lookup, query: Query, passing: Sql) -> _Ranked:
    entries = at.find_by_date(passing, query.limit)
    reasons = [Reason(date=entry.date if query.due else None, filter=query.has_filter) for entry in entries]
    return _Ranked(entries, reasons, at.count(passing))


def _rank_by_meaning(ranking: Ranking, query: Query) -> _Ranked:
    hits = ranking.find_best(query.limit)
    words = ranking.find_shared_words(hits)
    reasons = [hit.evidence.explain(words.get(hit.entry.row, ()), hit.entry.date, query.has_filter) for hit in hits]
    return _Ranked([hit.entry for hit in hits], reasons, ranking.total)
