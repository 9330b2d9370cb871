"""A phrase that is a date and nothing else: read whole, or refused with what was not read."""

from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from ana.time.clock import WEEKDAYS
from ana.time.when.days import Days
from ana.time.when.grammar import Level, NoSuchDay
from ana.time.when.reader import Piece, Reading, read
from ana.time.when.times import Times

_SAYS_NOTHING = frozenset(
    "on at by due the for around about approximately exactly sharp and in of a here , . ! ? ( )".split()
)
_BOUNDS = {word: "until" for word in ("until", "till")} | {word: "from" for word in ("from", "starting", "since")}
_BOUNDS |= {word: word for word in ("before", "after")}
_DAY = timedelta(days=1)


class NotRead(ValueError):
    """A phrase that is no date, or of which something is left; args[0] says so."""


class When(NamedTuple):
    """What a phrase means.

    Args:
        first: The first day.
        last: The last day, inclusive.
        is_dated: Whether it names a day; a time alone is the next one.
        at: The time of day, or from when on; None without one.
        until: Until when.
        zoned: The moment, where the phrase names its distance from UTC.
        other: The day that others mean by it.
        part: The part of the day that it names without a time.
        bound: Which side of the day it means: before, after, from or until; empty for the day itself.
        unread: Words that were not read, which stand beside a time.
        notes: Sentences on how it was read.
    """

    first: date
    last: date
    is_dated: bool = True
    at: time | None = None
    until: time | None = None
    zoned: datetime | None = None
    other: date | None = None
    part: str = ""
    bound: str = ""
    unread: str = ""
    notes: tuple[str, ...] = ()


def read_phrase(phrase: str, today: date, now: datetime) -> When:
    """Return what a phrase means.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted; a time without a day is the next one after it.

    Raises:
        NotRead: It names no day, several, one that does not exist, or has words that are not read.
    """
    reading = read(phrase, today, now, Level.ALONE)
    bound, unread = _split_rest(reading)
    if any(piece.kind == "RULE" for piece in reading.pieces):
        raise NotRead("it repeats: give it as repeats")
    if impossible := [piece for piece in reading.pieces if isinstance(piece.value, NoSuchDay)]:
        start, end = reading.span(impossible[0])
        raise NotRead(f"there is no {phrase[start:end]!r} in any calendar")
    moments, days, times, parts = (_list(reading, *kinds) for kinds in _KINDS)
    if len(days) + len(moments) > 1 or len(times) + len(moments) > 1:
        raise NotRead("it names more than one day or time")
    if unread and not (times and unread[0].isalpha()):
        raise NotRead(f"{unread!r} is not understood")
    if moments:
        moment = moments[0].value
        return When(moment.date(), moment.date(), at=moment.time(), bound=bound)
    if not (days or times or parts):
        raise NotRead("it names no day")
    when = _join(days[0].value if days else None, times[0].value if times else None, today, now)
    part = parts[0].value if parts and not times else ""
    return when._replace(part=part, bound=bound, unread=unread)


_KINDS = (("MOMENT",), ("DAY",), ("TIME", "RANGE"), ("PARTOFDAY",))


def _list(reading: Reading, *kinds: str) -> list[Piece]:
    return [piece for piece in reading.pieces if piece.kind in kinds]


def _split_rest(reading: Reading) -> tuple[str, str]:
    """Return the side of the day that words beside the date say, and the words that say anything else."""
    words = [token.word for token in reading.unread]
    bounds = [_BOUNDS[word] for word in words if word in _BOUNDS]
    rest = " ".join(word for word in words if word not in _SAYS_NOTHING and word not in _BOUNDS).replace(" / ", "/")
    return (bounds[0] if bounds else "", rest) if len(bounds) < 2 else ("", " ".join(words))


def _join(days: Days | None, times: Times | None, today: date, now: datetime) -> When:
    """Return a day with a time; a time alone is the next one."""
    if days is None:
        is_over = times is not None and today == now.date() and times.at <= now.time() and not times.ends_day
        first = today + _DAY if is_over else today
        return _add_time(When(first, first, is_dated=False), times)
    if days.said not in (None, days.first.weekday()):
        raise NotRead(f"{days.first} is a {WEEKDAYS[days.first.weekday()]}, not a {WEEKDAYS[days.said or 0]}")
    when = When(days.first, days.last, other=days.other, notes=(days.note,) if days.note else ())
    if isinstance(days.at, datetime):
        return when._replace(at=days.at.time(), zoned=days.at)
    return when._replace(at=days.at) if days.at else _add_time(when, times)


def _add_time(when: When, times: Times | None) -> When:
    if times is None:
        return when
    if times.ends_day:  # the midnight that ends the day
        when = when._replace(first=when.first + _DAY, last=when.first + _DAY)
    notes = when.notes
    if times.is_guessed:
        notes += (f"It is read as {times.at:%H:%M}, in the afternoon; with am it is in the morning.",)
    return when._replace(at=times.at, until=times.until, notes=notes)
