"""Of facts that say much the same the newer one stands first: one that was replaced is seldom deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ana.memory.item import Item
from ana.memory.reader import Reader
from ana.memory.search.found import Found
from ana.memory.similar import find_older, get_words, is_fact

FIRST = 10
"""So many of what was found are compared with each other."""


def put_newer_first(memory: Reader, found: Found) -> tuple[Found, dict[str, str]]:
    """Return an answer to a text with each fact before older ones that are alike, where nothing else moves.

    Beside it, by its id, for each older fact that speaks of the same the id of the newer one.
    """
    if not found.fitting:
        return found, {}
    order = [item.id for item in found.items]
    older: dict[str, str] = {}
    for newer, other, is_same_matter in _list_pairs(memory, found.items[:FIRST]):
        if order.index(other) < order.index(newer):
            order.remove(newer)
            order.insert(order.index(other), newer)
        if is_same_matter:
            older[other] = newer
    known = {item.id: (item, reason) for item, reason in zip(found.items, found.reasons, strict=True)}
    items, reasons = [known[id][0] for id in order], tuple(known[id][1] for id in order)
    return replace(found, items=items, reasons=reasons), older


def _list_pairs(memory: Reader, items: Sequence[Item]) -> Iterator[tuple[str, str, bool]]:
    """Yield the ids of each newer and older fact that are alike, and whether they speak of the same."""
    facts = [item for item in items if is_fact(item)]
    recorded = {item.id: memory.recorded_at(item) for item in facts} if len(facts) > 1 else {}
    facts.sort(key=lambda item: recorded.get(item.id, ""))
    words = [get_words(item) for item in facts]
    for place, newer in enumerate(facts):
        has_words_of_older = any(len(words[place] & each) * 3 >= len(each) for each in words[:place])
        # to ask for the nearest takes milliseconds, which most items are spared
        for other, is_same_matter in find_older(memory.backend, "item", newer, FIRST) if has_words_of_older else ():
            if recorded.get(other.id, recorded[newer.id]) < recorded[newer.id]:
                yield newer.id, other.id, is_same_matter
