"""The ranking of a query's items, the same above every backend: vectors for meaning, words for names, dates for days.

An item's score is the cosine of its vector, plus how well its words match the query's (see `words.py` here), plus a
constant if its date is on a day that the query names, and another if it asks for items that are open, or done, and this
one is. Items with an exact id, a quoted phrase or a tag come first. Every item that passes the filter is compared; its
words only if with the best of words it could be among the best.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from ana.memory.item import Item
from ana.memory.search.result import First, Reason
from ana.memory.search.words import Mask, QueryWord, Rows, Scores, Words, find_members

ROUNDING = 1e-6
"""By how much the scores of equal items may differ."""

FIRST = 64
"""How many items, the best ones without words, have their words compared first; others do if they could score as
high."""

_ORDER: dict[First | None, int] = {"id": 0, "phrase": 1, "tag": 2, None: 3}

T = TypeVar("T")


Described: TypeAlias = tuple[int, str, str | None, str]
"""A row with its item's id, own date and moment of creation."""


@dataclass(frozen=True)
class Weights:
    """The weight of each part of a score, chosen on the tuning halves of evals/data and one half of LoCoMo's
    conversations; the same for every embedder.

    Args:
        vector: A cosine of 1.
        words: Words that match perfectly.
        day: A date on a day that the query names.
        status: A status that the query asks for.
        near: The cosine from which on another word counts in place of the query's; above 1 no other word does.
    """

    vector: float = 1.0
    words: float = 0.6
    day: float = 0.6
    status: float = 0.2
    near: float = 0.0


@dataclass(frozen=True)
class Hit:
    """An item, and the reasons other than words for which it was found."""

    row: int
    id: str
    created_at: str
    reason: Reason


@dataclass(frozen=True)
class Ranking:
    """The ranking of the items that pass a query's filter; the number of its row identifies an item.

    Args:
        rows: Their rows, ascending.
        cosines: The cosine of the query and each row.
        on_day: Whether each is on a day that the query names, or has no date if the query asks for that.
        has_status: Whether each is open, or done, if the query asks for that.
        first: Rows that come before all others if they pass, with the reason: an id, a quoted phrase or a tag.
        query_words: The words of the query, in its order.
        words: The words of all items.
    """

    rows: Rows
    cosines: Scores
    on_day: Mask
    has_status: Mask
    first: dict[int, First]
    query_words: dict[str, QueryWord]
    words: Words
    weights: Weights

    def find_best(self, limit: int, describe: Callable[[Iterable[int]], Iterable[Described]]) -> list[Hit]:
        """Return the best items in order, at most `limit`; `describe` returns the described rows in any order."""
        passing = find_members(self.rows, np.array(list(self.first), np.int64))
        first = {row: reason for (row, reason), passes in zip(self.first.items(), passing, strict=True) if passes}
        weights = self.weights
        bonus = (weights.day * self.on_day + weights.status * self.has_status).astype(np.float32)
        scores: Scores = weights.vector * self.cosines + bonus
        shares = self._score_words(scores, find_members(np.array(sorted(first), np.int64), self.rows), limit)
        scores += weights.words * shares
        best = self.rows[np.flatnonzero(scores >= find_bar(scores, limit) - ROUNDING)]
        hits = [
            Hit(row, id, created_at, self._make_reason(row, date, first.get(row), shares))
            for row, id, date, created_at in describe({*best.tolist(), *first})
        ]
        return _sort_best_first(
            hits, lambda hit: (_ORDER[hit.reason.first], -hit.reason.score, hit.created_at, hit.id)
        )[:limit]

    def _score_words(self, others: Scores, wanted: Mask, limit: int) -> Scores:
        """Return the score of the words of each row that may be among the best, and of the wanted ones; else 0.

        Args:
            others: The score of each row without its words.
        """
        scorer = self.words.weigh(list(self.query_words.values()), self.weights.near)
        shares = np.zeros(len(self.rows), np.float32)
        scored = wanted | find_members(scorer.rare, self.rows) | (others >= find_bar(others, max(limit, FIRST)))
        shares[scored] = scorer.score(self.rows[scored])
        bar = find_bar((others + self.weights.words * shares)[scored], limit)
        # not even with the best of words do the rest reach those
        rest = ~scored & (others + self.weights.words * scorer.most >= bar - 2 * ROUNDING)
        shares[rest] = scorer.score(self.rows[rest])
        return shares

    def explain(self, hits: Sequence[Hit], is_filtered: bool) -> list[Reason]:
        """Return the reason for which each item was found."""
        known = {text: word.number for text, word in self.query_words.items() if word.number is not None}
        terms = (set(self.words.get_terms(hit.row).tolist()) for hit in hits)
        shared = (tuple(word for word, number in known.items() if number in has) for has in terms)
        return [replace(hit.reason, words=words, filter=is_filtered) for hit, words in zip(hits, shared, strict=True)]

    def _make_reason(self, row: int, date: str | None, first: First | None, shares: Scores) -> Reason:
        place, weights = int(self.rows.searchsorted(row)), self.weights
        cosine, words = float(self.cosines[place]), float(shares[place])
        on_day, has_status = bool(self.on_day[place]), bool(self.has_status[place])
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
