"""The dates on which repeating items were done: the items have moved on since, so only the journal has them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ana.memory.changes import Change
from ana.memory.filters import DateOperand, Node, On, iter_conditions, matches
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.status import DONE
from ana.memory.undo import find_all_undone
from ana.time.dates import day_of
from ana.time.repeats import ALSO, DATE_KEYS, may_repeat

MOST_READ = 2000
"""Writes of the journal that are looked through, the newest."""

_EARLY = timedelta(days=7)
"""How long before its date something may have been done."""

_RULE_DATES = (*DATE_KEYS, "until", "except", ALSO, "moved")


def find_done_dates(memory: Memory, where: Node) -> dict[str, list[str]]:
    """Return by id the dates on which each repeating item was done, if a filter on days asks for them."""
    since = _find_first(where)
    if since is None:
        return {}
    undone, by_item = find_all_undone(memory), dict[str, list[str]]()
    for entry in memory.history(since=since, limit=MOST_READ):
        for item in _iter_done(entry.change) if entry.turn not in undone else ():
            if matches(where, replace(item, updated_at=entry.ts)):
                by_item.setdefault(item.id, []).append(str(item.properties["done_for"]))
    return {id: sorted({*dates}) for id, dates in by_item.items()}


def _find_first(node: Node) -> str | None:
    """Return the stamp from which on the journal must be read for a filter; None if the filter has no first day."""
    nodes = (each for each in iter_conditions(node) if isinstance(each, On) or each.key in (*DATE_KEYS, "updated_at"))
    dates = [date for each in nodes for date in ([each.window] if isinstance(each, On) else each.operands)]
    starts = [date.start for date in dates if isinstance(date, DateOperand)]
    try:
        first = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=min(starts)) - _EARLY
    except (ValueError, OverflowError):
        return None
    return first.isoformat(timespec="microseconds")


def _iter_done(change: Change) -> Iterator[Item]:
    """Yield, for each change that marks one date of a repeated item as done, the item on that date alone."""
    old, new = change.before, change.after
    if change.kind != "item" or not old or not new or not may_repeat(old.properties):
        return
    day = new.properties.get("done_for")
    if not day_of(day) or day == old.properties.get("done_for"):
        return
    lead = next(key for key in DATE_KEYS if key in old.properties)
    rest = {key: value for key, value in new.properties.items() if key not in _RULE_DATES}
    yield replace(new, properties=rest | {lead: day, "status": DONE[0]})
