"""Items as a model and as people are shown them: times by the clock where the person is."""

from dataclasses import replace
from datetime import datetime, tzinfo

from ana.memory.item import Item
from ana.memory.sources import is_others
from ana.memory.travel import find_own_zone, make_absolute
from ana.time.clock import find_zone
from ana.time.dates import day_of, with_weekday
from ana.values import Json

SHOWN = 4000
"""How many characters of an item's content a model is shown."""


def show_item(item: Item, zone: tzinfo, *, stamps: bool = False, longest: int = SHOWN) -> dict[str, Json]:
    """Return an item as JSON for a model: dates with their weekday, content cut with a mark after `longest` characters.

    A moment of another zone has its offset, and the local one beside it. With `stamps` created_at and updated_at are
    shown, in the zone. The source is shown if it is not the person.
    """
    content = item.content
    if len(content) > longest:
        content = f"{content[:longest]} [cut: {len(content):,} characters in all]"
    shown: dict[str, Json] = {
        "id": item.id,
        "content": content,
        "properties": show_properties(item, zone),
        **tell_source(item),
    }
    if stamps:
        shown |= {"created_at": to_local(item.created_at, zone), "updated_at": to_local(item.updated_at, zone)}
    return shown


def show_properties(item: Item, zone: tzinfo) -> dict[str, Json]:
    """Return an item's properties for a model: dates with their weekday, and where a moment is of another zone both."""
    absolute = make_absolute(item).properties
    return {
        key: with_weekday(absolute[key] if is_elsewhere(absolute[key], zone) else value, zone)
        for key, value in item.properties.items()
    }


def tell_source(*records: Item | None) -> dict[str, Json]:
    """Return under `source` from whom records are, the last of others; nothing if they are the person's."""
    others: list[Json] = [each.source for each in records if each and is_others(each.source)]
    return {"source": others[-1]} if others else {}


def to_local(stamp: str, zone: tzinfo) -> str:
    """Return a stamp in a zone, to the second."""
    return datetime.fromisoformat(stamp).astimezone(zone).isoformat(timespec="seconds")


def localize(item: Item, zone: tzinfo) -> Item:
    """Return an item as people are shown it: what is a moment of another zone is the same one in theirs.

    Its zone is left where any of its own times is another there.
    """
    absolute = make_absolute(item).properties
    elsewhere = {key for key, value in absolute.items() if value != item.properties[key] and is_elsewhere(value, zone)}
    properties = {
        key: _localize(absolute[key], zone) if is_elsewhere(absolute[key], zone) else value
        for key, value in item.properties.items()
    }
    return replace(item, properties=properties, zone=str(find_own_zone(item)) if elsewhere else "")


def tell_own_time(zone: str, date: object) -> str:
    """Return by the clock of an item's zone when a date is that people are shown by theirs: 15:00 in Berlin."""
    own = find_zone(zone) if zone else None
    if own is None or not day_of(date) or len(str(date)) == len("2026-01-13"):
        return ""
    there = datetime.fromisoformat(str(date)).astimezone(own)
    return f"{there:%H:%M} in {zone.rpartition('/')[2].replace('_', ' ')}"


def is_elsewhere(value: Json, zone: tzinfo) -> bool:
    """Return whether a value, or any of a list, is a moment with another offset than a zone has then."""
    if isinstance(value, list):
        return any(is_elsewhere(each, zone) for each in value)
    if not isinstance(value, str) or not day_of(value) or len(value) == len("2026-01-13"):
        return False
    moment = datetime.fromisoformat(value)
    try:
        return moment.utcoffset() not in (None, moment.astimezone(zone).utcoffset())
    except OverflowError:  # at the ends of the calendar
        return False


def _localize(value: Json, zone: tzinfo) -> Json:
    if isinstance(value, list):
        return [_localize(each, zone) for each in value]
    return datetime.fromisoformat(str(value)).astimezone(zone).isoformat() if is_elsewhere(value, zone) else value
