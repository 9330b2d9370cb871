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


def search(
    db: sqlite3.Connection, index: Index, source: ChromaSource, query: Query, vector: Vector | None, weights: Weights
) -> Found:
    """Find records, while the folder is held.

    Args:
        db: The index's connection, made ready.
        index: The derived index.
        source: The collection.
        query: The query.
        vector: The vector of its text, of length 1; None without a text.
        weights: The weights of the ranking.

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
