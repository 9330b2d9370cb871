"""Queries over the tables: what passes a filter, and its ranking."""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.compiler import EVERYTHING, compile_filter, join
from ana.backends.sql.items import ItemTables
from ana.backends.sql.lookup import Lookup
from ana.embedders.base import Vector
from ana.memory.search.found import First, Found, Reason
from ana.memory.search.postings import Rows, Terms
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import Ranking
from ana.memory.search.scoring import Weights
from ana.memory.search.words import QueryWord, Scores


class TableCandidates:
    """The items of a query with a text; its methods are those of `Candidates`. Every item's vector is compared.

    Args:
        at: Look-ups in the query's zone.
        tables: The items.
        query: The text.
        vector: Its vector, of length 1.
    """

    def __init__(self, at: Lookup, tables: ItemTables, query: ParsedQuery, vector: Vector) -> None:
        self.at = at
        self.tables = tables
        self.words = tables.load_words(at.db)
        self.vector = vector
        self._query = query

    def find_words(self) -> dict[str, QueryWord]:
        return lookup.find_query_words(self.at.db, self._query.words)

    def find_on_day(self) -> Rows:
        conditions = [self.at.on_days(mention.first, mention.last) for mention in self._query.mentions]
        if self._query.undated:
            conditions.append(lookup.UNDATED)
        return self.at.find_rows(join("OR", conditions)) if conditions else np.empty(0, np.int64)

    def find_with_status(self) -> Rows:
        asked = self._query.is_open
        return np.empty(0, np.int64) if asked is None else self.at.find_rows(lookup.with_status(is_open=asked))

    def find_first(self) -> dict[int, First]:
        db = self.at.db
        first: dict[int, First] = dict.fromkeys(lookup.find_tagged(db, self._query.tags), "tag")
        for phrase in self._query.phrases:
            first |= dict.fromkeys(lookup.find_with_phrase(db, self.words, phrase), "phrase")
        return first | dict.fromkeys(lookup.find_rows_of_ids(db, self._query.ids), "id")

    def get_terms(self, rows: Sequence[int]) -> list[Terms]:
        return lookup.get_terms(self.at.db, rows)

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        return lookup.describe_rows(self.at.db, rows)

    def compare(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        return self.tables.load_vectors(self.at.db).compute_cosines(self.vector, rows)


class TableSearch:
    """Answers queries from the tables.

    Args:
        tables: The items.
        weights: The weights of the ranking.
    """

    def __init__(self, tables: ItemTables, weights: Weights) -> None:
        self.tables = tables
        self.weights = weights

    def find(self, db: sqlite3.Connection, query: Query, vector: Vector | None) -> Found:
        """Find items; the vector is that of the query's text, None without one.

        Raises:
            ToolError: The filter has more conditions than SQLite takes.
        """
        at = Lookup(db, self.tables.get_dates(db, query.zone))
        conditions = [compile_filter(query.where, at.dates)] if query.has_filter else []
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
            candidates = self.make_candidates(at, query.text, vector)
            rows_passing = at.find_rows(passing) if passing else None
            ranking = Ranking(candidates, candidates.words, rows_passing, self.weights)
            hits = ranking.find_best(query.limit)
            rows, reasons, total = [hit.row for hit in hits], ranking.explain(hits, query.has_filter), ranking.total
        items = lookup.load_items(db, rows)
        return Found(items, total, total > len(items), tuple(reasons))

    def make_candidates(self, at: Lookup, text: ParsedQuery, vector: Vector) -> TableCandidates:
        return TableCandidates(at, self.tables, text, vector)
