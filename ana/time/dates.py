"""Dates in property values: recognised, shown with their weekday, and never taken on trust."""

import re
from datetime import date, datetime, tzinfo
from typing import TypeVar

from ana.errors import ToolError
from ana.time.clock import WEEKDAYS
from ana.translation import pgettext

Value = TypeVar("Value")

_DATE = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?P<time>[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?"
    r"( \((?P<weekday>[A-Za-z]+)(?P<local> \d\d:\d\d in [A-Za-z0-9_+/-]{1,64})?\))?"
)


def weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


def day_of(value: object) -> date | None:
    """Return the calendar day of an ISO date or date-time; None if the value is neither."""
    match = _DATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["weekday"]:
        return None
    try:
        return datetime.fromisoformat(match[0]).date() if match["time"] else date.fromisoformat(match["day"])
    except ValueError:
        return None


def read_moment(value: object) -> datetime | None:
    """Return the moment of an ISO date with a time; None for a bare day and for any other value."""
    is_long = isinstance(value, str) and len(value) > len("2026-01-13")
    return datetime.fromisoformat(str(value)) if is_long and day_of(value) else None


def write_moment(moment: datetime) -> str:
    """Return a moment in the form of properties: its seconds only if it has any."""
    return moment.isoformat(timespec="auto" if moment.second or moment.microsecond else "minutes")


def spell_day(day: date) -> str:
    """Return a day in the form for vectors and models: Tuesday January 13 2026."""
    return f"{weekday(day)} {day:%B} {day.day} {day.year}"


def show_day(day: date, year: int | None = None) -> str:
    """Return a day in few words for people: Wed 25 Nov, with the year if it is another than the one given."""
    is_short = day.year == year
    form = (
        pgettext("date", "{weekday} {day} {month}") if is_short else pgettext("date", "{weekday} {day} {month} {year}")
    )
    names = {"weekday": name_weekday(day, is_short=True), "month": pgettext("short month", f"{day:%b}")}
    return form.format(**names, day=day.day, year=day.year)


def tell_day(day: date) -> str:
    """Return a day in full for people: Tuesday January 13 2026."""
    form = pgettext("date", "{weekday} {month} {day} {year}")
    names = {"weekday": name_weekday(day), "month": pgettext("month in a date", f"{day:%B}")}
    return form.format(**names, day=day.day, year=day.year)


def name_day(day: date, year: int | None = None) -> str:
    """Return a day for people without its weekday: 25 Nov, with the year if it is another than the one given."""
    form = pgettext("date", "{day} {month}") if day.year == year else pgettext("date", "{day} {month} {year}")
    return form.format(day=day.day, month=pgettext("short month", f"{day:%b}"), year=day.year)


def name_month(day: date) -> str:
    """Return the month of a day and its year for people: January 2026."""
    return pgettext("date", "{month} {year}").format(month=pgettext("month", f"{day:%B}"), year=day.year)


def name_weekday(day: date, *, is_short: bool = False) -> str:
    """Return the weekday of a day for people: Tuesday, or Tue."""
    return pgettext("short weekday", weekday(day)[:3]) if is_short else pgettext("weekday", weekday(day))


def add_weekday(value: Value, zone: tzinfo | None = None) -> Value | str:
    """Return a date followed by its weekday, for the model: 2026-01-13 (Tuesday); anything else unchanged.

    Args:
        zone: If a moment has another offset than this zone, the local time is added:
            2026-12-04T23:30:00Z (Saturday 00:30 in Europe/Berlin).
    """
    day = day_of(value)
    if day is None:
        return value
    moment = read_moment(value) if zone else None
    if moment and moment.tzinfo:
        try:
            local = moment.astimezone(zone)
        except OverflowError:  # at the ends of the calendar
            return f"{value} ({weekday(day)})"
        if local.utcoffset() != moment.utcoffset():
            return f"{value} ({weekday(local.date())} {local:%H:%M} in {zone})"
    return f"{value} ({weekday(day)})"


def drop_weekday(value: Value) -> Value | str:
    """Remove the weekday that `add_weekday` added.

    Raises:
        ToolError: The weekday is not that day's.
    """
    match = _DATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or not match["weekday"]:
        return value
    bare = str(value)[: match.start("weekday") - 2]
    day = day_of(bare)
    if day is None:
        return value
    if match["weekday"] not in WEEKDAYS:
        return value
    if match["local"]:  # the weekday there
        return bare
    if match["weekday"] != weekday(day):
        raise ToolError(f"{bare} is a {weekday(day)}, not a {match['weekday']}.", "Decide which of the two is meant.")
    return bare
