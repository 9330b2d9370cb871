"""Queries over one collection, by filter and date or by text."""

import sqlite3

from ana.backends.chroma.index import lookup
from ana.backends.chroma.index.candidates import IndexCandidates
from ana.backends.chroma.index.index import Index
from ana.backends.chroma.index.lookup import Lookup
from ana.backends.chroma.index.sql import EVERYTHING, compile_filter, join
from ana.backends.chroma.source import ChromaSource
from ana.embedders.base import Vector
from ana.memory.search.found import Found, Reason
from ana.memory.search.query import Query
from ana.memory.search.ranking import Ranking
from ana.memory.search.scoring import Weights


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
            entries = at.find_by_date(passing or EVERYTHING, query.limit)
            reasons = [Reason(date=entry.date if query.due else None, filter=query.has_filter) for entry in entries]
            rows, total = [entry.row for entry in entries], at.count(passing or EVERYTHING)
        else:
            candidates = IndexCandidates(at, self._index, source, query.text, vector, self._weights.vector)
            ranking = Ranking(candidates, candidates.words, at.find_rows(passing) if passing else None, self._weights)
            hits = ranking.find_best(query.limit)
            rows, reasons, total = [hit.row for hit in hits], ranking.explain(hits, query.has_filter), ranking.total
        items = lookup.load_items(db, rows)
        return Found(items, total, total > len(items), tuple(reasons))
