"""Dates in property values: recognised, shown with their weekday, and never taken on trust."""

import re
from datetime import date, datetime, tzinfo
from typing import TypeVar

from ana.errors import ToolError
from ana.time.clock import WEEKDAYS

Value = TypeVar("Value")

_DATE = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?P<time>[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?"
    r"( \((?P<weekday>[A-Za-z]+)(?P<local> \d\d:\d\d in [A-Za-z0-9_+/-]{1,64})?\))?"
)


def weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


def day_of(value: object) -> date | None:
    """The calendar day of an ISO date or date-time, or None where the value is neither."""
    match = _DATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["weekday"]:
        return None
    try:
        return datetime.fromisoformat(match[0]).date() if match["time"] else date.fromisoformat(match["day"])
    except ValueError:
        return None


def spell_day(day: date) -> str:
    """Return a day as people write it: Tuesday January 13 2026."""
    return f"{weekday(day)} {day:%B} {day.day} {day.year}"


def show_day(day: date, year: int | None = None) -> str:
    """Return a day in few words: Wed 25 Nov, with the year if it is another than the one given."""
    text = f"{weekday(day)[:3]} {day.day} {day:%b}"
    return text if day.year == year else f"{text} {day.year}"


def add_weekday(value: Value, zone: tzinfo | None = None) -> Value | str:
    """Return a date followed by its weekday, for the model: 2026-01-13 (Tuesday); anything else unchanged.

    Args:
        zone: A moment that has another offset than this zone stands beside the local one:
            2026-12-04T23:30:00Z (Saturday 00:30 in Europe/Berlin).
    """
    day = day_of(value)
    if day is None:
        return value
    moment = datetime.fromisoformat(str(value)) if zone and len(str(value)) > len("2026-01-13") else None
    if moment and moment.tzinfo:
        try:
            local = moment.astimezone(zone)
        except OverflowError:  # at the ends of the calendar
            return f"{value} ({weekday(day)})"
        if local.utcoffset() != moment.utcoffset():
            return f"{value} ({weekday(local.date())} {local:%H:%M} in {zone})"
    return f"{value} ({weekday(day)})"


def drop_weekday(value: Value) -> Value | str:
    """Remove what `add_weekday` added.

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
