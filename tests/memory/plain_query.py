"""A query answered in plain Python, by looking at every item."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from ana.memory.filters import matches
from ana.memory.item import Item
from ana.memory.search.found import First
from ana.memory.search.postings import Rows, Terms
from ana.memory.search.property_text import property_text
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.scoring import find_first_reason, has_asked_status, is_on_day, is_within
from ana.memory.search.tokens import tokenize
from ana.memory.search.words import QueryWord, Scores
from ana.memory.status import has_status
from ana.time.spans import date_span


def passes(query: Query, item: Item) -> bool:
    """Return whether an item passes a query's filter, days and statuses."""
    if has_status(item.properties, query.excluded) or not matches(query.where, item):
        return False
    return query.due is None or is_within(date_span(item.date, query.zone), *query.due, query.zone)


def sort_by_date(items: list[Item], query: Query) -> None:
    """Sort as every backend does without a text: by own date, undated items last, then the newest first."""
    # sorting is stable, so the least important key goes first
    spans = {item.id: date_span(item.date, query.zone) for item in items}
    items.sort(key=lambda item: item.id)
    items.sort(key=lambda item: item.created_at, reverse=True)
    items.sort(key=lambda item: (spans[item.id] is None, (spans[item.id] or (0, 0))[0], item.date or ""))


@dataclass(frozen=True)
class ItemCandidates:
    """The items that pass a query; its methods are those of `Candidates`.

    Args:
        items: By their rows.
        text: The query's text.
        zone: The person's zone.
        words: The query's words.
        documents: The terms of each row's text.
        vectors: The vector of each row.
        asked: The query's vector.
    """

    items: Mapping[int, Item]
    text: ParsedQuery
    zone: tzinfo
    words: dict[str, QueryWord]
    documents: Mapping[int, Terms]
    vectors: Mapping[int, np.ndarray]
    asked: np.ndarray

    def find_words(self) -> dict[str, QueryWord]:
        return self.words

    def find_on_day(self) -> Rows:
        return self._select(lambda item: is_on_day(self.text, date_span(item.date, self.zone), self.zone))

    def find_with_status(self) -> Rows:
        return self._select(lambda item: has_asked_status(self.text, item))

    def find_first(self) -> dict[int, First]:
        texts = {row: tokenize(property_text(item.content, item.properties)) for row, item in self.items.items()}
        reasons = {row: find_first_reason(self.text, item, texts[row]) for row, item in self.items.items()}
        return {row: reason for row, reason in reasons.items() if reason}

    def compare(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        return np.array([self.vectors[row] @ self.asked for row in rows.tolist()], np.float32)

    def get_terms(self, rows: Sequence[int]) -> list[Terms]:
        return [self.documents[row] for row in rows]

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        return ((row, self.items[row].id, self.items[row].date, self.items[row].created_at) for row in rows)

    def _select(self, passes: Callable[[Item], bool]) -> Rows:
        return np.array(sorted(row for row, item in self.items.items() if passes(item)), np.int64)
