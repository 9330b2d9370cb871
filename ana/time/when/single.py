"""The one day or time that a statement is about, where one is clear."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from ana.time.when.days import Days
from ana.time.when.reader import Reading, is_recurring, read
from ana.time.when.times import Times
from ana.time.when.tokens import LONGEST, Token, words

_PAST = re.compile(
    r"\b(?:was|were|had|did|ago|last \w+(?:ed|en)|(?:i|we) (?!need)\w+ed|if (?:i|we)|this morning)\b", re.IGNORECASE
)
_FAR = 320
"""A day without a year that is more days ahead may as well be of some weeks ago."""

_HOURS = re.compile(r"\b(?:open|close|shut|leave|start|end)s\b", re.IGNORECASE)
"""Hours of a shop are no time of one day."""
_DINNER = re.compile(r"\b(?:dinner|supper|drinks|party|concert|cinema)\b", re.IGNORECASE)
_NOON = 12
_BESIDE = words(
    "on at for by in the this before until till due from and a morning afternoon evening night noon o'clock sharp"
    " please"
)
"""Words that stand with a day or a time and say nothing more."""


def find_single(text: str, now: datetime, *, is_timed: bool = True) -> str | None:
    """Return the ISO date or date-time of a text.

    None where it names none, several, or one that recurs, is over or does not exist; and of a text that is too long to
    be about one.

    Args:
        is_timed: Whether a time without a day counts: the next one then.
    """
    if len(text) > LONGEST or _PAST.search(text):
        return None
    reading = read(text, now.date(), now)
    is_either = any("FRACTION" in token.kinds for token in reading.tokens)  # 10/1 is the tenth of January or October 1
    if is_either or reading.impossible or is_recurring(reading):  # its time alone would be another day's
        return None
    days, times = reading.days, reading.times
    if moments := reading.list_kind("MOMENT"):
        return moments[0].value.isoformat(timespec="minutes") if len(moments) == 1 and not days else None
    clock = times[0] if len(times) == 1 and not _is_vague(text, times[0]) else None
    if days:
        is_clear = _is_one_day(days, now.date()) and not _has_loose(reading, _is_day)
        return _join(days[0].first, clock) if is_clear and (clock or not _is_far(days[0], now.date())) else None
    if not clock or not is_timed or _HOURS.search(text) or _has_loose(reading, _may_be_day):
        return None
    return _join(now.date() + timedelta(days=1 if clock.at <= now.time() else 0), clock)


def read_moment(text: str, now: datetime) -> str:
    """Return the day, the time, T15:00, or both that a text names; empty if it names several or says anything else."""
    reading = read(text, now.date(), now)
    days, times = [day.first for day in reading.days if day.last >= now.date()], reading.times
    is_one = is_only_when(text, now) and len(days) < 2 and len(times) < 2
    return _join(next(iter(days), None), next(iter(times), None)) if is_one else ""


def _join(day: date | None, clock: Times | None) -> str:
    return (str(day) if day else "") + (f"T{clock.at:%H:%M}" if clock else "")


def is_only_when(text: str, now: datetime) -> bool:
    """Return whether a text has no words but those of a day or a time."""
    reading = read(text, now.date(), now)
    words = [token.word for token in reading.unread if token.word[0].isalnum()]
    return len(text) <= LONGEST and not is_recurring(reading) and _BESIDE.issuperset(words)


def _has_loose(reading: Reading, is_day: Callable[[Token], bool]) -> bool:
    """Whether a word outside of what was read may name a day: beside another one, neither is clear."""
    return any(map(is_day, reading.unread))


def _is_one_day(days: list[Days], today: date) -> bool:
    return len({(day.first, day.last) for day in days}) == 1 and days[0].first == days[0].last >= today


def _is_day(token: Token) -> bool:
    return not {"WEEKDAY", "WEEKDAYS", "ORDINAL"}.isdisjoint(token.kinds)


def _may_be_day(token: Token) -> bool:
    """Whether it is a day, or a number that may be one in other languages: am 16 um 21:40."""
    return _is_day(token) or token.kinds.get("NUMBER", 32) < 32


def _is_far(day: Days, today: date) -> bool:
    """Whether a day without a year may be over; a leap day is far away, whatever is meant."""
    is_leap = (day.first.month, day.first.day) == (2, 29)
    return day.step in ("year", "month") and (day.first - today).days > _FAR and not is_leap


def _is_vague(text: str, clock: Times) -> bool:
    """Whether a time may as well be twelve hours later: midnight, dinner at 7.30."""
    is_midnight = not (clock.at.hour or clock.at.minute)
    return is_midnight or (_DINNER.search(text) is not None and clock.at.hour < _NOON)
