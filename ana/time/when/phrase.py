"""A phrase that is only a date: it is read completely, or refused with the words that were not read."""

from datetime import date, datetime, time

from ana.time.clock import WEEKDAYS
from ana.time.when.days import DAY, When, one
from ana.time.when.grammar import Level
from ana.time.when.reader import Reading, is_recurring, read
from ana.time.when.times import Times
from ana.time.when.tokens import words

_SAYS_NOTHING = words("on at by due the for around about approximately exactly sharp and in of a here , . ! ? ( )")


class NotRead(ValueError):
    """The phrase is not a date, or part of it was not understood; the message says which."""


def read_phrase(phrase: str, today: date, now: datetime) -> When:
    """Return the meaning of a phrase.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted, on that day alone; a time without a day is the next after it.

    Raises:
        NotRead: The phrase names no day, several days or an impossible one, or has words that are not read.
    """
    reading = read(phrase, today, now if today == now.date() else None, Level.ALONE)
    if is_recurring(reading):
        raise NotRead("it repeats: give it as repeats")
    unread = " ".join(token.word for token in reading.unread if token.word not in _SAYS_NOTHING).replace(" / ", "/")
    if unread and not (reading.list_kind("TIME", "RANGE") and unread[0].isalpha()):
        raise NotRead(f"{unread!r} is not understood")
    when = combine(reading, today, now)
    return when._replace(unread=unread, bound="" if when.bound == "by" else when.bound)


def combine(reading: Reading, today: date, now: datetime) -> When:
    """Return the day, the time, the moment or the part of a day that a text names; a time alone means its next
    occurrence.

    Raises:
        NotRead: It names none, several or an impossible one.
    """
    days, times, moments = reading.days, reading.list_kind("TIME", "RANGE"), reading.list_kind("MOMENT")
    parts = [token.kinds["PART"] for token in reading.tokens if "PART" in token.kinds]
    if reading.impossible:
        raise NotRead(f"there is no {reading.impossible[0]!r} in any calendar")
    if len({each[:2] for each in days}) + len(moments) > 1 or len(times) + len(moments) > 1:
        raise NotRead("it names more than one day or time")
    if moments:
        moment: datetime = moments[0].value
        return one(moment.date())._replace(at=moment.time())
    if not (days or times or parts):
        raise NotRead("it names no day")
    when = days[0] if days else one(today)._replace(is_dated=False)
    if when.weekday not in (None, when.first.weekday()):
        raise NotRead(f"{when.first} is a {WEEKDAYS[when.first.weekday()]}, not a {WEEKDAYS[when.weekday or 0]}")
    return _add_times(when, times[0].value, now) if times else when._replace(part="".join(parts[:1]))


def _add_times(when: When, times: Times, now: datetime) -> When:
    """Return a day with a time; a time alone means its next occurrence."""
    if when.at:
        raise NotRead("it names more than one day or time")
    is_over, today = times.at <= now.time(), now.date()
    is_tomorrow = is_over and not when.is_dated and when.first == today
    later = DAY * (times.ends_day or is_tomorrow)  # tonight at 12
    other = None if is_over and when.other == today else when.other
    is_midnight = times.at == time() and when.is_dated and not times.ends_day  # the one that begins it, or that ends it
    note = f"It is read as {times.at:%H:%M}, in the afternoon; with am it is in the morning."
    return when._replace(
        first=when.first + later,
        last=when.last + later,
        at=times.at,
        until=times.until,
        bound=when.bound or times.bound,
        other=other or (when.first + DAY if is_midnight else None),
        notes=(*when.notes, note) if times.is_guessed else when.notes,
    )
