"""Times and travel: the zone to which a time belongs when the person is elsewhere. This rule is only here.

- A moment with an offset is an instant.
- A time without an offset belongs to the zone in which it was said, which its item keeps; a time that nobody said, for
  example from a calendar without zones, moves along with the person.
- Whole days move along, and so do items that repeat by their due_date, with their times and reminders.
- Items that repeat by their start_date keep their zone: a class is at four in the zone of its place.
- A property `zone`, an IANA name or "floating", says otherwise.
"""

from collections.abc import Mapping
from datetime import tzinfo

from ana.time.clock import find_zone
from ana.time.dates import day_of
from ana.values import Json

ZONE = "zone"
FLOATING = "floating"

DATE_KEYS = ("due_date", "start_date", "date", "end_date")
"""The properties that move on together; the first of them that an item has is what its rule counts from."""

_DAY = len("2026-01-13")


def find_own_zone(properties: Mapping[str, Json], own_zone: str = "", *, repeats: bool) -> tzinfo | None:
    """Return the zone to which times without an offset belong; None if they move along with the person.

    Args:
        properties: An item's properties.
        own_zone: The zone that the item keeps; empty if it keeps none.
        repeats: Whether it repeats.
    """
    lead = next((key for key in DATE_KEYS if day_of(properties.get(key))), None)
    if repeats and lead and len(str(properties[lead])) == _DAY:
        return None
    name = properties.get(ZONE)
    if name == FLOATING:
        return None
    if isinstance(name, str) and (named := find_zone(name)):
        return named
    return find_zone(own_zone) if own_zone and not (repeats and lead == "due_date") else None
