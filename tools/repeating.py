"""What a model is told of an item that repeats: what was understood, what was done, and what comes next."""

from collections.abc import Collection

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.repeating import list_next
from ana.memory.status import CANCELLED, DONE, has_status
from ana.time.dates import with_weekday
from ana.time.repeats import DATE_KEYS, Repeat, find_present, may_repeat, read_repeat, tell_rule
from ana.values import Json
from tools.call import CallContext

_TOLD = (*DATE_KEYS, "repeats", "repeat_from", "except", "moved", "until", "missed")
_UNREAD = "It repeats in words that are not read as a rule: set repeats, or it is found on its one date only."
_CLOSED = (
    "What it repeats is not read as a rule, so it is closed for good. If it goes on, set repeats, status and due_date."
)
_ENDED = "It was the last date: the series has ended."
_CANCELLED = "All of the series is cancelled. If one date was meant, take this back and use except."


def tell_repeat(call: CallContext, change: Change, given: Collection[str]) -> dict[str, Json]:
    """Return what is told of a change of an item that repeats, by name; nothing of one that does not."""
    old, after = change.before.properties if change.before else {}, change.after
    if after is None or not may_repeat(after.properties):
        return {}
    new, repeat = after.properties, read_repeat(after.properties, call.clock.zone)
    if repeat is None and "status" in given and has_status(new, DONE):
        return {"note": _CLOSED}
    if repeat is None:
        return {"note": _UNREAD} if "recurrence" in given or "repeats" in given else {}
    coming = list_next(repeat, call.clock.now())
    if "status" in given and has_status(new, CANCELLED):
        return {"note": _CANCELLED}
    if new.get("done_for") != old.get("done_for"):
        return {"done": f"for {with_weekday(new['done_for'])}; {_ENDED if has_status(new, DONE) else f'next {coming}'}"}
    if "status" in given and change.before and old == new:
        return {"done": f"Nothing changed: it is done for {with_weekday(new.get('done_for'))}; next {coming}."}
    if all(old.get(key) == new.get(key) for key in _TOLD):
        return {}
    return {"repeats": _tell_rule(repeat), "next": coming, "if_missed": _tell_missed(repeat)}


def tell_occurrence(call: CallContext, item: Item, stored: Item) -> dict[str, Json]:
    """Return what stands beside an item at an occurrence: since when it is open, or that the series has ended."""
    repeat = read_repeat(stored.properties, call.clock.zone) if may_repeat(stored.properties) else None
    if repeat is None:
        return {}
    lead, present = repeat.keys[0].name, find_present(repeat, call.clock.now())
    if present is None:
        return {"ended": True}
    is_open = repeat.waits and present.dates[lead] != item.properties[lead]
    return {"open_since": with_weekday(present.dates[lead])} if is_open else {}


def _tell_rule(repeat: Repeat) -> str:
    return f"{tell_rule(repeat.rule)}{' after it was done' if repeat.from_done else ''}"


def _tell_missed(repeat: Repeat) -> str:
    return "waits until it is done" if repeat.waits else "passes by itself"
