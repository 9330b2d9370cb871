"""Days, and the distance of named days from today."""

from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from ana.time.when.grammar import Base, NoSuchDay
from ana.time.when.tokens import Figures

DAY, WEEK, YEAR = timedelta(days=1), timedelta(weeks=1), relativedelta(years=1)
STEPS = {"week": relativedelta(weeks=1), "month": relativedelta(months=1), "year": YEAR}
WORKING = "Monday to Friday are counted, holidays too."
_MONTHS = {"months": 1, "quarters": 3, "years": 12}


class When(NamedTuple):
    """What words say about when something is.

    Args:
        first: The first day.
        last: The last day, inclusive.
        step: The time after which these days come again, week, month or year; empty for a fixed date.
        other: The first day of another reading that people have of it.
        at: The time of day, or the beginning of a range; None if there is none.
        until: The end of the range.
        zoned: The moment, if it names its offset from UTC.
        weekday: The weekday that stands beside a date, from 0, Monday.
        part: The part of the day that it names without a time.
        bound: The side of the day that it means: before, after, from, since or until; empty for the day itself.
        is_dated: Whether it names a day; a time alone means its next occurrence.
        unread: Words beside a time that were not read, such as a zone.
        notes: Sentences on how it was read.
        start: The first character of the words for the day in a text; end, the one after the last; text, the words.
    """

    first: date
    last: date
    step: str = ""
    other: date | None = None
    at: time | None = None
    until: time | None = None
    zoned: datetime | None = None
    weekday: int | None = None
    part: str = ""
    bound: str = ""
    is_dated: bool = True
    unread: str = ""
    notes: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    text: str = ""

    @property
    def is_plain(self) -> bool:
        """Return whether it is nothing but days, or a day with its time."""
        return self.is_dated and not any((self.bound, self.unread, self.part, self.until, self.zoned))


class Length(NamedTuple):
    """A length of time."""

    days: relativedelta
    minutes: float = 0


def one(day: date, step: str = "") -> When:
    """Return a single day."""
    return When(day, day, step)


def _make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_next(today: date, days: Iterable[date | None]) -> date:
    """Return the first of some days that is not before today.

    Raises:
        NoSuchDay: None is.
    """
    if match := next((day for day in days if day and day >= today), None):
        return match
    raise NoSuchDay


def list_years(today: date) -> range:
    """Return the years in which a day is looked for: February has a fifth Monday only in a leap year."""
    return range(today.year, today.year + 29)


def find_weekday(base: Base, weekday: int, which: int | None = None) -> When:
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


def find_period(today: date, unit: str, turn: int = 0) -> When:
    """Return the day, week, weekend, month, quarter or year that is `turn` of them after the present one."""
    if unit == "days":
        return one(today + turn * DAY)
    if unit in ("weeks", "weekend"):
        monday = today + turn * WEEK - DAY * today.weekday()
        return When(monday + DAY * (5 if unit == "weekend" else 0), monday + 6 * DAY)
    months = _MONTHS[unit]
    first = today.replace(day=1, month=(today.month - 1) // months * months + 1) + relativedelta(months=months * turn)
    return When(first, first + relativedelta(months=months, days=-1))


def find_month(base: Base, month: int, year: int | None = None, which: int | None = None) -> When:
    """Return a month: of a given year, the next one from now on, or that of last, this or next year (-1, 0, 1)."""
    this = base.today.replace(day=1)
    first = date(year or this.year, month, 1)
    if not year and which == -1 and first >= this:
        first -= YEAR
    if not year and ((which == 1 and first <= this) or (which is None and first < this)):
        first += YEAR
    return When(first, first + relativedelta(day=31), "" if year or which is not None else "year")


def find_date(base: Base, day: tuple[int, int], year: int | None = None, weekday: int | None = None) -> When:
    """Return a day by its month and number, in a given year, or its next one."""
    if year is None:
        years = list_years(base.today)
        return one(find_next(base.today, (_make_date(each, *day) for each in years)), "year")._replace(weekday=weekday)
    if match := _make_date(year, *day):
        return one(match)._replace(weekday=weekday)
    raise NoSuchDay


def find_dates(base: Base, first: tuple[int, int], last: tuple[int, int], year: int | None = None) -> When | None:
    """Return the days from one date to another, in a given year or from the next first one on; None if they are of one
    month and not in this order.
    """
    if first[0] == last[0] and first >= last:
        return None
    turns = first > last
    begin = find_date(base, first, year - turns if year else None)
    return begin._replace(last=find_date(base, last, year or begin.first.year + turns).last)


def find_number(base: Base, number: int, weekday: int | None = None) -> When:
    """Return the next day of a month with this number; with a weekday, the next one on that weekday."""
    months = (base.today + relativedelta(day=1, months=ahead) for ahead in range(48))
    days = (_make_date(month.year, month.month, number) for month in months)
    return one(find_next(base.today, (day for day in days if day and weekday in (None, day.weekday()))), "month")


def find_nth(base: Base, nth: int, counts: Callable[[date], bool], span: When) -> When:
    """Return the nth of the days in a span that count, from its end if nth is negative; of yearly spans the next."""

    def find(first: date, last: date) -> date | None:
        days = [day for n in range((last - first).days + 1) if counts(day := first + n * DAY)]
        return days[nth - 1 if nth > 0 else nth] if abs(nth) <= len(days) else None

    if not span.step:
        return one(find_next(date.min, [find(span.first, span.last)]))
    years = (relativedelta(years=ahead) for ahead in range(len(list_years(base.today))))
    days = (find(span.first + year, span.last + year + relativedelta(day=31)) for year in years)
    return one(find_next(base.today, days), span.step)


def find_week(base: Base, nth: int, span: When) -> When | None:
    """Return the nth seven days of a month, from its first day on, or from its last one back if `nth` is negative.

    Others mean the nth of its weeks from Monday to Sunday, whose Monday is told.
    """
    if (span.last - span.first).days > 30:  # of a year some count calendar weeks
        return None
    edge = find_nth(base, 1 if nth > 0 else -1, lambda _: True, span).first
    first = edge + (nth - 1) * WEEK if nth > 0 else edge + nth * WEEK + DAY
    monday = find_nth(base, nth, lambda day: day.weekday() == 0 and (day + 6 * DAY).month == day.month, span).first
    return When(first, first + 6 * DAY, span.step)._replace(other=monday if monday != first else None)


def find_later(base: Base, length: Length, day: When | None = None) -> When | None:
    """Return the day at this distance after today, or after another day; None if the distance is in hours."""
    return None if length.minutes else one((day.last if day else base.today) + length.days)


def find_earlier(base: Base, length: Length, day: When | None = None) -> When | None:
    """Return the day at this distance before today, or before another day; None if the distance is in hours."""
    return None if length.minutes else one((day.first if day else base.today) - length.days)


def find_working_day(base: Base, number: int, day: When | None = None) -> When:
    """Return the day that is a number of working days after today, or after another day."""
    begin = day.last if day else base.today
    later = (begin + ahead * DAY for ahead in range(1, 2 * number + 3))
    working = [begin, *(each for each in later if each.weekday() < 5)]
    return one(working[number])._replace(notes=(WORKING,))


def join_days(_: Base, first: When, last: When) -> When | None:
    """Return the days from one to another; the second may be the next one of its kind: from Friday to Monday."""
    end = last.last + STEPS[last.step] if last.step and last.last < first.first else last.last
    return first._replace(last=end) if first.last < end else None


def read_iso(base: Base, before: int | None, figures: Figures, after: int | None) -> When:
    """Read 2026-01-13T14:30, or 2026-13-01 with day and month exchanged if only that is a date. Beside it may stand a
    weekday, before or after it.
    """
    year, month, day = figures.numbers[:3]
    pair = (day, month) if month > 12 >= day else (month, day)
    days = find_date(base, pair, year, after if before is None else before)
    _, _, clock = figures.text.replace(" ", "t").partition("t")
    at = time.fromisoformat(clock.upper()) if clock else None
    zoned = datetime.combine(days.first, at) if at and at.tzinfo else None
    return days._replace(at=at and at.replace(tzinfo=None), zoned=zoned)


def read_figures(base: Base, weekday: int | None, figures: Figures) -> When | None:
    """Read a date in figures: the day first with dots, else the month first, or the other order if only that is a
    date. With a year, both may be meant.
    """
    month, day, *years = figures.numbers
    is_dotted = "." in figures.text
    if is_dotted or month > 12 >= day:
        month, day = day, month
    if not years:
        return find_date(base, (month, day), None, weekday) if 0 < month < 13 else None
    year = years[0] + (2000 if years[0] < 100 else 0)
    is_either = not is_dotted and max(month, day) < 13 and month != day
    other = find_date(base, (day, month), year).first if is_either else None
    return find_date(base, (month, day), year, weekday)._replace(other=other)
