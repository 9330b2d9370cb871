"""Items whose times belong to a zone: their times as instants, in repetitions, and as written (see ana.time.travel)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, tzinfo

from ana.errors import ToolError
from ana.memory.item import Item
from ana.memory.sources import IMPORT
from ana.time import travel
from ana.time.clock import find_zone
from ana.time.dates import day_of, read_moment, write_moment
from ana.time.repeats import Repeat, may_repeat, read_repeat
from ana.time.travel import DATE_KEYS, FLOATING, ZONE
from ana.values import Json, Properties


def find_own_zone(item: Item) -> tzinfo | None:
    """Return the zone to which an item's times without an offset belong; None if they move along with the person."""
    return travel.find_own_zone(item.properties, item.zone, repeats=may_repeat(item.properties))


def make_absolute(item: Item) -> Item:
    """Return an item whose times have the offset of their zone; unchanged if they have no zone."""
    own = find_own_zone(item)
    if own is None:
        return item

    def localize(moment: datetime) -> datetime:
        return moment.replace(tzinfo=own)

    return replace(item, properties={key: _change_times(value, localize) for key, value in item.properties.items()})


def read_item_repeat(item: Item, person: tzinfo) -> Repeat | None:
    """Return the repetition of an item, computed in the item's zone and shown in the person's; None if it has none."""
    return read_repeat(item.properties, person, item.zone) if may_repeat(item.properties) else None


def settle_zone(properties: Properties, zone: tzinfo, old: Item | None = None) -> tuple[Properties, str]:
    """Return the properties of an item for storing, and the zone that it keeps.

    An item has one zone. If some of its times are changed in another one, the rest are converted to it.

    Args:
        properties: The properties before the zone is settled.
        zone: The zone of the person.
        old: The item before the change; None for a new one.

    Raises:
        ToolError: The property `zone` names no known zone.
    """
    here = str(zone) if find_zone(str(zone)) else ""
    times = {key for key, value in properties.items() if _has_times(value)}
    if not times:
        return properties, ""
    if old is None or old.properties.get(ZONE) != properties.get(ZONE):
        _check_zone(properties)
    if old is None:
        return properties, here
    changed = {key for key in times if properties[key] != old.properties.get(key)}
    own = find_zone(old.zone) if old.zone else None
    if not changed or old.zone == here or (own and may_repeat(properties)):
        return properties, old.zone
    if own is None:
        return properties, here if changed == times else ""
    rest = {
        key: _change_times(properties[key], lambda at: at.replace(tzinfo=own).astimezone(zone).replace(tzinfo=None))
        for key in times - changed
    }
    return {**properties, **rest}, here


def name_zone(properties: Properties, here: tzinfo, own: tzinfo | None) -> Properties:
    """Return the properties of a repeating item with a zone in place of the offset of its first date.

    A rule names days and hours of a clock, which an offset is not: it changes with the season.

    Args:
        here: The person's zone; it is tried after the zone that the item keeps, or that its `zone` names.
        own: The zone that the item keeps; None for a new one.

    Raises:
        ToolError: None of these has that offset then.
    """
    name = properties.get(ZONE)
    lead = next((key for key in DATE_KEYS if day_of(properties.get(key))), "")
    text = str(properties.get(lead, ""))
    moment = read_moment(text)
    if not properties.get("repeats") or moment is None or moment.tzinfo is None:
        return properties
    known = [find_zone(name) if isinstance(name, str) else None, own, here]
    zone = next((each for each in known if each and moment.astimezone(each).utcoffset() == moment.utcoffset()), None)
    if zone is None:
        raise ToolError(
            f"What repeats is at a time of a place, and {text} names none.",
            f'Give {lead} "{text[:16]}" and zone, the name of the zone there, such as "Europe/Berlin".',
        )
    changed = {key: _move_to_clock(properties.get(key), zone) for key in DATE_KEYS if key in properties}
    return {**properties, **changed, **({} if zone is here or zone is own else {ZONE: str(zone)})}


def may_keep_zone(item: Item) -> bool:
    """Return whether an item has times that would belong to a zone if it kept one, and has none yet."""
    if item.zone or item.properties.get(ZONE) or item.sources.content == IMPORT:
        return False
    keeping = travel.find_own_zone(item.properties, "UTC", repeats=may_repeat(item.properties))
    return keeping is not None and any(map(_has_times, item.properties.values()))


def _check_zone(properties: Mapping[str, Json]) -> None:
    """Raise ToolError if the property `zone` is there and names no zone."""
    name = properties.get(ZONE)
    if name is not None and name != FLOATING and not (isinstance(name, str) and find_zone(name)):
        raise ToolError(f"{ZONE} cannot be {str(name)[:60]!r}.", f'Give a name such as Europe/Berlin, or "{FLOATING}".')


def _has_times(value: Json) -> bool:
    """Return whether a value, or any in a list, is a moment without an offset."""
    moments = map(read_moment, value if isinstance(value, list) else [value])
    return any(moment and moment.tzinfo is None for moment in moments)


def _change_times(value: Json, change: Callable[[datetime], datetime]) -> Json:
    """Return a value in which each moment without an offset is replaced, also in a list."""
    if isinstance(value, list):
        return [_change_times(each, change) for each in value]
    moment = read_moment(value)
    return value if moment is None or moment.tzinfo else write_moment(change(moment))


def _move_to_clock(value: Json, zone: tzinfo) -> Json:
    """Return a moment with an offset by the clock of a zone; anything else unchanged."""
    moment = read_moment(value)
    if moment is None or moment.tzinfo is None:
        return value
    return moment.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes")
