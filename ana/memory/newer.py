"""Putting the newer of two facts first if they say much the same, because a replaced fact is seldom deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from ana.memory.item import Item
from ana.memory.reader import Reader
from ana.memory.search.result import QueryResult
from ana.memory.similar import IN_ORDER, is_fact, is_same_matter

FIRST = 10
"""So many of what was found are compared with each other."""


def put_newer_first(memory: Reader, result: QueryResult) -> tuple[QueryResult, dict[str, str]]:
    """Return an answer to a text with each fact before older similar ones; nothing else moves. With it, for each older
    fact about the same matter, by its id, the id of the newer one.
    """
    if not result.fitting:
        return result, {}
    order = [item.id for item in result.items]
    older: dict[str, str] = {}
    for newer, other, is_same in _list_pairs(memory, result.items[:FIRST]):
        if order.index(other) < order.index(newer):
            order.remove(newer)
            order.insert(order.index(other), newer)
        if is_same:
            older[other] = newer
    known = {item.id: (item, reason) for item, reason in zip(result.items, result.reasons, strict=True)}
    items, reasons = [known[id][0] for id in order], tuple(known[id][1] for id in order)
    return replace(result, items=items, reasons=reasons), older


def _list_pairs(memory: Reader, items: Sequence[Item]) -> Iterator[tuple[str, str, bool]]:
    """Yield the ids of each pair of a newer and an older similar fact, and whether they are about the same matter."""
    facts = [item for item in items if is_fact(item)]
    least = IN_ORDER.get(memory.backend.embedder_name)
    if least is None or len(facts) < 2:
        return
    recorded = {item.id: memory.get_recorded_at(item) for item in facts}
    vectors = memory.backend.get_vectors("item", [*recorded])
    facts.sort(key=lambda item: recorded[item.id])
    for older, newer in combinations((item for item in facts if item.id in vectors), 2):
        cosine = float(vectors[newer.id] @ vectors[older.id])
        is_same = is_same_matter(newer, older, cosine)
        if recorded[older.id] < recorded[newer.id] and (is_same or cosine >= least):
            yield newer.id, older.id, is_same
