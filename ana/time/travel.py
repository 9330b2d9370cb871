"""Times that travel: which zone a time belongs to when its person is elsewhere. The one place of this rule.

- A moment with an offset is an instant.
- A time without one belongs to the zone in which it was said, which its item keeps; one that was not said, such as that
  of a calendar whose times name no zone, goes along with the person.
- Whole days go along, and so does what repeats by its due_date, with its times and its reminders.
- What repeats by its start_date keeps its zone: a class is at four where it is.
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
    """Return the zone that times without an offset belong to; None for those that go along with the person.

    Args:
        properties: An item's.
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
