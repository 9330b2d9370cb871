"""The occurrences of a repetition: those in a window of time, and the next one."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import groupby, islice

from dateutil.relativedelta import relativedelta

from ana.time.dates import write_moment
from ana.time.repeats.repeat import DateKey, Form, Repeat, read_local
from ana.time.repeats.rules import YEARS_AHEAD, iter_moments

MOST = 5000
"""How many occurrences a window has at most."""

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Occurrence:
    """One occurrence of a repetition.

    Args:
        start: Its day, or the moment at which it begins, in the person's zone.
        end: Its last day, or the moment at which it ends; the same as `start` if only one is known.
        dates: The item's dates at this occurrence, by property; in the zone of the series, with its offset if that is
            not the person's.
        at: The rule's moment for it, in local time of the series; a day is its midnight. The occurrence may be moved to
            another moment.
        until: The first moment at which it is over, in local time.
    """

    start: date
    end: date
    dates: Mapping[str, str]
    at: datetime
    until: datetime


def iter_between(repeat: Repeat, start: date, end: date) -> Iterator[Occurrence]:
    """Yield the occurrences from a day or moment to another, in order, at most MOST.

    Args:
        repeat: The repetition; if it counts from the day it was done, only the first occurrence is known.
        start: Occurrences that are over before this are left out.
        end: Occurrences that begin after this moment or day are left out.
    """
    since, last = find_bounds(repeat, start, end)
    yield from islice(iter_occurrences(repeat, since, last), MOST)


def find_next_after(repeat: Repeat, moment: datetime) -> Occurrence | None:
    """Return the first occurrence that begins after a moment; None if there is none within a dozen years."""
    local = to_local(repeat, moment)
    coming = iter_occurrences(repeat, local, look_ahead(repeat, local))
    return next((each for each in coming if to_local(repeat, each.start) > local), None)


def find_present(repeat: Repeat, now: datetime) -> Occurrence | None:
    """Return the present occurrence: the first one if it waits until it is done, else the first that is not over.

    None if the series has ended.
    """
    since = repeat.begin if repeat.waits else to_local(repeat, now)
    early = min([since, *repeat.moved.values()]) if repeat.waits else since
    return next(iter_occurrences(repeat, early, look_ahead(repeat, since)), None)


def bring_to_first(repeat: Repeat, text: str) -> str:
    """Move a date that belongs to a later occurrence, such as its end, to the first occurrence.

    An end at the moment when the next occurrence begins belongs to the occurrence before.
    """
    moment, is_day = read_local(text, repeat.zone), len(text) == len("2026-01-13")
    latest = datetime.combine(moment, time.max) if is_day else moment
    longest = timedelta(min(366 * repeat.rule.interval, (latest - datetime.min).days))  # from one to the next
    since = max(repeat.begin, latest - longest)
    starts = (to_local(repeat, each.start) for each in iter_occurrences(repeat, since, latest))
    begin = max((start for start in starts if start < latest), default=repeat.first)
    if is_day:
        return str(repeat.first.date() + (moment.date() - begin.date()))
    return (repeat.first + (moment - begin)).isoformat(timespec="minutes")


def find_bounds(repeat: Repeat, start: date, end: date) -> tuple[datetime, datetime]:
    """Return the beginning and end of a stretch of the person's days, or of moments, in local time of the series."""
    zone = None if repeat.is_day else repeat.here
    since = start if isinstance(start, datetime) else datetime.combine(start, time(), zone)
    last = end if isinstance(end, datetime) else datetime.combine(end, time.max, zone)
    return to_local(repeat, since), to_local(repeat, last)


def to_local(repeat: Repeat, moment: date) -> datetime:
    """Return a day's midnight, or a moment, in local time of the series; a moment without a zone is in that time
    already.
    """
    if not isinstance(moment, datetime):
        return datetime.combine(moment, time())
    return moment.astimezone(repeat.zone).replace(tzinfo=None) if moment.tzinfo else moment


def look_ahead(repeat: Repeat, since: datetime) -> datetime:
    """Return the moment up to which occurrences are searched, in local time."""
    rule = repeat.rule
    years = YEARS_AHEAD * (rule.interval if rule["FREQ"] in ("MONTHLY", "YEARLY") else 1)
    begin = max(since, repeat.first)
    end = begin + relativedelta(years=min(years, 9800 - begin.year)) if begin.year < 9800 else datetime.max
    return max((end, *repeat.also[-1:]))


def iter_occurrences(repeat: Repeat, since: datetime, last: datetime) -> Iterator[Occurrence]:
    """Yield the occurrences that are not over at one moment of local time and begin by another."""
    return (make_occurrence(repeat, at, actual) for actual, at in iter_places(repeat, since, last))


def iter_places(repeat: Repeat, since: datetime, last: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the beginnings of these occurrences in local time, each with the rule's moment for it."""
    lasts = max(key.distance for key in repeat.keys) + (DAY if repeat.is_day else MICROSECOND)
    early = since - lasts - DAY if since > repeat.begin else repeat.begin
    moved = find_moved(repeat) if repeat.moved else {}
    as_ruled = ((at, at) for at in iter_ruled(repeat, early, last) if at not in moved)
    elsewhere = sorted((to, at) for at, to in moved.items())
    return ((actual, at) for actual, at in merge(as_ruled, elsewhere) if actual <= last and actual + lasts > since)


def iter_ruled(repeat: Repeat, since: datetime, last: datetime) -> Iterator[datetime]:
    """Yield the moments of the rule and additional ones, in local time, without those that are left out."""
    ruled: Iterable[datetime] = _iter_rule(repeat, since, min(last, repeat.end) if repeat.end else last)
    if repeat.also:
        ruled = (at for at, _ in groupby(merge(ruled, repeat.list_also(since, last))))
    return (at for at in ruled if not repeat.is_exception(at))


def _iter_rule(repeat: Repeat, since: datetime, last: datetime) -> Iterator[datetime]:
    """Yield the moments of the rule; if it counts from the day it was done, only the first is known."""
    ruled = iter_moments(repeat.rule, repeat.first, since, last)
    if not repeat.from_done:
        return ruled
    return islice(ruled, 1) if since <= repeat.first else iter(())


def find_moved(repeat: Repeat) -> dict[datetime, datetime]:
    """Return the new times of moved moments; on a day with several, the first moves, unless single ones are moved."""
    moved: dict[datetime, datetime] = {}
    for key in sorted(repeat.moved, key=lambda key: isinstance(key, datetime)):
        begin = to_local(repeat, key)
        end = key if isinstance(key, datetime) else datetime.combine(key, time.max)
        moved |= dict.fromkeys(islice(iter_ruled(repeat, begin, end), 1), repeat.moved[key])
    return moved


def make_occurrence(repeat: Repeat, at: datetime, actual: datetime) -> Occurrence:
    """Return an occurrence from the rule's moment and its actual one, in local time."""
    moments = {key: _settle_moment(repeat, key, actual) for key in repeat.keys}
    ends = [moment for key, moment in moments.items() if key.name == "end_date"]
    start = moments[repeat.keys[0]]
    end = ends[0] if ends else start
    form: Form | None = None if repeat.here is repeat.zone else "zoned"
    dates = {key.name: write_date(_to_own(repeat, moment), form or key.form) for key, moment in moments.items()}
    last = to_local(repeat, end)
    return Occurrence(start, end, dates, at, last + (MICROSECOND if isinstance(end, datetime) else DAY))


def _to_own(repeat: Repeat, moment: date) -> date:
    return moment.astimezone(repeat.zone) if isinstance(moment, datetime) else moment


def _settle_moment(repeat: Repeat, key: DateKey, actual: datetime) -> date:
    """Return a date of an occurrence in the person's zone: a moment that the clock skips moves forward by the skipped
    time.
    """
    local = actual + key.distance
    if key.form == "day":
        return local.date()
    return local.replace(tzinfo=repeat.zone).astimezone(UTC).astimezone(repeat.here)


def write_date(moment: date, form: Form) -> str:
    """Return a day, or a moment with or without its zone, in the form of properties."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return write_moment(moment if form == "zoned" else moment.replace(tzinfo=None))
