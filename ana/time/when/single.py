"""The one day or time that a statement is about, where one is clear."""

import re
from datetime import date, datetime, timedelta

from ana.time.when.mentions import Mention, find_impossible, read_moments, resolve
from ana.time.when.times import TimeMention, find_hours_ahead
from ana.time.when.words import LONGEST, STOP

_RECURRING = re.compile(
    r"\b(?:every|each|(?:dai|week|month|quarter|year)ly(?! (?:report|review|meeting|stand-?up|sync|call))"
    r"|annually|fortnightly|week(?:day|end)s"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:morning|evening|night)s|jede[nrs]?|täglich|immer|mittwochs"
    r"|(?:mon|diens|donners|frei|sams|sonn)tags|chaque|tous les|toutes les|cada|tod[oa]s l[oa]s|ogni|tutti i)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|ago|last \w+(?:ed|en)|(?:i|we) (?!need)\w+ed|if (?:i|we)|this morning|ce matin|stamattina"
    r"|heute morgen|hatten?|waren?|était|fue)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(r"(?<![\d/])(?:0?[1-9]|1[0-2])/(?:0?[1-9]|1[0-2])(?![\d/])")
"""10/1 is the tenth of January or the first of October."""
_DAY_FIRST = re.compile(r"(?<![\d/])(?!24/7)(1[3-9]|2\d|3[01])/(0?[1-9]|1[0-2])(?!\d|/(?!\d))")
_LOOSE = re.compile(
    r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri)(?:day)?s?\b|\b(?:satur|sun)days?\b"
    r"|(?:\band|\bor|[&/,-]) ?(?:sat|sun)\b|\b(?:from|till|until|to|on the) \d{1,2}(?:st|nd|rd|th)\b"
    r"|\b(?:el|le|il|am|zum) \d{1,2}\b(?! ?(?:h\b|uhr|[:%]|[.]\d))",
    re.IGNORECASE,
)
"""What may name a day: beside another one, neither is clear."""
_FEAST = re.compile(r"christmas|halloween|valentine|boxing|new year", re.IGNORECASE)
_BEHIND = re.compile(STOP, re.IGNORECASE)
_FAR = 320
"""A day without a year that is more days ahead may as well be of some weeks ago."""

_HOURS = re.compile(r"\b(?:open|close|shut|leave|start|end)s\b", re.IGNORECASE)
"""Hours of a shop are no time of one day."""
_RANGE = re.compile(r"\d\s?(?:h|[ap]m)?\s?(?:-|–|to|bis|and|und)\s?$|\bbetween\s", re.IGNORECASE)
_SMALL = re.compile(r"(?<!\d)[1-5][:.]\d\d$")
_EARLY = re.compile(r"\b(?:morning|early|früh|matin)\b|\da\.?m\b", re.IGNORECASE)
_DINNER = re.compile(r"\b(?:dinner|supper|drinks|party|concert|cinema|abendessen|dîner|cena)\b", re.IGNORECASE)
_NOON = 12
_BESIDE_WORDS = (
    "on at for by in the this before until till due from and a morning afternoon evening night noon o'clock sharp"
    " please bitte am um bis für zum ab den dem im à le la pour avant au el las para antes del al il alle per entro"
)
_BESIDE = frozenset(_BESIDE_WORDS.split())
"""Words that stand with a day or a time and say nothing more."""


def find_single(text: str, now: datetime, *, is_timed: bool = True) -> str | None:
    """Return the ISO date or date-time of a text.

    None where it names none, several, or one that recurs, is over or does not exist; and of a text that is too long to
    be about one.

    Args:
        is_timed: Whether a time without a day counts: the next one then.
    """
    if len(text) > LONGEST or any(form.search(text) for form in (_PAST, _RECURRING, _EITHER)):
        return None
    text = put_month_first(text)
    if find_impossible(text, now.date()):  # its time alone would be another day's
        return None
    if ahead := find_hours_ahead(text, now):
        is_only = not resolve(text, now.date()) and not find_hours_ahead(text[ahead[1] :], now)
        return ahead[2].isoformat(timespec="minutes") if is_only else None
    days, times = find_moments(text, now)
    clock = times[0] if len(times) == 1 and not _is_vague(text, times[0]) else None
    if resolve(text, now.date()):
        is_one = _is_one_day(text, days, now.date(), is_timed=clock is not None)
        return join_moment(days[0].first, clock) if is_one else None
    is_one_time = clock and is_timed and not _HOURS.search(text) and not _LOOSE.search(text)
    if not clock or not is_one_time:
        return None
    return join_moment(now.date() + timedelta(days=1 if clock.at <= now.time() else 0), clock)


def put_month_first(text: str) -> str:
    """Return a text with the month before the day in 31/12, of the same length."""
    return _DAY_FIRST.sub(r"\2/\1", text)


def find_moments(text: str, now: datetime) -> tuple[list[Mention], list[TimeMention]]:
    """Return the days that a text names and that are not over, and its times outside them."""
    days, times, _ = read_moments(text, now.date(), since=now.date())
    return days, times


def join_moment(day: date | None, clock: TimeMention | None) -> str:
    """Return a day and a time, or the one of them that there is, as in an ISO date-time."""
    return (str(day) if day else "") + (f"T{clock.at:%H:%M}" if clock else "")


def is_only_when(text: str, now: datetime) -> bool:
    """Return whether a text has no words but those of a day or a time."""
    if len(text) > LONGEST:
        return False
    if ahead := find_hours_ahead(text, now):
        text = text[: ahead[0]] + text[ahead[1] :]
    *_, rest = read_moments(text, now.date(), since=now.date())
    return _BESIDE.issuperset(re.findall(r"[^\W_](?:[\w']*\w)?", rest.lower()))


def _is_one_day(text: str, days: list[Mention], today: date, *, is_timed: bool) -> bool:
    """Whether a text that names days names one and no other, which is not over."""
    every = resolve(text, today)
    if not days or len({(day.first, day.last) for day in every}) > 1 or every[0].first != every[0].last:
        return False
    taken = {at for day in every for at in range(day.start, day.end)}
    outside = any(taken.isdisjoint(range(*loose.span())) for loose in _LOOSE.finditer(text))
    return not outside and not any(_is_unclear(text, day, today, is_timed=is_timed) for day in days)


def _is_unclear(text: str, day: Mention, today: date, *, is_timed: bool) -> bool:
    """Whether a feast belongs to what follows (the Christmas lights), or a day without year and time may be over."""
    is_name = _FEAST.match(day.text) and not _BEHIND.match(text, day.end)
    is_bare = re.search(r"\d", day.text) and not re.search(r"\d{4}|year|months", day.text)
    if (day.first.month, day.first.day) == (2, 29):  # far away, whatever is meant
        is_bare = None
    return bool(is_name or (is_bare and not is_timed and (day.first - today).days > _FAR))


def _is_vague(text: str, clock: TimeMention) -> bool:
    """Whether a time ends a stretch, or may as well be twelve hours later: midnight, 3:15, dinner at 7.30."""
    is_small = _SMALL.search(text[clock.start : clock.end]) or (_DINNER.search(text) and clock.at.hour < _NOON)
    is_midnight = not (clock.at.hour or clock.at.minute)
    return bool(_RANGE.search(text[: clock.start]) or is_midnight or (is_small and not _EARLY.search(text)))
