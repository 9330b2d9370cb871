"""Open items by day; a repeated item is on each of its days."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ana.handles import DataHandles
from ana.memory.item import Item
from ana.memory.routines import ROUTINE
from ana.memory.status import CLOSED
from ana.memory.travel import read_item_repeat
from ana.memory.views import localize, show_occurrence
from ana.time.dates import day_of
from ana.time.repeats import iter_between
from ana.time.spans import read_date_span, to_micros
from ana.time.taking_place import takes_place
from ana.translation import _
from ana.values import Json

MOST = 2000
"""Items of some days that are read."""


@dataclass(frozen=True)
class Dated:
    """An item on a day.

    Args:
        day: The day in the person's zone.
        item: The item, with the dates of this occurrence.
        shown: The same item in the form for people, by their clock.
        first: The day on which this occurrence begins.
        end: The end of this occurrence, in microseconds since 1970 in UTC.
    """

    day: date
    item: Item
    shown: Item
    first: date
    end: int

    @property
    def belongs_to_days(self) -> bool:
        """Return whether the item is a task for a day or an event, not something that merely has a date."""
        return "due_date" in self.item.properties or takes_place(self.item.properties)

    def is_over(self, now: datetime) -> bool:
        """Return whether this occurrence is over at a moment."""
        return self.end <= to_micros(now)


def list_dated(handles: DataHandles, begin: date, end: date) -> tuple[list[Dated], bool]:
    """Return each day of each open item within some days, without routines, and whether there are more than are
    read.
    """
    days: dict[str, Json] = {"$gte": str(begin), "$lte": str(end)}
    where: dict[str, Json] = {"$on": days, "status": {"$nin": [*CLOSED]}, "type": {"$ne": ROUTINE}}
    matches, zone = handles.memory.find(None, where, MOST), handles.clock.zone
    rows: list[Dated] = []
    for item in matches.items:
        stored = matches.stored.get(item.id, item)
        repeat = read_item_repeat(stored, zone)
        start = item.properties.get("start_date")
        # without a due_date the start is its date, whichever date it names first
        lead = {"start_date": str(start)} if day_of(start) and "due_date" not in item.properties else {}
        dates = [each.dates for each in iter_between(repeat, begin, end)] if repeat else [lead]
        times = [show_occurrence(stored, each) if each else stored for each in dates]
        rows += (each for at in times for each in _iter_days(handles, at, begin, end))
    return rows, matches.truncated


def tell_time(item: Item, day: date) -> str:
    """Return the time of an item on a day, in the form for people; for an item that began earlier, its end."""
    written, end = item.date or "", str(item.properties.get("end_date") or "")
    if (day_of(written) or day) < day:
        return _("until {time}").format(time=end[11:16]) if len(end) > len("2026-01-13") and day_of(end) == day else ""
    return written[11:16]


def _iter_days(handles: DataHandles, item: Item, begin: date, end: date) -> Iterator[Dated]:
    """Yield the days of an item from the first to the last; only the first if the end is before the beginning."""
    shown = localize(item, handles.clock.zone)
    first = day_of(shown.date)
    if first is None:
        return
    closing = None if "due_date" in item.properties else shown.properties.get("end_date")
    last = max(first, day_of(closing) or first)
    span = read_date_span(closing if day_of(closing) else shown.date, handles.clock.zone)
    over = span[1] if span else 0
    day = max(first, begin)
    while day <= min(last, end):
        yield Dated(day, item, shown, first, over)
        day += timedelta(days=1)
