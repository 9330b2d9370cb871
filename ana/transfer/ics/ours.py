"""ana's own items that come back in a calendar file."""

from collections import defaultdict
from datetime import tzinfo

from icalendar.cal.component import Component

from ana.errors import ToolError
from ana.memory.item import Item
from ana.time.dates import day_of
from ana.time.repeats import ALSO, DATE_KEYS
from ana.transfer.bundle import read_item
from ana.transfer.ics.parts import parse_part
from ana.transfer.ics.writer import ITEM, list_components
from ana.values import Properties, read_json

OWN_DATES = {"due_date", "start_date", "date", "end_date"}
_IN_FILES = {*OWN_DATES, "zone", "repeats", "until", "moved", "except", ALSO}
_IN_FILES |= {"location", "url", "tags", "priority", "remind"}
"""The properties for which a calendar has its own, so that where that is missing they are gone."""


def find_base(component: Component) -> Item | None:
    try:
        return read_item(read_json(str(component[ITEM]))) if ITEM in component else None
    except (ValueError, TypeError, ToolError):
        return None


def is_written_from(group: list[Component], base: Item, zone: tzinfo) -> bool:
    """Return whether components equal the ones that ana writes for an item, so that the item is unchanged."""
    try:
        ours = [parse_part(each.to_ical().decode()) for each in list_components(base, zone, defaultdict(list))]
    except (ValueError, OverflowError):
        return False
    return {each.to_ical() for each in ours} == {each.to_ical() for each in group}


def merge(read: Properties, base: Properties) -> Properties:
    """Return the fields of an item from a file, completed by the fields that only ana has."""
    anchor = next((key for key in DATE_KEYS if day_of(base.get(key))), "start_date")
    rest = {key: value for key, value in base.items() if key not in (_IN_FILES | ({"status"} & read.keys()))}
    if "due_date" in read:
        return read | rest
    return {anchor if key == "start_date" else key: value for key, value in read.items()} | rest
