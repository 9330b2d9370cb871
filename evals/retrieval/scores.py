"""Recall and reciprocal rank on queries whose right answers are known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ana.values import Json

Finder = Callable[[str, int], list[str]]
"""Takes a query and a limit; returns the ids of the items found, best first."""


@dataclass(frozen=True)
class JudgedQuery:
    """A question with its answer.

    Args:
        id: Its name.
        kind: The sort of question.
        text: The question.
        gold: The exact filter that it means; None if no filter can express it.
        relevant: The ids of all right items; empty if there is no answer.
    """

    id: str
    kind: str
    text: str
    gold: dict[str, Json] | None
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """Means over the queries of one kind: recall in the first 5 and 10, reciprocal rank of the first right one."""

    count: int
    recall5: float
    recall10: float
    mrr: float


def score_queries(find: Finder, queries: Iterable[JudgedQuery]) -> dict[str, Score]:
    """Return the score of each kind of query that has answers, in the order of the kinds' first queries."""
    ranks: dict[str, list[tuple[float, float, float]]] = {}
    for query in queries:
        if query.relevant:
            ranks.setdefault(query.kind, []).append(_score_query(find(query.text, 10), query.relevant))
    return {
        kind: Score(len(each), *(sum(row[n] for row in each) / len(each) for n in range(3)))
        for kind, each in ranks.items()
    }


def _score_query(ids: Sequence[str], relevant: Sequence[str]) -> tuple[float, float, float]:
    right = [place for place, id in enumerate(ids, 1) if id in relevant]
    recall5, recall10 = (sum(place <= depth for place in right) / len(relevant) for depth in (5, 10))
    return recall5, recall10, 1 / right[0] if right else 0.0
