"""Records by others: finding them by their source, and making them the person's own words."""

from collections.abc import Mapping
from dataclasses import replace

from ana.memory.backend import get_records
from ana.memory.changes import Cause, Change
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.search.result import QueryResult
from ana.memory.sources import PERSON, is_others
from ana.translation import _
from ana.values import Json

OTHERS = "others"
"""Stands for every source but the person."""

EVERY = 1_000_000
"""More items than are looked through."""


def is_from(item: Item, source: str) -> bool:
    """Return whether any part of an item is from a source; for the person, whether all of it is."""
    if source in (PERSON, OTHERS):
        return is_others(item.source) == (source == OTHERS)
    return source in (item.sources.content, *item.sources.properties.values())


def find_from(
    memory: Memory, source: str, text: str | None, where: Mapping[str, Json] | None, limit: int
) -> QueryResult:
    """Find items from a source, like `Memory.find`, with the same errors."""
    result = memory.find(text, where, EVERY)
    places = [n for n, item in enumerate(result.items) if is_from(item, source)]
    fitting = result.fitting and sum(n < result.fitting for n in places[:limit])
    items = [result.items[n] for n in places[:limit]]
    reasons = tuple(result.reasons[n] for n in places[:limit]) if result.reasons else ()
    chosen = replace(result, items=items, total=len(places), truncated=len(places) > limit, reasons=reasons)

    def explain() -> str:
        nowhere = "" if places else _("No item is from {source}.").format(source=f"{source!r:.80}")
        return result.explain() or nowhere

    return replace(chosen, fitting=fitting, explain=explain)


def claim_turn(memory: Memory, turn: str, cause: Cause) -> list[Change]:
    """Mark as the person's own words those records that a turn wrote and that still exist."""
    keys = get_records(memory.backend, {entry.change.key for entry in memory.history(turn=turn)})
    return memory.claim([id if kind == "item" else f"line {id}" for kind, id in keys], cause)
