"""Dates that mean the same day whenever they are read: not relative, not recurring, not ambiguous.

Where a program writes no year, the one that is nearest to the time of writing can be asked for.
"""

import re
from contextlib import suppress
from datetime import date, datetime, tzinfo

from ana.time.dates import day_of
from ana.time.when import find_times, resolve
from ana.transfer.records import to_local

_FAR_APART = (date(1999, 2, 3), date(2095, 9, 17))
"""Two days to read a text on: if both give the same day, the text alone names it."""

_LONGEST = 80
_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/\d")
_PLAIN_TIME = re.compile(r":\d\d|\d\s*[ap]\.?m\b|noon|midday|midnight", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,@]*+(?:at[\s,@]*+)?", re.IGNORECASE)

_NAME = re.compile(r"[^\W\d_]{3}")
"""Letters of a month's name."""


def read_date(text: str, there: tzinfo | None, zone: tzinfo, near: date | None = None) -> str | None:
    """Return a text as a date property, or None if it does not name one day or one moment.

    Args:
        text: Such as "2026-01-13" or "13 Jan 2026 at 14:00".
        there: The zone in which it was written; None if unknown, then a time of day cannot be read.
        near: A day; a date without a year, such as "15 Jan", is the one nearest to it. None: it names no day.
    """
    if len(text) > _LONGEST:  # not a date, and costly to read
        return None
    with suppress(ValueError, OverflowError):  # a day at the edge of the calendar, in another zone
        return _read_date(text.strip(), there, zone, near)
    return None


def _read_date(text: str, there: tzinfo | None, zone: tzinfo, near: date | None) -> str | None:
    if day_of(text):
        moment = datetime.fromisoformat(text)
        return text if len(text) == 10 else _to_property(moment, there, zone)
    found = _find_day(text, near)
    if found is None:
        return None
    day, rest = found
    if _BETWEEN.fullmatch(rest):
        return day.isoformat()
    at = find_times(rest)
    if len(at) != 1 or not _PLAIN_TIME.search(rest) or not _BETWEEN.fullmatch(rest[: at[0].start] + rest[at[0].end :]):
        return None
    return _to_property(datetime.combine(day, at[0].at), there, zone)


def _find_day(text: str, near: date | None) -> tuple[date, str] | None:
    """Return the day that a text names, on its own or near another, and the rest of the text."""
    first, second = (resolve(text, today) for today in _FAR_APART)
    if not len(first) == len(second) == 1 or first[0].first != first[0].last or _is_ambiguous(text):
        return None
    mention, day = first[0], first[0].first
    if first != second:
        is_named = (day.month, day.day) == (second[0].first.month, second[0].first.day)
        if near is None or not is_named or not _NAME.search(text[mention.start : mention.end]):
            return None
        # a ValueError for 29 February
        day = min((day.replace(year=near.year + more) for more in (-1, 0, 1)), key=lambda each: abs(each - near))
    return day, f"{text[: mention.start]} {text[mention.end :]}"


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
