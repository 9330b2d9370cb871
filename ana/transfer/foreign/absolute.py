"""Dates that mean the same day whenever they are read: not relative, not recurring, not ambiguous."""

import re
from datetime import date, datetime, tzinfo

from ana.time.dates import day_of
from ana.time.when import find_times, resolve
from ana.transfer.records import to_local

_FAR_APART = (date(1999, 2, 3), date(2095, 9, 17))
"""Two days to read a text on: if both give the same day, the text alone names it."""

_LONGEST = 80
_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/\d")
_PLAIN_TIME = re.compile(r":\d\d|\d\s*[ap]\.?m\b|noon|midday|midnight", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,@]*(?:at)?[\s,@]*", re.IGNORECASE)


def read_date(text: str, there: tzinfo | None, zone: tzinfo) -> str | None:
    """Return a text as a date property, or None if it does not name one day or one moment.

    Args:
        text: Such as "2026-01-13" or "13 Jan 2026 at 14:00".
        there: The zone in which it was written; None if unknown, then a time of day cannot be read.
        zone: The person's.
    """
    if len(text) > _LONGEST:  # not a date, and costly to read
        return None
    try:
        return _read_date(text.strip(), there, zone)
    except (ValueError, OverflowError):  # a day at the edge of the calendar, in another zone
        return None


def _read_date(text: str, there: tzinfo | None, zone: tzinfo) -> str | None:
    if day_of(text):
        moment = datetime.fromisoformat(text)
        return text if len(text) == 10 else _to_property(moment, there, zone)
    found = _find_day(text)
    if found is None:
        return None
    day, rest = found
    if _BETWEEN.fullmatch(rest):
        return day.isoformat()
    at = find_times(rest)
    if len(at) != 1 or not _PLAIN_TIME.search(rest) or not _BETWEEN.fullmatch(rest[: at[0].start] + rest[at[0].end :]):
        return None
    return _to_property(datetime.combine(day, at[0].at), there, zone)


def _find_day(text: str) -> tuple[date, str] | None:
    """Return the day that a text names on its own, and the rest of the text."""
    first, second = (resolve(text, today) for today in _FAR_APART)
    if first != second or len(first) != 1 or first[0].first != first[0].last or _is_ambiguous(text):
        return None
    return first[0].first, f"{text[: first[0].start]} {text[first[0].end :]}"


def _is_ambiguous(text: str) -> bool:
    """Return whether it is a date such as 3/4/2026, April 3 for some and March 4 for others."""
    match = _NUMERIC.search(text)
    return match is not None and match[1] != match[2] and int(match[1]) <= 12 and int(match[2]) <= 12


def _to_property(moment: datetime, there: tzinfo | None, zone: tzinfo) -> str | None:
    if moment.tzinfo is None:
        if there is None:
            return None
        moment = moment.replace(tzinfo=there)
    return to_local(moment, zone)
