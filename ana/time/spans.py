"""Dates as stretches of time, so that plain numbers can be compared, here and in SQL.

A span is a half-open stretch [start, end) of whole microseconds since 1970 in UTC: whole numbers, because a float
cannot hold microseconds in every year a date may name.

- A date-time is one microsecond long. Without a zone it is in the person's; a local time that daylight saving skips or
  repeats is read with fold=0: the offset before the change, so a repeated time is its first occurrence.
- A bare date is its calendar day in the person's zone, from its first instant to the first instant of the next day,
  23 to 25 hours as the zone has it. A day the zone skipped (2011-12-30 in Pacific/Apia) is empty: start equals end.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from ana.time.dates import day_of

Span = tuple[int, int]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BARE = len("2026-01-13")


def read_date_span(value: object, zone: tzinfo) -> Span | None:
    """Return the stretch of time that an ISO date or date-time names; None if the value is neither.

    Args:
        value: A property value; only text of the form YYYY-MM-DD[Thh:mm[:ss[.ffffff]][zone]] is a date.
        zone: The person's zone, for bare dates and for date-times without a zone.
    """
    day = day_of(value)
    if day is None:
        return None
    if len(str(value)) == _BARE:
        return get_day_span(day, zone)
    moment = datetime.fromisoformat(str(value))
    start = to_micros(moment if moment.tzinfo else moment.replace(tzinfo=zone))
    return start, start + 1


@lru_cache(maxsize=4096)
def get_day_span(day: date, zone: tzinfo) -> Span:
    """Return the stretch of time of a calendar day in a zone."""
    return _day_start(day, zone), _day_end(day, zone)


def get_days_span(first: date, last: date, zone: tzinfo) -> Span:
    """Return the stretch of time from the first day to the last, both included."""
    return get_day_span(first, zone)[0], get_day_span(last, zone)[1]


def to_micros(moment: datetime) -> int:
    """Return a moment in microseconds since 1970 in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def _day_end(day: date, zone: tzinfo) -> int:
    if day == date.max:
        return _day_start(day, zone) + timedelta(days=1) // _MICROSECOND
    return _day_start(day + timedelta(days=1), zone)


def _day_start(day: date, zone: tzinfo) -> int:
    # where the clock skips midnight it does so at midnight, in every zone since 1990: that is the first instant
    return to_micros(datetime.combine(day, time(), zone))
