"""Remarks for the model about a call: another item at the same time, a date that was moved often, a name that is almost
one in use, an item with almost the id that was given.
"""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from difflib import get_close_matches
from typing import Any

from ana.errors import NoSuchItem
from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.overdue import describe_date
from ana.memory.search.property_text import describe_unsearched
from ana.memory.status import CLOSED, has_status
from ana.memory.travel import make_absolute
from ana.memory.undo import find_all_undone, find_undone_turn
from ana.memory.views import tell_source
from ana.memory.vocabulary import NAMED, list_item_names
from ana.output import shorten
from ana.reminders.reading import tell_ringing
from ana.time.dates import add_weekday, day_of
from ana.time.repeats import may_repeat
from ana.values import Json, Properties, fold_case, plain_text
from tools.call import CallContext

SHORT = 120
"""Characters of a similar item's content."""

MOST = 3
"""How many items at the same time are shown."""

OFTEN = 3
"""From so many moves of its date on, an item is one that keeps being put off."""


def notice(call: CallContext, change: Change) -> dict[str, Json]:
    """Return remarks about a change, by name: about its date, its names, and a text too long to be searched."""
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
    """Return the end of a span if only its beginning was changed; else nothing."""
    end, start = new.get("end_date"), new.get("start_date")
    if start == old.get("start_date") or end != old.get("end_date") or not (day_of(start) and day_of(end)):
        return ""
    text = str(add_weekday(end))
    return f"{text}, before it starts" if str(end) < str(start)[: len(str(end))] else text


def _find_near_names(call: CallContext, change: Change) -> list[str]:
    """Return the names in a change that are almost the same as other names that are at least as common."""
    texts = []
    for kind in NAMED:
        before = list_item_names(change.before, kind) if change.before else set()
        for name in sorted(list_item_names(change.after, kind) - before if change.after else ()):
            own = call.memory.vocabulary.count(kind, name)
            near = call.memory.vocabulary.find_near(kind, name)
            texts += [tell_near(kind, name, other, count) for other, count in near if count >= own][:1]
    return texts


def find_near_in_filter(call: CallContext, where: Mapping[str, Any]) -> list[str]:
    """Return the names in a filter that are almost the same as names of items that the filter does not find."""
    pairs = ((kind, where[kind]) for kind in NAMED if isinstance(where.get(kind), str))
    # a filter finds short texts whatever their case
    return [
        tell_near(kind, name, other, count)
        for kind, name in pairs
        for other, count in call.memory.vocabulary.find_near(kind, name)
        if fold_case(other) != fold_case(name)
    ]


def tell_near(kind: str, name: str, other: str, count: int) -> str:
    """Return a sentence that says that a name is almost the same as another one."""
    have = "1 item has" if count == 1 else f"{count} items have"
    return f"{kind} {name!r} is near {other!r}, which {have}"


def _count_moves(call: CallContext, id: str) -> int:
    """Return how often the person moved an item's date; neither the steps of a repeated item nor undone moves count."""
    moves = [entry.turn for entry in call.memory.history(id=id) if _is_move(entry.change)]
    undone = find_all_undone(call.memory) if moves else ()
    return sum(turn not in undone and not find_undone_turn(turn) for turn in moves)


def _is_move(change: Change) -> bool:
    old, new = change.before, change.after
    if old is None or new is None or may_repeat(old.properties):
        return False
    return None not in (old.date, new.date) and old.date != new.date


def _find_clashes(call: CallContext, item: Item) -> list[Item]:
    """Return other open items at an overlapping time."""
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
    """Return whether an open item takes up the person's time at its date; an item that is only due by then does not."""
    return not has_status(item.properties, CLOSED) and describe_date(item.properties) != "due"


def _stretch_of(item: Item, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """Return the beginning and the end of an item, in the person's zone, the same moment twice if only one is known;
    None for whole days and for values that are no date.
    """
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
    """Return the error for an id that no item has; the error names the item that may be meant."""
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
    """Return an item in a few words, with its id."""
    return {"id": item.id, "content": plain_text(shorten(item.content, SHORT)), **tell_source(item)}
