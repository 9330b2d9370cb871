"""Days, and the distance of named days from today."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday as nth_day

from ana.time.when.grammar import Base, NoSuchDay
from ana.time.when.tokens import Figures

DAY, WEEK, YEAR = timedelta(days=1), timedelta(weeks=1), relativedelta(years=1)
_YEARS = 29
"""Years looked through for a day: February has a fifth Monday in a leap year alone."""

_WORKING = "Monday to Friday are counted, holidays too."


class Days(NamedTuple):
    """The days that a phrase names.

    Args:
        last: The last day, inclusive.
        step: The time after which it comes again, week, month or year; empty for a fixed date.
        other: The first day of another reading that people have of it.
        at: The time in a date and time of ISO, with its day if it has a zone.
        weekday: The weekday that stands beside a date, from 0, Monday.
        note: A remark about it.
    """

    first: date
    last: date
    step: str = ""
    other: date | None = None
    at: datetime | time | None = None
    weekday: int | None = None
    note: str = ""


class Length(NamedTuple):
    """A length of time."""

    days: relativedelta
    minutes: float = 0


def one(day: date, step: str = "") -> Days:
    """Return a single day."""
    return Days(day, day, step)


def make_date(year: int, month: int, day: int) -> date | None:
    """Return a date; None if it does not exist."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_next(today: date, find: Callable[[int], date | None]) -> date:
    """Return the first day from today on that a function finds in a year."""
    for year in range(today.year, today.year + _YEARS):
        if (day := find(year)) and day >= today:
            return day
    raise NoSuchDay


def find_weekday(base: Base, weekday: int, which: int | None = None) -> Days:
    """Return the next date with this weekday after today, or the one in the last, this or the next week (-1, 0, 1)."""
    coming = base.today + DAY * ((weekday - base.today.weekday() - 1) % 7 + 1)
    if which is None:  # on that day itself some mean today
        return one(coming, "week")._replace(other=base.today if coming == base.today + WEEK else None)
    if which < 0:
        return one(base.today - DAY * ((base.today.weekday() - weekday - 1) % 7 + 1))
    day = find_period(base.today, "weeks", which).first + DAY * weekday
    if which == 0:  # over: some mean the one that was, some the one that comes
        return one(day)._replace(other=coming if day < base.today else None)
    if day == base.today + WEEK:
        return one(day)
    return one(day)._replace(other=day + WEEK if day == coming else day - WEEK)


def find_period(today: date, unit: str, turn: int = 0) -> Days:
    """Return the day, week, weekend, month, quarter or year that is `turn` of them after the present one."""
    if unit == "days":
        return one(today + turn * DAY)
    if unit in ("weeks", "weekend"):
        monday = today + turn * WEEK - DAY * today.weekday()
        return Days(monday + DAY * (5 if unit == "weekend" else 0), monday + 6 * DAY)
    months = {"months": 1, "quarters": 3, "years": 12}[unit]
    first = today.replace(day=1, month=(today.month - 1) // months * months + 1) + relativedelta(months=months * turn)
    return Days(first, first + relativedelta(months=months, days=-1))


def find_edge(base: Base, nth: int, unit: str, turn: int = 0) -> Days:
    """Return the first or the last day of a period: 1 or -1. By the end of a week some mean its Friday."""
    days = find_period(base.today, unit, turn)
    if nth > 0:
        return one(days.first)
    return one(days.last)._replace(other=days.last - 2 * DAY if unit == "weeks" else None)


def find_month(base: Base, month: int, year: int | None = None, which: int | None = None) -> Days:
    """Return a month: of a given year, the next one from now on, or that of last, this or next year (-1, 0, 1)."""
    this = base.today.replace(day=1)
    first = date(year or this.year, month, 1)
    if not year and which == -1 and first >= this:
        first -= YEAR
    if not year and ((which == 1 and first <= this) or (which is None and first < this)):
        first += YEAR
    return Days(first, first + relativedelta(day=31), "" if year or which is not None else "year")


def find_date(base: Base, day: tuple[int, int], year: int | None = None, weekday: int | None = None) -> Days:
    """Return a day by its month and number, in a given year, or its next one."""
    match = make_date(year, *day) if year else find_next(base.today, lambda each: make_date(each, *day))
    if match is None:
        raise NoSuchDay
    return one(match, "" if year else "year")._replace(weekday=weekday)


def find_dates(base: Base, weekday: int | None, day: tuple[int, int], last: int, year: int | None) -> Days | None:
    """Return the days from one day to another of the same month; None if they are not in this order."""
    first = find_date(base, day, year, weekday)
    until = find_date(base, (day[0], last), first.first.year).last
    return first._replace(last=until) if until > first.first else None


def find_number(base: Base, number: int, weekday: int | None = None) -> Days | None:
    """Return the next day of a month with this number; with a weekday, the next one on that weekday."""
    months = (base.today + relativedelta(day=1, months=ahead) for ahead in range(48))
    days = (make_date(month.year, month.month, number) for month in months)
    match = next((day for day in days if day and day >= base.today and weekday in (None, day.weekday())), None)
    return one(match, "month") if match else None


def find_in(base: Base, span: Days, find: Callable[[date, date], date]) -> Days:
    """Return the day that a function finds in a span; in a month without a year it is the next one from today on."""
    for year in range(_YEARS if span.step else 1):
        first = span.first + relativedelta(years=year)
        last = span.last + relativedelta(years=year, day=31) if span.step else span.last
        day = find(first, last)
        if first <= day <= last and (day >= base.today or not span.step):
            return one(day, span.step)
    raise NoSuchDay


def find_nth(base: Base, nth: int, span: Days, weekday: int | None = None) -> Days:
    """Return the nth day of a span, or its nth day with this weekday; a negative number counts from the end."""
    step = DAY if weekday is None else WEEK
    on = relativedelta() if weekday is None else relativedelta(weekday=nth_day(weekday, -1 if nth < 0 else 1))
    return find_in(
        base, span, lambda first, last: first + on + (nth - 1) * step if nth > 0 else last + on + (nth + 1) * step
    )


def find_week(base: Base, nth: int, span: Days) -> Days:
    """Return the nth week: of a year as calendars count; of a month seven days from its first on, or up to its last."""
    if (span.last - span.first).days > 31:
        begin = span.first + 3 * DAY if nth > 0 else span.last - 3 * DAY
        return find_period(begin, "weeks", nth - 1 if nth > 0 else nth + 1)
    first = find_in(
        base, span, lambda first, last: first + (nth - 1) * WEEK if nth > 0 else last + nth * WEEK + DAY
    ).first
    return Days(first, first + 6 * DAY, span.step)


def find_later(base: Base, length: Length, day: Days | None = None) -> Days | None:
    """Return the day at this distance after today, or after another day; None if the distance is in hours."""
    return None if length.minutes else one((day.last if day else base.today) + length.days)


def find_earlier(base: Base, length: Length, day: Days | None = None) -> Days | None:
    """Return the day at this distance before today, or before another day; None if the distance is in hours."""
    return None if length.minutes else one((day.first if day else base.today) - length.days)


def find_working_day(base: Base, number: int, day: date) -> Days:
    """Return the day that is a number of working days later."""
    weeks, rest = divmod(number, 5)
    end = day + weeks * WEEK - DAY * max(0, day.weekday() - 4)
    while rest > 0 or end.weekday() > 4:
        end += DAY
        rest -= end.weekday() < 5
    return one(end)._replace(note=_WORKING)


def find_nth_working_day(base: Base, nth: int, span: Days) -> Days:
    """Return the nth working day of a month, from its end if it is negative."""

    def find(first: date, last: date) -> date:
        days = [day for n in range((last - first).days + 1) if (day := first + n * DAY).weekday() < 5]
        return days[nth - 1 if nth > 0 else nth] if abs(nth) <= len(days) else date.min

    return find_in(base, span, find)._replace(note=_WORKING)


# ---- in figures


def read_iso(base: Base, before: int | None, figures: Figures, after: int | None = None) -> Days:
    """Read 2026-01-13T14:30, or 2026-13-01 with day and month exchanged if only that is a date."""
    year, month, day = figures.numbers[:3]
    days = find_date(
        base, (day, month) if month > 12 >= day else (month, day), year, after if before is None else before
    )
    _, gap, clock = figures.text.replace(" ", "t").partition("t")
    if not gap:
        return days
    at = time.fromisoformat(clock.upper())
    return days._replace(at=datetime.combine(days.first, at) if at.tzinfo else at)


def read_slashed(base: Base, weekday: int | None, figures: Figures) -> Days | None:
    """Read month before day, or the other order if only that is a date. With a year, both may be meant."""
    (month, day, *year), other = figures.numbers, None
    if month > 12 >= day and (month, day) != (24, 7):
        month, day = day, month
    if not 0 < month < 13:
        return None
    days = find_date(base, (month, day), _find_year(year), weekday)
    if year and day < 13 and day != month:
        other = find_date(base, (day, month), _find_year(year)).first
    return days._replace(other=other)


def read_dotted(base: Base, weekday: int | None, figures: Figures) -> Days | None:
    """Read day before month. Without a year, 3.14. is not a date, and neither are 1.5 and 1,50."""
    day, month, *year = figures.numbers
    is_short = figures.text[-2:-1] == "." or "," in figures.text
    if not year and (is_short or not 0 < month < 13):
        return None
    return find_date(base, (month, day), _find_year(year), weekday)


def _find_year(written: list[int]) -> int | None:
    """Return the year of a date from its digits, which may be only two; None if there is none."""
    return written[0] + (2000 if written[0] < 100 else 0) if written else None


def read_dashed(base: Base, figures: Figures) -> Days | None:
    """Read 31-12-2026 or 12-31-2026, if only one order is a date."""
    first, second, year = figures.numbers
    if max(first, second) < 13 and first != second:
        return None
    return find_date(base, (second, first) if first > 12 else (first, second), year)
