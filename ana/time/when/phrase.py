"""A phrase that is only a date: it is read completely, or refused with the words that were not read."""

from datetime import date, datetime, time
from typing import NamedTuple

from ana.time.clock import WEEKDAYS
from ana.time.when.days import DAY, Days, one
from ana.time.when.grammar import Level, NoSuchDay
from ana.time.when.reader import Reading, read
from ana.time.when.times import Times
from ana.time.when.tokens import words

_SAYS_NOTHING = words("on at by due the for around about approximately exactly sharp and in of a here , . ! ? ( )")
_BOUNDS = {
    "until": "until",
    "till": "until",
    "from": "from",
    "starting": "from",
    "since": "from",
    "before": "before",
    "after": "after",
}


class NotRead(ValueError):
    """The phrase is not a date, or part of it was not understood; the message says which."""


class When(NamedTuple):
    """The meaning of a phrase.

    Args:
        first: The first day.
        last: The last day, inclusive.
        is_dated: Whether it names a day; a time alone means its next occurrence.
        at: The time of day, or the beginning of a range; None if there is none.
        until: The end of the range.
        zoned: The moment, if the phrase names its offset from UTC.
        other: The other day that some people mean by it.
        part: The part of the day that it names without a time.
        bound: The side of the day that it means: before, after, from or until; empty for the day itself.
        unread: Words beside a time that were not read, such as a zone.
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
    """Return the meaning of a phrase.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted, on that day alone; a time without a day is the next after it.

    Raises:
        NotRead: The phrase names no day, several days or an impossible one, or has words that are not read.
    """
    reading = read(phrase, today, now if today == now.date() else None, Level.ALONE)
    bound, unread = _split_rest(reading)
    days, times = reading.list_kind("DAY", "MOMENT"), reading.list_kind("TIME", "RANGE", "MOMENT")
    parts = reading.list_kind("PARTOFDAY")
    if reading.list_kind("RULE"):
        raise NotRead("it repeats: give it as repeats")
    if impossible := [piece for piece in days if isinstance(piece.value, NoSuchDay)]:
        start, end = reading.span(impossible[0])
        raise NotRead(f"there is no {phrase[start:end]!r} in any calendar")
    if len(days) > 1 or len(times) > 1:
        raise NotRead("it names more than one day or time")
    if unread and not (times and times[0].kind != "MOMENT" and unread[0].isalpha()):
        raise NotRead(f"{unread!r} is not understood")
    if not (days or times or parts):
        raise NotRead("it names no day")
    if days and days[0].kind == "MOMENT":
        when = When(days[0].value.date(), days[0].value.date(), at=days[0].value.time())
    else:
        when = _join(days[0].value if days else None, times[0].value if times else None, today, now)
    part = "" if times else next((token.kinds["PART"] for token in reading.tokens if "PART" in token.kinds), "")
    return when._replace(part=part, bound=bound, unread=unread)


def _split_rest(reading: Reading) -> tuple[str, str]:
    """Return the side of the day that words beside the date name, and all other words."""
    leads = [reading.tokens[piece.start].word for piece in reading.list_kind("TIME")]  # after 5pm
    words = [token.word for token in reading.unread] + [word for word in leads if word in _BOUNDS]
    bounds = [word for word in words if word in _BOUNDS]
    known = _SAYS_NOTHING | {*bounds[:1]}
    rest = " ".join(word for word in words if word not in known)
    return "".join(_BOUNDS[word] for word in bounds[:1]), rest.replace(" / ", "/")


def _join(days: Days | None, times: Times | None, today: date, now: datetime) -> When:
    """Return a day with a time; a time alone means its next occurrence."""
    is_over = times is not None and today == now.date() and times.at <= now.time() and not times.ends_day
    span = days or one(today + DAY if is_over else today)
    if span.weekday not in (None, span.first.weekday()):
        raise NotRead(f"{span.first} is a {WEEKDAYS[span.first.weekday()]}, not a {WEEKDAYS[span.weekday or 0]}")
    other = None if is_over and span.other == today else span.other
    when = When(span.first, span.last, days is not None, other=other, notes=(span.note,) if span.note else ())
    if isinstance(span.at, datetime):
        return when._replace(at=span.at.time(), zoned=span.at)
    if span.at:
        return when._replace(at=span.at)
    if times is None:
        return when
    if times.is_guessed:
        note = f"It is read as {times.at:%H:%M}, in the afternoon; with am it is in the morning."
        when = when._replace(notes=(*when.notes, note))
    if times.at == time() and days and not times.ends_day:  # the midnight that begins it, or that ends it
        when = when._replace(other=when.other or when.first + DAY)
    if times.ends_day:  # tonight at 12
        when = when._replace(first=when.first + DAY, last=when.first + DAY)
    return when._replace(at=times.at, until=times.until)
