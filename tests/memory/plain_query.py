"""A query answered in plain Python, by looking at every item."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from itertools import chain

import numpy as np

from ana.memory.filters import matches
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.result import First
from ana.memory.search.scoring import TAG_KEYS, get_days_span
from ana.memory.search.tokens import fold_tag, tokenize
from ana.memory.search.words import QueryWord, Rows, Scores
from ana.memory.status import CLOSED, DONE, has_status
from ana.time.spans import Span, read_date_span


def passes(query: Query, item: Item) -> bool:
    """Return whether an item passes a query's filter, days and statuses."""
    if has_status(item.properties, query.excluded) or not matches(query.where, item):
        return False
    return query.due is None or is_within(read_date_span(item.date, query.zone), *query.due, query.zone)


def sort_by_date(items: list[Item], query: Query) -> None:
    """Sort as every backend does without a text: by own date, undated items last, then the newest first."""
    # sorting is stable, so the least important key goes first
    spans = {item.id: read_date_span(item.date, query.zone) for item in items}
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
        vectors: The vector of each row.
        asked: The query's vector.
    """

    items: Mapping[int, Item]
    text: ParsedQuery
    zone: tzinfo
    words: dict[str, QueryWord]
    vectors: Mapping[int, np.ndarray]
    asked: np.ndarray

    def find_words(self) -> dict[str, QueryWord]:
        return self.words

    def find_on_day(self) -> Rows:
        return self._select(lambda item: is_on_day(self.text, read_date_span(item.date, self.zone), self.zone))

    def find_with_status(self) -> Rows:
        return self._select(lambda item: has_asked_status(self.text, item))

    def find_first(self) -> dict[int, First]:
        texts = {row: tokenize(render_text(item.content, item.properties)) for row, item in self.items.items()}
        reasons = {row: find_first_reason(self.text, item, texts[row]) for row, item in self.items.items()}
        return {row: reason for row, reason in reasons.items() if reason}

    def compute_cosines(self, rows: Rows) -> Scores:
        return np.array([self.vectors[row] @ self.asked for row in rows.tolist()], np.float32)

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        return ((row, self.items[row].id, self.items[row].date, self.items[row].created_at) for row in rows)

    def _select(self, passes: Callable[[Item], bool]) -> Rows:
        return np.array(sorted(row for row, item in self.items.items() if passes(item)), np.int64)


def is_within(span: Span | None, first: date, last: date, zone: tzinfo) -> bool:
    """Return whether an item's own date is within these days."""
    start, stop = get_days_span(first, last, zone)
    # all of it: an item of a week is not of one day
    return span is not None and start <= span[0] <= stop and span[1] <= stop


def is_on_day(query: ParsedQuery, span: Span | None, zone: tzinfo) -> bool:
    """Return whether an item's own date is one that the query names, or missing if it asks for that."""
    if query.undated and span is None:
        return True
    return any(is_within(span, mention.first, mention.last, zone) for mention in query.mentions)


def has_asked_status(query: ParsedQuery, item: Item) -> bool:
    """Return whether an item's status says that it is open, or done, and the query asks for that."""
    if query.is_open is None or not isinstance(item.properties.get("status"), str):
        return False
    return not has_status(item.properties, CLOSED) if query.is_open else has_status(item.properties, DONE)


def find_first_reason(query: ParsedQuery, item: Item, words: Sequence[str]) -> First | None:
    """Return why an item comes before all others, if it does: its id, a quoted phrase among its words, or a tag."""
    if item.id in query.ids:
        return "id"
    if any(_has_phrase(words, phrase) for phrase in query.phrases):
        return "phrase"
    return "tag" if _has_tag(item, query.tags) else None


def _has_phrase(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    return any(tuple(words[at : at + len(phrase)]) == phrase for at in range(len(words) - len(phrase) + 1))


def _has_tag(item: Item, tags: Sequence[str]) -> bool:
    values = chain.from_iterable(
        value if isinstance(value, list) else [value] for key in TAG_KEYS if (value := item.properties.get(key))
    )
    return any(isinstance(value, str) and fold_tag(value) in tags for value in values)
