"""The single day or time that a statement is about, if it is clear."""

import re
from datetime import date, datetime
from difflib import get_close_matches

from ana.time.when.days import When
from ana.time.when.phrase import NotRead, combine
from ana.time.when.reader import Piece, Reading, has_noun_behind, is_recurring, read
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

_DAYS = words("WEEKDAY WEEKDAYS ORDINAL")
_NAMES = words("monday tuesday wednesday thursday friday saturday sunday tomorrow")
_NEARLY = 0.8
"""From this likeness on, of 1, a word that was not read may be a misspelt name of a day: satuday."""


def find_single(text: str, now: datetime, *, is_timed: bool = True) -> str | None:
    """Return the ISO date or date-time of a text.

    None if it names none, several, or one that recurs, is over or does not exist; also None for a text that is too long
    to be about one.

    Args:
        is_timed: Whether a time without a day counts, as its next occurrence.
    """
    if len(text) > LONGEST or _PAST.search(text):
        return None
    today, reading = now.date(), read(text, now.date(), now)
    is_either = any("FRACTION" in token.kinds for token in reading.tokens)  # 10/1 is the tenth of January or October 1
    if is_either or is_recurring(reading) or _has_loose(reading):
        return None
    is_clear = len(reading.list_kind("TIME", "RANGE")) == 1 and not _is_vague(text, reading)
    try:
        when = combine(reading.keep("DAY", "MOMENT", *["TIME"] * is_clear), today, now)
    except NotRead:
        return None
    at = None if when.zoned else when.at
    is_next = at and is_timed and not _HOURS.search(text)
    if not (when.is_dated or is_next) or not today <= when.first == when.last:
        return None
    if any(_is_unclear(reading, day, today, is_timed=at is not None) for day in reading.list_kind("DAY")):
        return None
    return f"{when.first}T{at:%H:%M}" if at else str(when.first)


def is_only_when(text: str, now: datetime) -> bool:
    """Return whether a text has no words but those of a day or a time."""
    reading = read(text, now.date(), now)
    words = [token.word for token in reading.unread if token.word[0].isalnum()]
    return len(text) <= LONGEST and not reading.list_kind("RULE", "HABIT") and _BESIDE.issuperset(words)


def _has_loose(reading: Reading) -> bool:
    """Whether a word outside the readings may name a day; beside another day, neither would be clear."""
    clocks = [time.start for time in reading.list_kind("TIME") if "CLOCK" in reading.tokens[time.start].kinds]
    # as a day of the month may stand in other languages: am 16 um 21:40
    beside = {token.start for at in clocks for token in reading.tokens[max(0, at - 3) : at]}
    return any(
        _is_loose(token) or (token.start in beside and token.kinds.get("NUMBER", 32) < 32) for token in reading.unread
    )


def _is_loose(token: Token) -> bool:
    is_misspelt = not token.kinds and bool(get_close_matches(token.word, _NAMES, 1, _NEARLY))
    return is_misspelt or not _DAYS.isdisjoint(token.kinds)


def _is_unclear(reading: Reading, day: Piece, today: date, *, is_timed: bool) -> bool:
    """Whether a feast belongs to the next word (the Christmas lights), or a day without year and time may be over."""
    days: When = day.value
    is_feast = not any(token.kinds for token in reading.tokens[day.start : day.end])
    is_leap = (days.first.month, days.first.day) == (2, 29)  # far away, whatever is meant
    is_far = days.step in ("year", "month") and (days.first - today).days > _FAR
    return has_noun_behind(reading.tokens, day.end) if is_feast else is_far and not is_timed and not is_leap


def _is_vague(text: str, reading: Reading) -> bool:
    """Whether a time may as well be twelve hours later: midnight, dinner at 7.30."""
    times = [time.value.at for time in reading.list_kind("TIME")]
    is_midnight = not all(at.hour or at.minute for at in times)
    return is_midnight or (_DINNER.search(text) is not None and any(at.hour < _NOON for at in times))
