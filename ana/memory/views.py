"""Items in the forms for models and for people: times by the clock of the person's zone."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, tzinfo

from ana.memory.item import Item
from ana.memory.sources import is_others
from ana.memory.travel import find_own_zone, make_absolute
from ana.time.clock import find_zone
from ana.time.dates import add_weekday, read_moment
from ana.time.travel import DATE_KEYS
from ana.translation import _
from ana.values import Json

MOST_CHARACTERS = 4000
"""How many characters of an item's content a model is shown."""


def show_item(item: Item, zone: tzinfo, *, stamps: bool = False, longest: int = MOST_CHARACTERS) -> dict[str, Json]:
    """Return an item as JSON for a model: dates with their weekday, content cut with a mark after `longest` characters.

    A moment of another zone has its offset, and the local one beside it. With `stamps` created_at and updated_at are
    shown, in the zone. The source is shown if it is not the person.
    """
    content = item.content
    if len(content) > longest:
        content = f"{content[:longest]} [cut: {len(content):,} characters in all]"
    view: dict[str, Json] = {
        "id": item.id,
        "content": content,
        "properties": show_properties(item, zone),
        **tell_source(item),
    }
    if stamps:
        view |= {"created_at": to_local(item.created_at, zone), "updated_at": to_local(item.updated_at, zone)}
    return view


def show_properties(item: Item, zone: tzinfo) -> dict[str, Json]:
    """Return an item's properties for a model: dates with their weekday, and moments of another zone in both zones."""
    absolute = make_absolute(item).properties
    return {
        key: add_weekday(absolute[key] if is_elsewhere(absolute[key], zone) else value, zone)
        for key, value in item.properties.items()
    }


def show_occurrence(item: Item, dates: Mapping[str, str]) -> Item:
    """Return an item with the dates of an occurrence; the first of them becomes its own date."""
    lead = {key: value for key, value in dates.items() if key == next(iter(dates)) and key != "due_date"}
    return replace(item, properties={**lead, **item.properties, **dates})


def tell_source(*records: Item | None) -> dict[str, Json]:
    """Return, under `source`, the last source of the records that is not the person; nothing if all are the
    person's.
    """
    others: list[Json] = [each.source for each in records if each and is_others(each.source)]
    return {"source": others[-1]} if others else {}


def to_local(stamp: str, zone: tzinfo) -> str:
    """Return a stamp in a zone, to the second."""
    return datetime.fromisoformat(stamp).astimezone(zone).isoformat(timespec="seconds")


def localize(item: Item, zone: tzinfo) -> Item:
    """Return an item in the form for a person: moments of another zone are converted to theirs.

    Its zone stays if one of its times differs there; it is a name, or the offset of its date.
    """
    absolute, own = make_absolute(item).properties, find_own_zone(item)
    elsewhere = {key for key, value in absolute.items() if is_elsewhere(value, zone)}
    properties = {
        key: _localize(absolute[key], zone) if key in elsewhere else value for key, value in item.properties.items()
    }
    offset = next((absolute[key] for key in DATE_KEYS if key in elsewhere), None)
    name = str(own) if own and elsewhere else f"{datetime.fromisoformat(str(offset)):%z}" if offset else ""
    return replace(item, properties=properties, zone=name)


def tell_own_time(zone: str, date: object) -> str:
    """Return a date, which people are shown by their own clock, by the clock of the item's zone: 15:00 in Berlin.

    Args:
        zone: The zone from `localize`; empty for the person's.
        date: The date in the form for people.
    """
    moment = read_moment(date) if zone else None
    if moment is None or moment.tzinfo is None:  # by their own clock already
        return ""
    is_offset = zone[0] in "+-"
    own = datetime.strptime(zone, "%z").tzinfo if is_offset else find_zone(zone)
    if own is None:
        return ""
    form = _("{time} at {place}") if is_offset else _("{time} in {place}")
    if zone == "+0000":
        form = "{time} UTC"
    place = f"{zone[:3]}:{zone[3:5]}" if is_offset else zone.rpartition("/")[2].replace("_", " ")
    return form.format(time=f"{moment.astimezone(own):%H:%M}", place=place)


def is_elsewhere(value: Json, zone: tzinfo) -> bool:
    """Return whether a value, or any value in a list, is a moment whose offset differs from the zone's at that time."""
    if isinstance(value, list):
        return any(is_elsewhere(each, zone) for each in value)
    moment = read_moment(value)
    if moment is None:
        return False
    try:
        return moment.utcoffset() not in (None, moment.astimezone(zone).utcoffset())
    except OverflowError:  # at the ends of the calendar
        return False


def _localize(value: Json, zone: tzinfo) -> Json:
    if isinstance(value, list):
        return [_localize(each, zone) for each in value]
    return datetime.fromisoformat(str(value)).astimezone(zone).isoformat() if is_elsewhere(value, zone) else value
