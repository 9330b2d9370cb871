"""What a write meets that a person would want to hear of: something else at that time, a date that keeps moving."""

from datetime import datetime, tzinfo

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.search.property_text import describe_unsearched
from ana.memory.status import CLOSED, has_status
from ana.time.dates import day_of
from ana.values import Json
from tools.call import CallContext
from tools.missing import show_similar

MOST = 3
"""How many items at the same time are shown."""

OFTEN = 3
"""From so many moves of its date on, an item is one that keeps being put off."""

Stretch = tuple[datetime, datetime]


def notice(call: CallContext, change: Change) -> dict[str, Json]:
    """Return what is noticed about a change, by name: of its date, and of a text that is too long to be searched."""
    after = change.after
    unsearched = describe_unsearched(after.content, after.properties) if after else ""
    return ({"searched": unsearched} if unsearched else {}) | _notice_date(call, change)


def _notice_date(call: CallContext, change: Change) -> dict[str, Json]:
    after = change.after
    if after is None or after.date is None or (change.before is not None and change.before.date == after.date):
        return {}
    clashes: list[Json] = [{**show_similar(item), "at": item.date} for item in _find_clashes(call, after)]
    moves = _count_moves(call, after) if change.before is not None else 0
    return ({"at_the_same_time": clashes} if clashes else {}) | ({"times_moved": moves} if moves >= OFTEN else {})


def _find_clashes(call: CallContext, item: Item) -> list[Item]:
    """Return other open items whose time meets the item's."""
    zone = call.clock.zone
    own = _stretch_of(item, zone)
    if own is None or has_status(item.properties, CLOSED):
        return []
    first, last = sorted(str(moment.date()) for moment in own)
    those_days = call.memory.find(None, {"$on": {"$gte": first, "$lte": last}}, limit=100).items
    others = (other for other in those_days if other.id != item.id and not has_status(other.properties, CLOSED))
    return [other for other in others if (its := _stretch_of(other, zone)) and _meet(own, its)][:MOST]


def _stretch_of(item: Item, zone: tzinfo) -> Stretch | None:
    """Return from when to when an item is, in the person's zone; both the same if only one moment is known."""
    start, end = item.properties.get("start_date"), item.properties.get("end_date")
    moments = [_moment_of(value, zone) for value in ((start, end) if start and end else (item.date,))]
    first, last = moments[0], moments[-1]
    return (first, last) if first and last else None


def _moment_of(value: Json, zone: tzinfo) -> datetime | None:
    """Return the moment of a date with a time; None for a whole day and for what is no date."""
    if not isinstance(value, str) or not day_of(value) or len(value) <= len("2026-01-13"):
        return None
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _meet(one: Stretch, other: Stretch) -> bool:
    return one[0] == other[0] or (one[0] < other[1] and other[0] < one[1])


def _count_moves(call: CallContext, item: Item) -> int:
    """Return how often the date of an item was changed."""
    return sum(map(_is_move, (entry.change for entry in call.memory.history(id=item.id))))


def _is_move(change: Change) -> bool:
    before, after = (item.date if item else None for item in (change.before, change.after))
    return bool(before and after and before != after)
