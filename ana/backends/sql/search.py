"""Queries over the tables: the items that pass a filter, and their ranking."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import tzinfo
from functools import partial

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.dialect import Sql, join
from ana.backends.sql.items import ItemTables
from ana.backends.sql.lookup import ByDate
from ana.embedders.base import Vector
from ana.memory.item import Item
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import ROUNDING, Ranking, Weights, find_bar, sort_similar
from ana.memory.search.result import First, QueryResult, Reason
from ana.memory.search.series import SeriesHits
from ana.memory.search.words import NO_ROWS, Rows, Words, find_members


def find_similar(tables: ItemTables, id: str, limit: int) -> list[tuple[Item, float]]:
    """Return the items nearest to one by its vector, best first, with their cosines; without itself."""
    db = tables.db
    vector = lookup.get_vectors(db, [id]).get(id)
    if vector is None:
        return []
    vectors = tables.load_vectors()
    rows = vectors.list_rows()
    rows = rows[np.isin(rows, [*lookup.find_rows_of_ids(db, [id])], invert=True)]
    cosines = vectors.compute_cosines(vector, rows)
    near = np.flatnonzero(cosines >= find_bar(cosines, limit) - ROUNDING)
    items = lookup.load_items(db, rows[near].tolist())
    return sort_similar(zip(items, cosines[near].tolist(), strict=True))[:limit]


def search(tables: ItemTables, query: Query, vector: Vector | None, weights: Weights | None = None) -> QueryResult:
    """Find items. The vector belongs to the query's text; None if it has no text. Errors as of `compile_filter`."""
    db = tables.db
    tables.use_zone(query.zone)
    series = tables.load_series(query.zone).find(query)
    conditions = [compile_filter(query.where)] if query.has_filter else []
    if query.due:
        conditions.append(lookup.select_days(*query.due, query.zone))
    if query.excluded:
        conditions.append(lookup.exclude_status(query.excluded))
    if query.text is None or vector is None:
        return _find_by_date(db, query, conditions, series)
    words = tables.load_words()
    rows = words.list_rows()
    if conditions:
        rows = np.sort(np.concatenate([lookup.find_rows(db, join("AND", conditions)), series.rows]))
    if not len(rows):
        return QueryResult([], 0, truncated=False)
    ranking = Ranking(
        rows=rows,
        cosines=tables.load_vectors().compute_cosines(vector, rows),
        on_day=find_members(_find_on_day(db, query.text, query.zone, series), rows),
        has_status=find_members(lookup.find_with_status(db, is_open=query.text.is_open), rows),
        first=_find_first(db, words, query.text),
        query_words=lookup.find_query_words(db, query.text.words),
        words=words,
        weights=weights or Weights(),
    )
    hits = ranking.find_best(query.limit, partial(lookup.describe_rows, db))
    reasons = ranking.explain(hits, query.has_filter)
    return _make_result(db, [hit.row for hit in hits], reasons, len(rows), series)


def _find_on_day(db: sqlite3.Connection, text: ParsedQuery, zone: tzinfo, series: SeriesHits) -> Rows:
    """Return the rows on the days that a query names, ascending, and those without a date if it asks for them."""
    conditions = [lookup.select_days(mention.first, mention.last, zone) for mention in text.mentions]
    if text.undated:
        conditions.append(lookup.UNDATED)
    rows = lookup.find_rows(db, join("OR", conditions)) if conditions else NO_ROWS
    return np.sort(np.concatenate([rows, series.rows[series.on_day]]))


def _find_first(db: sqlite3.Connection, words: Words, text: ParsedQuery) -> dict[int, First]:
    first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, text.tags), "tag")
    for phrase in text.phrases:
        first |= dict.fromkeys(lookup.find_with_phrase(db, words, phrase), "phrase")
    return first | dict.fromkeys(lookup.find_rows_of_ids(db, text.ids), "id")


def _find_by_date(db: sqlite3.Connection, query: Query, conditions: list[Sql], series: SeriesHits) -> QueryResult:
    """Find items by their dates; repeated items are sorted in among the others."""
    passing = join("AND", conditions)
    rows = lookup.find_by_date(db, passing, query.limit)
    total = lookup.count_passing(db, passing) + len(series.rows)
    best = _sort_by_date(rows, series, query.limit)
    reasons = [Reason(date=each[2] if query.due else None, filter=query.has_filter) for each in best]
    return _make_result(db, [each[0] for each in best], reasons, total, series)


def _sort_by_date(rows: Iterable[ByDate], series: SeriesHits, limit: int) -> list[ByDate]:
    """Return the first of the items found by date and of the repeated items, in their order."""
    every = [*rows]
    for row, start, item in series.find_earliest(limit):
        every.append((row, start, item.date, item.created_at, item.id))
    # sorting is stable, so the least important key goes first
    every.sort(key=lambda each: each[4])
    every.sort(key=lambda each: each[3], reverse=True)
    every.sort(key=lambda each: (each[1] is None, each[1] or 0, each[2] or ""))
    return every[:limit]


def _make_result(
    db: sqlite3.Connection, rows: list[int], reasons: list[Reason], total: int, series: SeriesHits
) -> QueryResult:
    """Return the items of these rows, out of `total` that pass; repeated items have the dates of their occurrence."""
    repeating = series.show(rows)
    others = [row for row in rows if row not in repeating]
    every = repeating | dict(zip(others, lookup.load_items(db, others), strict=True))
    items = [every[row] for row in rows]
    dated = (replace(r, date=item.date) if r.date else r for r, item in zip(reasons, items, strict=True))
    is_cut, other_dates, stored = total > len(items), series.count_others(rows), series.list_stored(rows)
    return QueryResult(items, total, is_cut, tuple(dated), other_dates=other_dates, stored=stored)
