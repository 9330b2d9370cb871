"""Facts for the model about a repeating item: its rule and next dates, dates that were done or moved, and the dates
that a filter asks for.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from ana.memory.changes import Change
from ana.memory.filters.matching import is_number
from ana.memory.item import Item
from ana.memory.repeating import list_next, tell_dates
from ana.memory.search.result import OtherDates
from ana.memory.status import CANCELLED, DONE, has_status
from ana.memory.travel import read_item_repeat
from ana.output import shorten
from ana.time.dates import add_weekday, day_of, drop_weekday
from ana.time.repeats import (
    DATE_KEYS,
    REPEATING,
    Occurrence,
    Repeat,
    find_passed_over,
    find_present,
    iter_occurrences,
    look_ahead,
    may_repeat,
    read_day_or_moment,
    read_local,
    tell_rule,
)
from ana.values import Json, Properties, plain_text
from tools.call import CallContext

MOST = 3
"""How many items that are left out on a day, and how many more dates of one, are shown."""

_RULE_KEYS = (*DATE_KEYS, *REPEATING, "repeat_from", "except", "moved", "until", "missed")
_UNREAD = "It repeats in words that are not read as a rule: set repeats, or it is found on its one date only."
_CLOSED = (
    "What it repeats is not read as a rule, so it is closed for good. If it goes on, set repeats, status and due_date."
)
_ENDED = "It was the last date: the series has ended."
_FINISHED = "It is closed for good and repeats no more."
_NOT_MARKED = "These were not marked as done: tell the user."
_CANCELLED = "All of the series is cancelled. If one date was meant, take this back and use except."


def tell_repeat(call: CallContext, change: Change, keys: Collection[str]) -> dict[str, Json]:
    """Return notes, by name, on a change of a repeated item; none if it does not repeat."""
    old, after = change.before.properties if change.before else {}, change.after
    if after is None or not may_repeat(after.properties):
        is_finished = after and may_repeat(old) and "status" in keys and has_status(after.properties, DONE)
        return {"done": _FINISHED} if is_finished else {}
    new, repeat = after.properties, read_item_repeat(after, call.clock.zone)
    if repeat is None and "status" in keys and has_status(new, DONE):
        return {"note": _CLOSED}
    if repeat is None:
        return {"note": _UNREAD} if "recurrence" in keys or "repeats" in keys else {}
    coming = list_next(repeat, call.clock.now())
    if "status" in keys and has_status(new, CANCELLED):
        return {"note": _CANCELLED}
    if new.get("done_for") != old.get("done_for"):
        text = f"for {add_weekday(new['done_for'])}; {_ENDED if has_status(new, DONE) else f'next {coming}'}"
        passed = find_passed_over(old, new, repeat.zone)
        return {"done": text} | _tell_passed_over(repeat, passed) | _tell_uncounted(old, new, keys)
    if "status" in keys and change.before and old == new:
        return {"done": f"Nothing changed: it is done for {add_weekday(new.get('done_for'))}; next {coming}."}
    if all(old.get(key) == new.get(key) for key in _RULE_KEYS):
        return {}
    moved = _tell_moved(repeat, old, new)
    notices: dict[str, Json] = {"repeats": _tell_rule(repeat), "next": coming, **moved}
    if repeat.keys[0].name == "due_date":
        notices["if_missed"] = "waits until it is done" if repeat.waits else "passes by itself"
    return notices


def tell_occurrence(
    call: CallContext, item: Item, stored: Item, other_dates: Mapping[str, OtherDates]
) -> dict[str, Json]:
    """Return the facts shown beside an item at an occurrence: since when it is open, whether the series has ended, and
    how many more dates it has within the days asked for, with a few of these dates.
    """
    repeat = read_item_repeat(stored, call.clock.zone)
    if repeat is None:
        return {}
    lead, present = repeat.keys[0].name, find_present(repeat, call.clock.now())
    if present is None:
        return {"ended": True}
    is_open = repeat.waits and present.dates[lead] != item.properties[lead]
    earlier, more = other_dates.get(item.id, (0, 0))
    counts: dict[str, Json] = {"earlier_dates": earlier, "more_dates": more}
    facts: dict[str, Json] = {name: count for name, count in counts.items() if count}
    if 0 < more <= MOST:
        begin = read_local(str(item.properties[lead]), repeat.zone)
        coming = iter_occurrences(repeat, begin, look_ahead(repeat, begin))
        later = (each for each in coming if each.dates[lead] > str(item.properties[lead]))
        facts["then"] = ", ".join(tell_dates(repeat, each) for each in islice(later, more))
    return facts | ({"open_since": add_weekday(present.dates[lead])} if is_open else {})


def tell_exceptions(call: CallContext, where: Mapping[str, Json]) -> str:
    """Return a sentence for each repeating item that a filter on one day does not find because that day is left out of
    the series.
    """
    name = next((key for key in ("$on", *DATE_KEYS) if day_of(drop_weekday(where.get(key)))), None)
    if name is None:
        return ""
    day = str(where[name])[: len("2026-01-13")]
    others = {key: value for key, value in where.items() if key != name}
    items = call.memory.find(None, {**others, "except": {"$contains": day}}, MOST).items
    return " ".join(
        f"{plain_text(shorten(item.content, 60))}: left out{_or_done(item)} on {add_weekday(day)}." for item in items
    )


def _or_done(item: Item) -> str:
    """Return a second possible reason why a date is not found: a date done before its turn, while another waits, is
    left out too.
    """
    return " or done early" if item.properties.get("done_for") else ""


def _tell_passed_over(repeat: Repeat, passed: Sequence[Occurrence]) -> dict[str, Json]:
    """Return a note about unmarked dates before the date that was done."""
    if not passed:
        return {}
    first, last = tell_dates(repeat, passed[0]), tell_dates(repeat, passed[-1])
    return {"passed_over": {"count": len(passed), "from": first, "to": last, "note": _NOT_MARKED}}


def _tell_uncounted(old: Properties, new: Properties, keys: Collection[str]) -> dict[str, Json]:
    """Return a note about numbers that did not change when a date was done: an item has one value of each, and
    `history` sums only changes.
    """
    same = {key: old[key] for key in keys if key in old and old[key] == new.get(key)}
    notes = [
        f'{key} was {value} already; to add it up over dates: {{"$add": {value}}}.'
        for key, value in same.items()
        if is_number(value)
    ]
    return {"note": " ".join(notes)} if notes else {}


def _tell_moved(repeat: Repeat, old: Properties, new: Properties) -> dict[str, Json]:
    """Return the new beginning and end of each date that a change moves, by the date of the rule; nothing for items
    without an end.
    """
    moved, before = new.get("moved"), old.get("moved")
    if not isinstance(moved, dict) or not any(key.name == "end_date" for key in repeat.keys):
        return {}
    fresh = [key for key, to in moved.items() if not isinstance(before, dict) or before.get(key) != to]
    changes: dict[str, Json] = {}
    for key in filter(day_of, fresh):
        at = read_day_or_moment(key, repeat.zone)
        to = repeat.moved.get(at)
        for each in iter_occurrences(repeat, to, to) if to else ():
            if at in (each.at, each.at.date()):
                changes[key] = tell_dates(repeat, each)
    return {"moved": changes} if changes else {}


def _tell_rule(repeat: Repeat) -> str:
    return f"{tell_rule(repeat.rule)}{' after it was done' if repeat.from_done else ''}"
