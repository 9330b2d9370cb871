"""Dates that mean the same day whenever they are read, and rules that name their next date."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta, tzinfo

from ana.errors import ToolError
from ana.time.dates import day_of
from ana.time.repeats import Understood, understand_rule
from ana.time.when import NotRead, When, read_phrase
from ana.transfer.records import to_local
from ana.values import Properties

_FAR_APART = (date(1999, 2, 3), date(2095, 9, 17))
"""Two days to read a text on: if both give the same day, the text alone names it."""

_EARLIER = timedelta(days=38)
"""No rule falls on the same day of its week, month or year so much earlier, unless it says from when on it is."""

_LONGEST = 80
_SLASHED = re.compile(r"\b(\d{1,2})/(\d{1,2})/\d")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_NAME = re.compile(r"[^\W\d_]{3}")
"""Letters of a month's name."""


def read_date(text: str, there: tzinfo | None, zone: tzinfo, near: date | None = None) -> str | None:
    """Return a text as a date property, or None if it does not name one day or one moment.

    Args:
        text: Such as "2026-01-13" or "13 Jan 2026 at 14:00".
        there: The zone in which it was written; None if unknown, then a time of day cannot be read.
        near: A day; a date without a year, such as "15 Jan", is the one nearest to it. None: it names no day.
    """
    text = text.strip()
    if len(text) > _LONGEST:  # not a date, and costly to read
        return None
    with suppress(ValueError, OverflowError):  # a day at the edge of the calendar, in another zone; 29 February
        if day_of(text):
            return text if len(text) == 10 else _to_property(datetime.fromisoformat(text), there, zone)
        first, second = (_read_whole(text, today) for today in _FAR_APART)
        if not first or not second or _is_ambiguous(text):
            return None
        day = first.first
        if day != second.first:
            is_named = (day.month, day.day) == (second.first.month, second.first.day) and _NAME.search(text)
            if near is None or not is_named:
                return None
            day = min((day.replace(year=near.year + n) for n in (-1, 0, 1)), key=lambda each: abs(each - near))
        return _to_property(datetime.combine(day, first.at), there, zone) if first.at else day.isoformat()
    return None


def _read_whole(text: str, today: date) -> When | None:
    """Return the meaning of a text if it is a single day, with or without a time, and nothing else."""
    with suppress(NotRead):
        when = read_phrase(text.replace("@", "at"), today, datetime.combine(today, time()))
        if when.is_plain and when.first == when.last and not when.notes:
            return when
    return None


def _is_ambiguous(text: str) -> bool:
    """Return whether it is a date such as 3/4/2026, April 3 for some and March 4 for others."""
    match = _SLASHED.search(text)
    return match is not None and match[1] != match[2] and int(match[1]) <= 12 and int(match[2]) <= 12


def _to_property(moment: datetime, there: tzinfo | None, zone: tzinfo) -> str | None:
    whole = moment.replace(tzinfo=moment.tzinfo or there)
    return to_local(whole, zone) if whole.tzinfo else None


def is_month_first(texts: Iterable[str]) -> bool | None:
    """Return whether dates such as 12/28/2026 begin with the month; None if none of them decides it."""
    matches = [match for text in texts if (match := _SLASHED.match(text))]
    month, day = (any(int(match[place]) > 12 for match in matches) for place in (2, 1))
    return None if month == day else month


def settle_order(text: str, month_first: bool | None) -> str:
    """Return a date such as 12/28/2026 7:30 PM in ISO 8601, if its order is known; any other text unchanged."""
    if month_first is not None and _SLASHED.match(text):
        for at in _TIMES:
            with suppress(ValueError):
                moment = datetime.strptime(text, ("%m/%d/%Y" if month_first else "%d/%m/%Y") + at)
                return moment.isoformat() if at else str(moment.date())
    return text


def read_rule(text: str, since: datetime, zone: tzinfo, there: tzinfo | None, date_: str = "") -> Properties | None:
    """Return a rule as properties, with its next date if that is not given; None if the rule does not determine it.

    Args:
        text: An RRULE or words. Todoist's "every!" counts from the day it was done.
        since: The day on which it was written; the rule counts from the next day that it names.
        there: The zone in which its times are.
        date_: The next date, if it is known.
    """
    rule = _understand(text, datetime.fromisoformat(date_).replace(tzinfo=None) if date_ else since, zone)
    if rule is None:
        return None
    repeats: Properties = {"repeats": rule.rule, "repeat_from": "done" if "every!" in text.lower() else None}
    if date_:
        return repeats
    earlier, has_times = _understand(text, since - _EARLIER, zone), "BYHOUR" in rule.rule
    if earlier is None or earlier.rule != rule.rule or (has_times and there is not zone):
        return None
    if "INTERVAL" in rule.rule and earlier.first != rule.first:
        return None
    return {"due_date": rule.first.isoformat(timespec="minutes") if has_times else str(rule.first.date())} | repeats


def _understand(text: str, since: datetime, zone: tzinfo) -> Understood | None:
    """Return a rule, which counts from a day if it names none; None for any other text."""
    words = text if "=" in text else text.lower().replace("every!", "every")
    with suppress(ToolError):
        return understand_rule(words.removeprefix("RRULE:"), since, zone)
    return None
