"""What a model is told of an item that repeats: what was understood, what was done, and what comes next."""

from collections.abc import Collection, Mapping, Sequence

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.repeating import list_next, tell_dates
from ana.memory.status import CANCELLED, DONE, has_status
from ana.output import shorten
from ana.time.dates import day_of, with_weekday, without_weekday
from ana.time.repeats import (
    DATE_KEYS,
    Occurrence,
    Repeat,
    find_passed_over,
    find_present,
    iter_occurrences,
    may_repeat,
    read_day_or_moment,
    read_repeat,
    tell_rule,
)
from ana.values import Json, Properties, plain_text
from tools.call import CallContext

_TOLD = (*DATE_KEYS, "repeats", "repeat_from", "except", "moved", "until", "missed")
_UNREAD = "It repeats in words that are not read as a rule: set repeats, or it is found on its one date only."
_CLOSED = (
    "What it repeats is not read as a rule, so it is closed for good. If it goes on, set repeats, status and due_date."
)
_ENDED = "It was the last date: the series has ended."
MOST_LEFT_OUT = 3
_FINISHED = "It is closed for good and repeats no more."
_NOT_MARKED = "These were not marked as done: tell the user."
_CANCELLED = "All of the series is cancelled. If one date was meant, take this back and use except."


def tell_repeat(call: CallContext, change: Change, given: Collection[str]) -> dict[str, Json]:
    """Return what is told of a change of an item that repeats, by name; nothing of one that does not."""
    old, after = change.before.properties if change.before else {}, change.after
    if after is None or not may_repeat(after.properties):
        is_finished = after and may_repeat(old) and "status" in given and has_status(after.properties, DONE)
        return {"done": _FINISHED} if is_finished else {}
    new, repeat = after.properties, read_repeat(after.properties, call.clock.zone)
    if repeat is None and "status" in given and has_status(new, DONE):
        return {"note": _CLOSED}
    if repeat is None:
        return {"note": _UNREAD} if "recurrence" in given or "repeats" in given else {}
    coming = list_next(repeat, call.clock.now())
    if "status" in given and has_status(new, CANCELLED):
        return {"note": _CANCELLED}
    if new.get("done_for") != old.get("done_for"):
        told = f"for {with_weekday(new['done_for'])}; {_ENDED if has_status(new, DONE) else f'next {coming}'}"
        return {"done": told} | _tell_passed_over(repeat, find_passed_over(old, new, call.clock.zone))
    if "status" in given and change.before and old == new:
        return {"done": f"Nothing changed: it is done for {with_weekday(new.get('done_for'))}; next {coming}."}
    if all(old.get(key) == new.get(key) for key in _TOLD):
        return {}
    moved = _tell_moved(repeat, old, new)
    return {"repeats": _tell_rule(repeat), "next": coming, **moved, "if_missed": _tell_missed(repeat)}


def tell_occurrence(call: CallContext, item: Item, stored: Item, more_dates: Mapping[str, int]) -> dict[str, Json]:
    """Return what stands beside an item at an occurrence: since when it is open, that the series has ended, and how
    many more of its dates are in the days that were asked for."""
    repeat = read_repeat(stored.properties, call.clock.zone) if may_repeat(stored.properties) else None
    if repeat is None:
        return {}
    lead, present = repeat.keys[0].name, find_present(repeat, call.clock.now())
    if present is None:
        return {"ended": True}
    is_open = repeat.waits and present.dates[lead] != item.properties[lead]
    told: dict[str, Json] = {"more_dates": more_dates[item.id]} if item.id in more_dates else {}
    return told | ({"open_since": with_weekday(present.dates[lead])} if is_open else {})


def tell_left_out(call: CallContext, where: Mapping[str, Json]) -> str:
    """Return which of what repeats a filter on one day would find, were it not left out there: a sentence for each."""
    asked = next((key for key in ("$on", *DATE_KEYS) if day_of(without_weekday(where.get(key)))), None)
    if asked is None:
        return ""
    day = str(where[asked])[: len("2026-01-13")]
    others = {key: value for key, value in where.items() if key != asked}
    items = call.memory.find(None, {**others, "except": {"$contains": day}}, MOST_LEFT_OUT).items
    return " ".join(
        f"{plain_text(shorten(item.content, 60))}: left out{_or_done(item)} on {with_weekday(day)}." for item in items
    )


def _or_done(item: Item) -> str:
    """Return what else may be why a date does not count: what was done before another that waits is left out, too."""
    return " or done early" if item.properties.get("done_for") else ""


def _tell_passed_over(repeat: Repeat, passed: Sequence[Occurrence]) -> dict[str, Json]:
    """Return what is told of the dates before one that was done, which nobody marked."""
    if not passed:
        return {}
    first, last = tell_dates(repeat, passed[0]), tell_dates(repeat, passed[-1])
    return {"passed_over": {"count": len(passed), "from": first, "to": last, "note": _NOT_MARKED}}


def _tell_moved(repeat: Repeat, old: Properties, new: Properties) -> dict[str, Json]:
    """Return from when to when each date is that a change moves, by the rule's date; nothing of what has no end."""
    moved, before = new.get("moved"), old.get("moved")
    if not isinstance(moved, dict) or not any(key.name == "end_date" for key in repeat.keys):
        return {}
    fresh = [key for key, to in moved.items() if not isinstance(before, dict) or before.get(key) != to]
    told: dict[str, Json] = {}
    for key in filter(day_of, fresh):
        at = read_day_or_moment(key, repeat.zone)
        to = repeat.moved.get(at)
        for each in iter_occurrences(repeat, to, to) if to else ():
            if at in (each.at, each.at.date()):
                told[key] = tell_dates(repeat, each)
    return {"moved": told} if told else {}


def _tell_rule(repeat: Repeat) -> str:
    return f"{tell_rule(repeat.rule)}{' after it was done' if repeat.from_done else ''}"


def _tell_missed(repeat: Repeat) -> str:
    return "waits until it is done" if repeat.waits else "passes by itself"
