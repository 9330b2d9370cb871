"""The single day or time that a statement is about, if it is clear."""

import re
from datetime import date, datetime, timedelta
from difflib import get_close_matches

from ana.time.when.grammar import NoSuchDay
from ana.time.when.mentions import Mention, TimeMention, list_days, list_times
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

_TO = words("from till until to the")
_BETWEEN = words("and or & / , -")
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
    reading = read(text, now.date(), now)
    is_either = any("FRACTION" in token.kinds for token in reading.tokens)  # 10/1 is the tenth of January or October 1
    is_impossible = any(isinstance(piece.value, NoSuchDay) for piece in reading.pieces)
    if is_either or is_impossible or is_recurring(reading):  # its time alone would be another day's
        return None
    days, times = list_days(text, reading), list_times(reading)
    if moments := reading.list_kind("MOMENT"):
        return moments[0].value.isoformat(timespec="minutes") if len(moments) == 1 and not days else None
    clock = times[0] if len(times) == 1 and not _is_vague(text, times[0]) else None
    if days:
        is_one = _is_one_day(reading, days, now.date(), is_timed=clock is not None)
        return join_moment(days[0].first, clock) if is_one else None
    is_one_time = clock and is_timed and not _HOURS.search(text) and not _has_loose(reading)
    if not clock or not is_one_time:
        return None
    return join_moment(now.date() + timedelta(days=1 if clock.at <= now.time() else 0), clock)


def join_moment(day: date | None, clock: TimeMention | None) -> str:
    """Return a day, a time, or both, in the form of an ISO date-time."""
    return (str(day) if day else "") + (f"T{clock.at:%H:%M}" if clock else "")


def is_only_when(text: str, now: datetime) -> bool:
    """Return whether a text has no words but those of a day or a time."""
    reading = read(text, now.date(), now)
    words = [token.word for token in reading.unread if token.word[0].isalnum()]
    return len(text) <= LONGEST and not is_recurring(reading) and _BESIDE.issuperset(words)


def _has_loose(reading: Reading) -> bool:
    """Whether a word outside the readings may name a day; beside another day, neither would be clear."""
    unread = {token.start for token in reading.unread}
    places = ((reading.tokens[at - 1].word if at else "", token) for at, token in enumerate(reading.tokens))
    is_loose = any(token.start in unread and _is_loose(token, before) for before, token in places)
    return is_loose or any(_is_after_number(reading, piece, unread) for piece in reading.pieces if piece.kind == "TIME")


def _is_after_number(reading: Reading, time: Piece, unread: set[int]) -> bool:
    """Whether a number stands shortly before a time, as a day of the month may in other languages: am 16 um 21:40."""
    before = reading.tokens[max(0, time.start - 3) : time.start]
    is_led = "CLOCK" not in reading.tokens[time.start].kinds
    return not is_led and any(token.start in unread and token.kinds.get("NUMBER", 32) < 32 for token in before)


def _is_loose(token: Token, before: str) -> bool:
    is_day = not {"WEEKDAY", "WEEKDAYS"}.isdisjoint(token.kinds) and "FAINT" not in token.kinds
    is_misspelt = not token.kinds and bool(get_close_matches(token.word, _NAMES, 1, _NEARLY))
    return (
        is_day
        or is_misspelt
        or ("FAINT" in token.kinds and before in _BETWEEN)
        or ("ORDINAL" in token.kinds and before in _TO)
    )


def _is_one_day(reading: Reading, days: list[Mention], today: date, *, is_timed: bool) -> bool:
    """Whether the named days are a single day that is not over."""
    is_one = len({(day.first, day.last) for day in days}) == 1 and days[0].first == days[0].last >= today
    if not is_one or _has_loose(reading):
        return False
    return not any(_is_unclear(reading, day, today, is_timed=is_timed) for day in days)


def _is_unclear(reading: Reading, day: Mention, today: date, *, is_timed: bool) -> bool:
    """Whether a feast belongs to the next word (the Christmas lights), or a day without year and time may be over."""
    (piece,) = (each for each in reading.pieces if reading.span(each)[0] == day.start)
    is_feast = not any(token.kinds for token in reading.tokens[piece.start : piece.end])
    is_leap = (day.first.month, day.first.day) == (2, 29)  # far away, whatever is meant
    is_far = day.step in ("year", "month") and (day.first - today).days > _FAR
    if is_feast:
        return has_noun_behind(reading.tokens, piece.end)
    return is_far and not is_timed and not is_leap


def _is_vague(text: str, clock: TimeMention) -> bool:
    """Whether a time may as well be twelve hours later: midnight, dinner at 7.30."""
    is_midnight = not (clock.at.hour or clock.at.minute)
    return is_midnight or (_DINNER.search(text) is not None and clock.at.hour < _NOON)
