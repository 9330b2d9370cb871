"""What a call meets that the model should know: something else at that time, a date that keeps moving, a name that is
nearly one in use, an item whose id is nearly the one that was given; of what repeats, what was done and comes next."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, tzinfo
from difflib import get_close_matches
from itertools import islice
from typing import Any

from ana.errors import NoSuchItem
from ana.memory.changes import Change
from ana.memory.filters.matching import is_number
from ana.memory.item import Item
from ana.memory.overdue import describe_date
from ana.memory.repeating import list_next, tell_dates
from ana.memory.search.property_text import describe_unsearched
from ana.memory.search.result import OtherDates
from ana.memory.status import CANCELLED, CLOSED, DONE, has_status
from ana.memory.travel import make_absolute, read_item_repeat
from ana.memory.undo import find_all_undone, find_undone_turn
from ana.memory.views import tell_source
from ana.memory.vocabulary import NAMED, list_item_names
from ana.output import shorten
from ana.reminders.reading import tell_ringing
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
from ana.values import Json, Properties, fold_case, plain_text
from tools.call import CallContext

SHORT = 120
"""Characters of a similar item's content."""

MOST = 3
"""How many items at the same time, or left out on a day, are shown."""

OFTEN = 3
"""From so many moves of its date on, an item is one that keeps being put off."""

_RULE_KEYS = (*DATE_KEYS, *REPEATING, "repeat_from", "except", "moved", "until", "missed")
_UNREAD = "It repeats in words that are not read as a rule: set repeats, or it is found on its one date only."
_CLOSED = (
    "What it repeats is not read as a rule, so it is closed for good. If it goes on, set repeats, status and due_date."
)
_ENDED = "It was the last date: the series has ended."
_FINISHED = "It is closed for good and repeats no more."
_NOT_MARKED = "These were not marked as done: tell the user."
_CANCELLED = "All of the series is cancelled. If one date was meant, take this back and use except."


def notice(call: CallContext, change: Change) -> dict[str, Json]:
    """Return what is noticed about a change, by name: of its date, its names, and a text too long to be searched."""
    before, after = change.before, change.after
    if after is None:
        return {}
    noticed: dict[str, Json] = {}
    if unsearched := describe_unsearched(after.content, after.properties):
        noticed["searched"] = unsearched
    if (remind := after.properties.get("remind")) and (before is None or remind != before.properties.get("remind")):
        noticed["reminder"] = tell_ringing(after, call.clock.now(), call.clock.zone, call.rings_by)
    if near := _find_near_names(call, change):
        noticed["nearly_in_use"] = [*near]
    if before is not None and (end := _find_stale_end(before.properties, after.properties)):
        noticed["end_date_stays"] = end
    if after.date is None or (before is not None and before.date == after.date):
        return noticed
    if clashes := _find_clashes(call, after):
        noticed["at_the_same_time"] = [{**show_similar(item), "at": item.date} for item in clashes]
    if before is not None and (moves := _count_moves(call, after.id)) >= OFTEN:
        noticed["times_moved"] = moves
    return noticed


def _find_stale_end(old: Properties, new: Properties) -> str:
    """Return the end of a span whose beginning was changed alone; nothing of any other."""
    end, start = new.get("end_date"), new.get("start_date")
    if start == old.get("start_date") or end != old.get("end_date") or not (day_of(start) and day_of(end)):
        return ""
    text = str(add_weekday(end))
    return f"{text}, before it starts" if str(end) < str(start)[: len(str(end))] else text


def _find_near_names(call: CallContext, change: Change) -> list[str]:
    """Return which names that a change gives an item are nearly others that are at least as common."""
    texts = []
    for kind in NAMED:
        before = list_item_names(change.before, kind) if change.before else set()
        for name in sorted(list_item_names(change.after, kind) - before if change.after else ()):
            own = call.memory.vocabulary.count(kind, name)
            near = call.memory.vocabulary.find_near(kind, name)
            texts += [tell_near(kind, name, other, count) for other, count in near if count >= own][:1]
    return texts


def find_near_in_filter(call: CallContext, where: Mapping[str, Any]) -> list[str]:
    """Return which names that a filter asks for are nearly others, whose items it does not find."""
    pairs = ((kind, where[kind]) for kind in NAMED if isinstance(where.get(kind), str))
    # a filter finds short texts whatever their case
    return [
        tell_near(kind, name, other, count)
        for kind, name in pairs
        for other, count in call.memory.vocabulary.find_near(kind, name)
        if fold_case(other) != fold_case(name)
    ]


def tell_near(kind: str, name: str, other: str, count: int) -> str:
    """Return in words that a name is nearly another."""
    have = "1 item has" if count == 1 else f"{count} items have"
    return f"{kind} {name!r} is near {other!r}, which {have}"


def _count_moves(call: CallContext, id: str) -> int:
    """Return how often the person moved an item's date: not the next time of what repeats, and nothing taken back."""
    moves = [entry.turn for entry in call.memory.history(id=id) if _is_move(entry.change)]
    undone = find_all_undone(call.memory) if moves else ()
    return sum(turn not in undone and not find_undone_turn(turn) for turn in moves)


def _is_move(change: Change) -> bool:
    old, new = change.before, change.after
    if old is None or new is None or may_repeat(old.properties):
        return False
    return None not in (old.date, new.date) and old.date != new.date


def _find_clashes(call: CallContext, item: Item) -> list[Item]:
    """Return other open items whose time meets the item's."""
    own = _stretch_of(item, call.clock.zone)
    if own is None or not _takes_time(item):
        return []
    start, end = own
    first, last = sorted(str(moment.date()) for moment in own)
    clashes = []
    for other in call.memory.find(None, {"$on": {"$gte": first, "$lte": last}}, limit=100).items:
        if other.id != item.id and _takes_time(other):
            its = _stretch_of(other, call.clock.zone)
            if its and (start == its[0] or (start < its[1] and its[0] < end)):
                clashes.append(other)
    return clashes[:MOST]


def _takes_time(item: Item) -> bool:
    """Return whether somebody is taken up by an open item at its time: what is due by then takes none."""
    return not has_status(item.properties, CLOSED) and describe_date(item.properties) != "due"


def _stretch_of(item: Item, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """Return from when to when an item is, in the person's zone, both the same if only one moment is known; None for
    whole days and for what is no date."""
    item = make_absolute(item)
    start, end = item.properties.get("start_date"), item.properties.get("end_date")
    moments = []
    for value in (start, end) if start and end else (item.date,):
        if not isinstance(value, str) or not day_of(value) or len(value) <= len("2026-01-13"):
            return None
        moment = datetime.fromisoformat(value)
        moments.append(moment if moment.tzinfo else moment.replace(tzinfo=zone))
    return moments[0], moments[-1]


def explain_missing(call: CallContext, id: str) -> NoSuchItem:
    """Return the error for an id that no item has, with the item that may be meant."""
    if any(entry.change.after is None for entry in call.memory.history(id=id, limit=1)):
        return NoSuchItem(id, f"It was deleted; undo with turn={id!r} brings it back.")
    # the item whose id is spelled nearly so; else the nearest that has a word of it, as models also send names
    known = [str(value) for value, _ in call.memory.backend.list_values("id")]
    spelled = get_close_matches(id.strip().lower(), known, 1, 0.7)
    matches = call.memory.find(id, limit=1)
    named = [item for item, reason in zip(matches.items, matches.reasons, strict=True) if reason.words]
    nearest = [call.memory.record("item", spelled[0])] if spelled else named
    similar = [show_similar(item) for item in nearest if item]
    hint = "Use the id of the similar one if it is meant; else look with query_items."
    return NoSuchItem(id, hint, similar) if similar else NoSuchItem(id)


def show_similar(item: Item) -> dict[str, Json]:
    """Return an item in a few words, with the id to call it by."""
    return {"id": item.id, "content": plain_text(shorten(item.content, SHORT)), **tell_source(item)}


def tell_repeat(call: CallContext, change: Change, keys: Collection[str]) -> dict[str, Json]:
    """Return what is told of a change of an item that repeats, by name; nothing of one that does not."""
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
    """Return what stands beside an item at an occurrence: since when it is open, that the series has ended, and how
    many more of its dates are in the days that were asked for; a few by name."""
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
    """Return which of what repeats a filter on one day would find, were it not left out there: a sentence for each."""
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
    """Return what else may be why a date does not count: what was done before another that waits is left out, too."""
    return " or done early" if item.properties.get("done_for") else ""


def _tell_passed_over(repeat: Repeat, passed: Sequence[Occurrence]) -> dict[str, Json]:
    """Return what is told of the dates before one that was done, which nobody marked."""
    if not passed:
        return {}
    first, last = tell_dates(repeat, passed[0]), tell_dates(repeat, passed[-1])
    return {"passed_over": {"count": len(passed), "from": first, "to": last, "note": _NOT_MARKED}}


def _tell_uncounted(old: Properties, new: Properties, keys: Collection[str]) -> dict[str, Json]:
    """Return what is told of numbers given with a date that was done, which are those of the date before: an item has
    one of each, and history sums what changes."""
    same = {key: old[key] for key in keys if key in old and old[key] == new.get(key)}
    notes = [
        f'{key} was {value} already; to add it up over dates: {{"$add": {value}}}.'
        for key, value in same.items()
        if is_number(value)
    ]
    return {"note": " ".join(notes)} if notes else {}


def _tell_moved(repeat: Repeat, old: Properties, new: Properties) -> dict[str, Json]:
    """Return from when to when each date is that a change moves, by the rule's date; nothing of what has no end."""
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
