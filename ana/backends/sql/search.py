"""Queries over the tables: the items that pass a filter, and their ranking."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.dialect import Sql, join
from ana.backends.sql.items import ItemTables
from ana.backends.sql.lookup import Lookup
from ana.embedders.base import Vector
from ana.memory.item import Item
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import ROUNDING, Ranking, find_bar, sort_similar
from ana.memory.search.result import First, QueryResult, Reason
from ana.memory.search.scoring import Weights
from ana.memory.search.series import SeriesHits
from ana.memory.search.words import QueryWord, Rows, Scores


class TableCandidates:
    """The items of a query with a text and its vector, of length 1; its methods are those of `Candidates`.

    Args:
        series: The repeated items, each at one of its occurrences.
    """

    def __init__(self, at: Lookup, tables: ItemTables, query: ParsedQuery, vector: Vector, series: SeriesHits) -> None:
        self._at, self._tables, self._query, self._vector, self._series = at, tables, query, vector, series
        self.words = tables.load_words(at.db)

    def find_words(self) -> dict[str, QueryWord]:
        return lookup.find_query_words(self._at.db, self._query.words)

    def find_on_day(self) -> Rows:
        conditions = [self._at.select_days(mention.first, mention.last) for mention in self._query.mentions]
        if self._query.undated:
            conditions.append(lookup.UNDATED)
        rows = self._at.find_rows(join("OR", conditions)) if conditions else np.empty(0, np.int64)
        return np.sort(np.concatenate([rows, self._series.rows[self._series.on_day]]))

    def find_with_status(self) -> Rows:
        is_open = self._query.is_open
        return np.empty(0, np.int64) if is_open is None else lookup.find_with_status(self._at.db, is_open=is_open)

    def find_first(self) -> dict[int, First]:
        db = self._at.db
        first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.find_with_phrase(db, self.words, phrase), "phrase")
        return first | dict.fromkeys(lookup.find_rows_of_ids(db, self._query.ids), "id")

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        return lookup.describe_rows(self._at.db, rows)

    def compute_cosines(self, rows: Rows) -> Scores:
        return self._tables.load_vectors(self._at.db).compute_cosines(self._vector, rows)


def find_similar(db: sqlite3.Connection, tables: ItemTables, id: str, limit: int) -> list[tuple[Item, float]]:
    """Return the items nearest to one by its vector, best first, with their cosines; without itself."""
    vector = lookup.get_vectors(db, [id]).get(id)
    if vector is None:
        return []
    vectors = tables.load_vectors(db)
    rows = vectors.list_rows()
    rows = rows[np.isin(rows, [*lookup.find_rows_of_ids(db, [id])], invert=True)]
    cosines = vectors.compute_cosines(vector, rows)
    near = np.flatnonzero(cosines >= find_bar(cosines, limit) - ROUNDING)
    items = lookup.load_items(db, rows[near].tolist())
    return sort_similar(zip(items, cosines[near].tolist(), strict=True))[:limit]


ByDate: TypeAlias = tuple[int, int | None, str | None, str, str]
"""An item found by its date: row, start, date, created_at, id."""


def search(
    db: sqlite3.Connection, tables: ItemTables, query: Query, vector: Vector | None, weights: Weights
) -> QueryResult:
    """Find items. The vector belongs to the query's text; None if it has no text. Errors as of `compile_filter`."""
    at = Lookup(db, tables.get_dates(db, query.zone))
    series = tables.load_series(db, at.dates).find(query)
    conditions = [compile_filter(query.where, at.dates)] if query.has_filter else []
    if query.due:
        conditions.append(at.select_days(*query.due))
    if query.excluded:
        conditions.append(lookup.exclude_status(query.excluded))
    if query.text is None or vector is None:
        return _find_by_date(at, query, conditions, series)
    candidates = TableCandidates(at, tables, query.text, vector, series)
    rows_passing = None
    if conditions:
        rows_passing = np.sort(np.concatenate([at.find_rows(join("AND", conditions)), series.rows]))
    ranking = Ranking(candidates, candidates.words, rows_passing, weights)
    hits = ranking.find_best(query.limit)
    rows, reasons = [hit.row for hit in hits], ranking.explain(hits, query.has_filter)
    return _make_result(db, rows, reasons, ranking.total, series)


def _find_by_date(at: Lookup, query: Query, conditions: list[Sql], series: SeriesHits) -> QueryResult:
    """Find items by their dates; repeated items are sorted in among the others."""
    passing = join("AND", conditions)
    rows = at.find_by_date(passing, query.limit)
    total = at.count(passing) + len(series.rows)
    best = _sort_by_date(rows, series, query.limit)
    reasons = [Reason(date=each[2] if query.due else None, filter=query.has_filter) for each in best]
    return _make_result(at.db, [each[0] for each in best], reasons, total, series)


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
