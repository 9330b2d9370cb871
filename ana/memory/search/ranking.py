"""The ranking of a query's items, the same above every backend.

Scores are defined in scoring.py. Every item that passes the filter is compared; its words only if with the best of
words it could be among the best.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from ana.memory.item import Item
from ana.memory.search.result import First, Reason
from ana.memory.search.scoring import Weights
from ana.memory.search.words import Mask, QueryWord, Rows, Scores, Words, find_members

ROUNDING = 1e-6
"""By how much the scores of equal items may differ."""

FIRST = 64
"""How many items, the best ones without words, have their words compared first; others do if they could score as
high."""

_ORDER: dict[First | None, int] = {"id": 0, "phrase": 1, "tag": 2, None: 3}

T = TypeVar("T")


class Candidates(Protocol):
    """The data about the items of a query that a ranking gets from a backend; the number of its row identifies an
    item.
    """

    def find_words(self) -> dict[str, QueryWord]:
        """Return the words of the query, in its order."""

    def find_on_day(self) -> Rows:
        """Return the rows on the days that the query names, ascending, and the rows without a date if the query asks
        for them.
        """

    def find_with_status(self) -> Rows:
        """Return the rows that are open, or done, ascending, if the query asks for that."""

    def find_first(self) -> dict[int, First]:
        """Return the rows that come before all others, with the reason: an id, a quoted phrase or a tag."""

    def compute_cosines(self, rows: Rows) -> Scores:
        """Return the cosines of the query and each row; rows are ascending."""

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        """Return each row with its item's id, own date and moment of creation, in any order."""


@dataclass(frozen=True)
class Hit:
    """An item, and the reasons other than words for which it was found."""

    row: int
    id: str
    created_at: str
    reason: Reason


class Ranking:
    """The ranking of one query, of the rows that pass its filter, ascending, or of all."""

    def __init__(self, candidates: Candidates, words: Words, passing: Rows | None, weights: Weights) -> None:
        self._candidates = candidates
        self._words = words
        self._weights = weights
        self._query_words = candidates.find_words()
        self._rows = words.list_rows() if passing is None else passing
        self.total = len(self._rows)
        """How many items pass the filter."""
        self._on_day = find_members(candidates.find_on_day(), self._rows)
        self._has_status = find_members(candidates.find_with_status(), self._rows)

    def find_best(self, limit: int) -> list[Hit]:
        """Return the best items in order, at most `limit`."""
        if not self.total:
            return []
        known = self._candidates.find_first()
        passing = find_members(self._rows, np.array(list(known), np.int64))
        first = {row: reason for (row, reason), passes in zip(known.items(), passing, strict=True) if passes}
        weights = self._weights
        bonus = (weights.day * self._on_day + weights.status * self._has_status).astype(np.float32)
        cosines = self._candidates.compute_cosines(self._rows)
        scores: Scores = weights.vector * cosines + bonus
        shares = self._score_words(scores, find_members(np.array(sorted(first), np.int64), self._rows), limit)
        scores += weights.words * shares
        best = self._rows[np.flatnonzero(scores >= find_bar(scores, limit) - ROUNDING)]
        hits = [
            Hit(row, id, created_at, self._make_reason(row, date, first.get(row), cosines, shares))
            for row, id, date, created_at in self._candidates.describe({*best.tolist(), *first})
        ]
        return _sort_best_first(
            hits, lambda hit: (_ORDER[hit.reason.first], -hit.reason.score, hit.created_at, hit.id)
        )[:limit]

    def _score_words(self, others: Scores, wanted: Mask, limit: int) -> Scores:
        """Return the score of the words of each row that may be among the best, and of the wanted ones; else 0.

        Args:
            others: The score of each row without its words.
        """
        scorer = self._words.weigh(list(self._query_words.values()), self._weights.near)
        shares = np.zeros(len(self._rows), np.float32)
        scored = wanted | find_members(scorer.rare, self._rows) | (others >= find_bar(others, max(limit, FIRST)))
        shares[scored] = scorer.score(self._rows[scored])
        bar = find_bar((others + self._weights.words * shares)[scored], limit)
        # not even with the best of words do the rest reach those
        rest = ~scored & (others + self._weights.words * scorer.most >= bar - 2 * ROUNDING)
        shares[rest] = scorer.score(self._rows[rest])
        return shares

    def explain(self, hits: Sequence[Hit], is_filtered: bool) -> list[Reason]:
        """Return the reason for which each item was found."""
        known = {text: word.number for text, word in self._query_words.items() if word.number is not None}
        terms = (set(self._words.get_terms(hit.row).tolist()) for hit in hits)
        shared = (tuple(word for word, number in known.items() if number in has) for has in terms)
        return [replace(hit.reason, words=words, filter=is_filtered) for hit, words in zip(hits, shared, strict=True)]

    def _make_reason(self, row: int, date: str | None, first: First | None, cosines: Scores, shares: Scores) -> Reason:
        place, weights = int(self._rows.searchsorted(row)), self._weights
        cosine, words = float(cosines[place]), float(shares[place])
        on_day, has_status = bool(self._on_day[place]), bool(self._has_status[place])
        score = weights.vector * cosine + weights.words * words + weights.day * on_day + weights.status * has_status
        return Reason(vector=cosine, date=date if on_day else None, share=words, score=score, first=first)


def sort_similar(records: Iterable[tuple[Item, float]]) -> list[tuple[Item, float]]:
    """Return records with their cosines, the nearest first, equal ones in the order of `Backend.query`."""
    return _sort_best_first(records, lambda each: (0, -each[1], each[0].created_at, each[0].id))


def _sort_best_first(records: Iterable[T], rank: Callable[[T], tuple[int, float, str, str]]) -> list[T]:
    """Return all by rank (items that must come first, -score, created_at, id); of equal ones the newest first, then by
    id.
    """
    levels: list[list[tuple[int, float, str, str, T]]] = []
    for each in sorted(((*rank(each), each) for each in records), key=lambda ranked: ranked[:2]):
        if levels and levels[-1][0][0] == each[0] and each[1] - levels[-1][0][1] <= ROUNDING:
            levels[-1].append(each)
        else:
            levels.append([each])
    for level in levels:
        level.sort(key=lambda ranked: ranked[3])
        level.sort(key=lambda ranked: ranked[2], reverse=True)
    return [each for level in levels for *_, each in level]


def find_bar(scores: Scores, limit: int) -> float:
    """Return the lowest score among the best; minus infinity if all are."""
    return float(np.partition(scores, -limit)[-limit]) if len(scores) >= limit else -np.inf
