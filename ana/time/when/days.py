"""Rows that name days."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday as nth_day

from ana.time.when.grammar import Base, Level, NoSuchDay, Row

DAY = timedelta(days=1)
_YEARS = 29
"""Years looked through for a day: February has a fifth Monday in a leap year alone."""

_SOON = 62
"""Days within which a day of the month that follows its weekday must lie, as another number may follow one."""


class Days(NamedTuple):
    """The days that a phrase names.

    Args:
        first: The first day.
        last: The last day, inclusive.
        step: After what it would come again, week, month or year; empty of what is pinned down.
        other: The first day of another reading that people have of it.
        at: The time in a date and time of ISO, with its day if it has a zone.
        said: The weekday that stands beside a date.
        note: What else is to be known of it.
    """

    first: date
    last: date
    step: str = ""
    other: date | None = None
    at: datetime | time | None = None
    said: int | None = None
    note: str = ""


class Length(NamedTuple):
    """A length of time."""

    days: relativedelta
    minutes: float = 0


def one(day: date, step: str = "") -> Days:
    """Return a single day."""
    return Days(day, day, step)


def monday_of(day: date, weeks: int = 0) -> date:
    """Return the Monday of a day's week, or of one so many weeks later."""
    return day + timedelta(days=7 * weeks - day.weekday())


def find_next(today: date, find: Callable[[int], date | None]) -> date:
    """Return the first day from today on that a function finds in a year."""
    for year in range(today.year, today.year + _YEARS):
        if (found := find(year)) and found >= today:
            return found
    raise NoSuchDay


def make_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_nth(nth: int, weekday: int, month: date) -> date | None:
    """Return the nth such weekday of the month of a day, from its end if negative; None if it has not so many."""
    found = month + relativedelta(day=31 if nth < 0 else 1, weekday=nth_day(weekday, nth))
    return found if found.month == month.month else None


# ---- a weekday, a week, a month


def _count(base: Base, days: int) -> Days:
    return one(base.today + timedelta(days=days))


def _weekday(base: Base, which: int | None, weekday: int, step: str = "") -> Days:
    coming = base.today + timedelta(days=(weekday - base.today.weekday() - 1) % 7 + 1)
    if which is None:
        return one(coming, "week")
    if which < 0:
        return one(base.today - timedelta(days=(base.today.weekday() - weekday - 1) % 7 + 1))
    found = monday_of(base.today, which) + timedelta(days=weekday)
    ahead = (found - base.today).days
    if which == 0:  # over: some mean the one that was, some the one that comes
        return Days(found, found, other=coming if ahead < 0 else None)
    if ahead % 7 == 0:
        return one(found)
    return Days(found, found, other=found + timedelta(weeks=1 if ahead < 7 else -1))


def _bare_weekday(base: Base, weekday: int) -> Days:
    return _weekday(base, None, weekday)


def _weekday_of_week(base: Base, weekday: int, which: int) -> Days:
    return one(monday_of(base.today, which) + timedelta(days=weekday))


def _weekday_after_next(base: Base, weekday: int) -> Days:
    return one(_bare_weekday(base, weekday).first + timedelta(weeks=1))


def _weekdays_on(base: Base, number: int, weekday: int) -> Days:
    return one(_bare_weekday(base, weekday).first + timedelta(weeks=number - 1))


def find_period(today: date, unit: str, turn: int = 0) -> tuple[date, date]:
    """Return the first and the last day of a week, weekend, month, quarter or year, so many from the present one."""
    if unit in ("weeks", "weekend"):
        monday = monday_of(today, turn)
        return monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=6)
    if unit == "days":
        return today + turn * DAY, today + turn * DAY
    months = {"months": 1, "quarters": 3, "years": 12}[unit]
    first = today.replace(day=1, month=(today.month - 1) // months * months + 1)
    first += relativedelta(months=months * turn)
    return first, first + relativedelta(months=months, days=-1)


def _period(base: Base, which: int, unit: str) -> Days:
    return Days(*find_period(base.today, unit, which))


def _edge(base: Base, edge: bool, which: int | None, unit: str) -> Days:
    found = find_period(base.today, unit, which or 0)[edge]
    friday = found - 2 * DAY if edge and unit == "weeks" else None
    return Days(found, found, other=friday)


def _month(base: Base, which: int | None, month: int, year: int | None = None) -> Days:
    this = base.today.replace(day=1)
    first = this.replace(month=month, year=year or this.year)
    if year:
        return Days(first, first + relativedelta(day=31))
    if which == -1 and first >= this:
        first -= relativedelta(years=1)
    elif (which == 1 and first <= this) or (which is None and first < this):
        first += relativedelta(years=1)
    return Days(first, first + relativedelta(day=31), "year" if which is None else "")


def _months(base: Base, first: int, last: int) -> Days:
    begin, end = _month(base, None, first), _month(base, None, last)
    return begin._replace(last=end.last if end.last > begin.first else end.last + relativedelta(years=1))


def _month_after_next(base: Base, month: int) -> Days:
    first = _month(base, 1, month).first + relativedelta(years=1)
    return Days(first, first + relativedelta(day=31))


def _part_of_month(base: Base, third: int, month: int, year: int | None) -> Days:
    whole = _month(base, None, month, year)
    first = whole.first + timedelta(days=10 * third)
    return Days(first, first + 9 * DAY if third < 2 else whole.last, whole.step)


def _month_edge(base: Base, edge: bool, month: int, year: int | None) -> Days:
    first = base.today.replace(day=1, month=month, year=year or base.today.year)
    found = (first, first + relativedelta(day=31))[edge]
    if found < base.today and not year:
        later = first + relativedelta(years=1)
        found = (later, later + relativedelta(day=31))[edge]
    return one(found, "" if year else "year")


def _quarter(base: Base, nth: int, year: int | None) -> Days | None:
    first = date(year or base.today.year, 1, 1) + relativedelta(months=3 * (nth - 1)) if 0 < nth < 5 else None
    return first and Days(first, first + relativedelta(months=3, days=-1), "" if year else "year")


def _year(base: Base, year: int) -> Days:
    return Days(date(year, 1, 1), date(year, 12, 31))


# ---- a day of a month


def _month_day(base: Base, weekday: int | None, day: tuple[int, int], year: int | None = None, *_: Any) -> Days:
    month, number = day
    if year:
        found = make_date(year, month, number)
    else:
        found = find_next(base.today, lambda each: make_date(each, month, number))
    if found is None:
        raise NoSuchDay
    return Days(found, found, "" if year else "year", said=weekday)


def _day_month(base: Base, day: tuple[int, int], weekday: int, year: int | None = None) -> Days:
    return _month_day(base, weekday, day, year)


def _month_days(base: Base, weekday: int | None, day: tuple[int, int], last: int, year: int | None) -> Days | None:
    first = _month_day(base, weekday, day, year)
    found = make_date(first.first.year, day[0], last)
    if found is None:
        raise NoSuchDay
    return first._replace(last=found) if found > first.first else None


def _days_month(base: Base, first: int, last: int, month: int, year: int | None) -> Days | None:
    return _month_days(base, None, (month, first), last, year)


def _span_in_year(base: Base, first: tuple[int, int], last: tuple[int, int], year: int) -> Days:
    begin, end = _month_day(base, None, first, year), _month_day(base, None, last, year)
    return begin._replace(last=end.first, first=begin.first if first <= last else begin.first.replace(year=year - 1))


def _nth(base: Base, nth: int, weekday: int | None = None) -> Days | None:
    """The next such day of a month from today on; with a weekday the next that falls on it."""
    months = (base.today + relativedelta(day=1, months=ahead) for ahead in range(48))
    days = (make_date(month.year, month.month, nth) for month in months)
    found = next((day for day in days if day and day >= base.today and weekday in (None, day.weekday())), None)
    return one(found, "month") if found else None


def _weekday_nth(base: Base, weekday: int, nth: int) -> Days | None:
    found = _nth(base, nth, weekday)
    return found if found and (found.first - base.today).days < _SOON else None


def _the_weekday_nth(base: Base, weekday: int, nth: int) -> Days | None:
    return _nth(base, nth, weekday)


def _nth_of(base: Base, nth: int, which: int | None) -> Days | None:
    if which is None:
        return _nth(base, nth)
    month = base.today + relativedelta(day=1, months=which)
    found = make_date(month.year, month.month, nth)
    return one(found) if found else None


def _nth_weekday(base: Base, nth: int, weekday: int, month: int, year: int | None) -> Days | None:
    if year:
        found = find_nth(nth, weekday, date(year, month, 1))
    else:
        found = find_next(base.today, lambda each: find_nth(nth, weekday, date(each, month, 1)))
    if found is None:
        raise NoSuchDay
    return one(found, "" if year else "year")


def _nth_weekday_around(base: Base, nth: int, weekday: int, which: int | None) -> Days | None:
    found = find_nth(nth, weekday, base.today + relativedelta(day=1, months=which or 0))
    return one(found) if found else None


def _nth_weekday_after(base: Base, nth: int, weekday: int, day: Days) -> Days | None:
    return one(day.last + relativedelta(days=1, weekday=nth_day(weekday, nth))) if nth > 0 else None


def _nth_day_of(base: Base, nth: int, days: Days) -> Days | None:
    found = days.first + timedelta(days=nth - 1) if nth > 0 else days.last + timedelta(days=nth + 1)
    return one(found, days.step) if days.first <= found <= days.last else None


def _nth_week_of(base: Base, nth: int, days: Days) -> Days | None:
    """The weeks of a year are its calendar weeks; those of a month seven days each from its first, or to its last."""
    if (days.last - days.first).days > 31:
        monday = monday_of(days.first + 3 * DAY if nth > 0 else days.last - 3 * DAY, nth - 1 if nth > 0 else nth + 1)
        return Days(monday, monday + 6 * DAY)
    begin = days.first + timedelta(weeks=nth - 1) if nth > 0 else days.last + timedelta(weeks=nth, days=1)
    if days.step and begin + 6 * DAY < base.today:
        begin += relativedelta(years=1)
    return Days(begin, begin + 6 * DAY, days.step)


def _week_of(base: Base, day: Days) -> Days:
    monday = monday_of(day.first)
    return Days(monday, monday + 6 * DAY, day.step)


# ---- a date in figures


def _iso(base: Base, weekday: int | None, written: tuple[tuple[int, int, int], Any], said: int | None = None) -> Days:
    (year, month, day), at = written
    if month > 12 >= day:
        month, day = day, month
    found = make_date(year, month, day)
    if found is None:
        raise NoSuchDay
    return Days(found, found, at=at, said=said if weekday is None else weekday)


def _slashed(base: Base, weekday: int | None, numbers: tuple[int, ...]) -> Days | None:
    """Month before day; where only the other order is a date, that."""
    month, day, *year = numbers
    if month > 12 >= day:
        month, day = day, month
    if month > 12 or month == 0 or (numbers == (24, 7)):
        return None
    found = _month_day(base, weekday, (month, day), year[0] + (2000 if year[0] < 100 else 0) if year else None)
    swapped = make_date(found.first.year, day, month) if found and day <= 12 and day != month and year else None
    return found._replace(other=swapped)


def _dotted(base: Base, weekday: int | None, numbers: tuple[int, ...], *_: Any) -> Days | None:
    day, month, *year = numbers
    if not 0 < month < 13 and not year:
        return None
    if not 0 < month < 13:
        raise NoSuchDay
    return _month_day(base, weekday, (month, day), year[0] + (2000 if year[0] < 100 else 0) if year else None)


def _dashed(base: Base, numbers: tuple[int, int, int]) -> Days | None:
    """31-12-2026 or 12-31-2026, where only one order is a date."""
    first, second, year = numbers
    if (first > 12) == (second > 12) and first != second:
        return None
    return _month_day(base, None, (second, first) if first > 12 else (first, second), year)


def _decimal(base: Base, weekday: int | None, written: tuple[int, int, str]) -> Days | None:
    """28.02, where the month has two figures."""
    day, month, text = written
    return _month_day(base, weekday, (month, day)) if 0 < month < 13 and text[-3] == "." else None


def _spaced(base: Base, weekday: int | None, day: int, month: int, year: int) -> Days | None:
    return _dotted(base, weekday, (day, month, year))


def _year_month(base: Base, written: tuple[int, int]) -> Days:
    return _month(base, None, written[1], written[0])


# ---- so far from a day


def add(day: date, length: Length, sign: int = 1) -> date:
    """Return the day that is so much later, or earlier."""
    return day + sign * length.days + sign * timedelta(minutes=length.minutes)


def _ahead(base: Base, length: Length) -> Days | None:
    return None if length.minutes else one(add(base.today, length))


def _ago(base: Base, length: Length) -> Days | None:
    return None if length.minutes else one(add(base.today, length, -1))


def _from_today(base: Base, length: Length) -> Days | None:
    return None if length.minutes else Days(base.today, add(base.today, length))


def _up_to_today(base: Base, length: Length) -> Days | None:
    return None if length.minutes else Days(add(base.today, length, -1), base.today)


def _after(base: Base, length: Length, day: Days) -> Days | None:
    return None if length.minutes else one(add(day.last, length))


def _before(base: Base, length: Length, day: Days) -> Days | None:
    return None if length.minutes else one(add(day.first, length, -1))


def _week_later(base: Base, day: Days) -> Days:
    return one(day.first + timedelta(weeks=1))


def _for_length(base: Base, day: Days, length: Length) -> Days | None:
    return None if length.minutes else Days(day.first, add(day.first, length) - DAY)


def _work_days(base: Base, number: int, day: Days | None = None) -> Days:
    found, left = day.last if day else base.today, number
    found += timedelta(weeks=left // 5) if found.weekday() < 5 else timedelta(0)
    left = left % 5 if found.weekday() < 5 else left
    while left > 0 and number < 1000:
        found += DAY
        left -= found.weekday() < 5
    return Days(found, found, note="Monday to Friday are counted, holidays too.")


def _nth_work_day(base: Base, nth: int, days: Days) -> Days | None:
    span = ((days.last - days.first).days + 1) % 400
    every = [day for n in range(span) if (day := days.first + n * DAY).weekday() < 5]
    found = every[nth - 1 if nth > 0 else nth] if 0 < abs(nth) <= len(every) else None
    return found and Days(found, found, note="Monday to Friday are counted, holidays too.")


# ---- feasts

_FEASTS = {
    "christmas eve": (12, 24), "christmas|xmas [day]": (12, 25), "boxing day": (12, 26), "new year|years ['s] eve": (12, 31),
    "new year|years ['s] day": (1, 1), "halloween": (10, 31), "valentine|valentines ['s] day": (2, 14),
    "saint|st [.] patrick|patricks ['s] day": (3, 17), "independence day": (7, 4),
}  # fmt: skip
_FEASTS_NTH = {
    "thanksgiving [day]": (4, 3, 11), "martin luther king|kings ['s] day": (3, 0, 1), "mlk day": (3, 0, 1),
    "memorial day": (-1, 0, 5), "labor day": (1, 0, 9), "mother|mothers ['s] day": (2, 6, 5),
    "father|fathers ['s] day": (3, 6, 6),
}  # fmt: skip
_FEASTS_EASTER = {
    "easter [sunday]": 0, "easter monday|mon": 1, "good friday": -2, "palm sunday": -7, "ash wednesday": -46,
    "mardi gras": -47, "pancake day": -47, "whit|pentecost sunday": 49, "whit monday": 50, "ascension day": 39,
}  # fmt: skip


def _list_feasts() -> list[Row]:
    finders: dict[str, Callable[[int], date | None]] = {}
    for pattern, (month, day) in _FEASTS.items():
        finders[pattern] = lambda year, month=month, day=day: make_date(year, month, day)  # type: ignore[misc]
    for pattern, (nth, weekday, month) in _FEASTS_NTH.items():
        finders[pattern] = lambda year, nth=nth, weekday=weekday, month=month: find_nth(
            nth, weekday, date(year, month, 1)
        )  # type: ignore[misc]
    for pattern, after in _FEASTS_EASTER.items():
        finders[pattern] = lambda year, after=after: easter(year) + timedelta(days=after)  # type: ignore[misc]
    finders["black friday"] = lambda year: find_nth(4, 3, date(year, 11, 1)) + DAY  # type: ignore[operator]
    return [Row(pattern, lambda base, find=find: find) for pattern, find in finders.items()]


def _feast(base: Base, which: int | None, find: Callable[[int], date | None], year: int | None) -> Days | None:
    found = find(year) if year else find_next(base.today, find)
    return found and one(found, "" if year else "year") if which != -1 else None


def _same(_: Base, value: Any) -> Any:
    return value


def _rest(base: Base, unit: str) -> Days:
    return Days(base.today, find_period(base.today, unit)[1])


def _two_after(base: Base, unit: str) -> Days:
    return _period(base, 2, unit)


def _span(base: Base, first: Days, last: Days) -> Days | None:
    """From one day to another; of two weekdays the second may be that of the next week."""
    end = last.last + timedelta(weeks=1) if last.last < first.first else last.last
    return Days(first.first, end, first.step) if first.first == first.last and first.first < end else None


def _in_a_year(base: Base, find: Callable[[int], date | None], length: Length) -> Days | None:
    day = add(base.today, length) - timedelta(days=31)
    return one(find_next(day, find))


_WEEKDAY_AND = "[WEEKDAY] [the]"
_OPEN, _TO = "from|between", "to|-|until|till|untill|through|thru"
_DURING = "in|within|over|during|for"

DAY_ROWS: dict[str, tuple[Row, ...]] = {
    "DAYNUMBER": (
        Row("NUMBER", lambda base, day: day if 0 < day < 32 else None),
        Row("ORDINAL", lambda base, day: day if day < 32 else None),
        Row("NTH", _same),
    ),
    "ORDER": (  # the third, the last, the second to last
        Row("ORDINAL|NTH", _same),
        Row("last", lambda base: -1),
        Row("ORDINAL|NTH [to] [the] last", lambda base, nth: -nth),
    ),
    "MONTHDAY": (
        Row("MONTH [the] DAYNUMBER", lambda base, month, day: (month, day)),
        Row("DAYNUMBER [-] [of] MONTH", lambda base, day, month: (month, day)),
        Row("DAYNUMBER [day] of MONTH", lambda base, day, month: (month, day)),
    ),
    "INYEAR": (
        Row("[of|in] YEAR", _same),
        Row("[of|in] WHICH year", lambda base, which: base.today.year + which),
    ),
    "EDGE": (
        Row("end|last", lambda base: True),
        Row("last day", lambda base: True),
        Row("beginning|start|first|begin", lambda base: False),
        Row("first day", lambda base: False),
    ),
    "FEAST": (*_list_feasts(),),
    "DAY": (
        Row("TODAY", _count),
        Row("this morning|afternoon|evening", lambda base, *_: _count(base, 0)),
        Row("last night", lambda base: _count(base, -1)),
        Row("tomorrows", lambda base: _count(base, 1), Level.ALONE),
        Row("[the] day after DAY", lambda base, day: one(day.last + DAY)),
        Row("[the] day before DAY", lambda base, day: one(day.first - DAY)),
        Row("DAYNAME", _bare_weekday),
        Row("SHORTDAY", _bare_weekday, Level.WEAK),
        Row("FAINTDAY", _bare_weekday, Level.FAINT),
        Row("WHICH WEEKDAY", _weekday),
        Row("[this] coming WEEKDAY", _bare_weekday),
        Row("this past WEEKDAY", lambda base, weekday: _weekday(base, -1, weekday)),
        Row("WEEKDAY [of|in] WHICH week", _weekday_of_week),
        Row("WHICH week [on] WEEKDAY", lambda base, which, weekday: _weekday_of_week(base, weekday, which)),
        Row("DAYNAME|TODAY week", lambda base, weekday: one(_bare_weekday(base, weekday).first + 7 * DAY), Level.CLEAR),
        Row("tomorrow week", lambda base: _count(base, 8), Level.CLEAR),
        Row("WEEKDAY after next", _weekday_after_next),
        Row("AMOUNT WEEKDAYS from now", _weekdays_on),
        Row("WHICH PERIOD", _period),
        Row("[the] coming|following PERIOD", lambda base, unit: _period(base, unit != "weekend", unit)),
        Row("the weekend", lambda base: _period(base, 0, "weekend"), Level.WEAK),
        Row("[the] PERIOD after next", _two_after),
        Row("[the] rest of the|this PERIOD", _rest),
        Row("[the] EDGE of [the] [TURN] PERIOD", _edge),
        Row("PERIOD [-] end", lambda base, unit: _edge(base, True, 0, unit) if unit == "months" else None),
        Row("[the] eod", lambda base: _count(base, 0)),
        Row("[the] eow", lambda base: _edge(base, True, 0, "weeks")),
        Row("[the] eom", lambda base: _edge(base, True, 0, "months")),
        Row("[the] eoq", lambda base: _edge(base, True, 0, "quarters")),
        Row("[the] eoy", lambda base: _edge(base, True, 0, "years")),
        Row("[the] EDGE of MONTH [INYEAR]", _month_edge),
        Row(
            "[the] EDGE of [the] [year] YEAR",
            lambda base, edge, year: one(date(year, 12, 31) if edge else date(year, 1, 1)),
        ),
        Row("[the] ORDER quarter [INYEAR]", _quarter),
        Row("q NUMBER [INYEAR]", _quarter),
        Row("[this|next|last|coming] [WEEKDAY] [the] MONTHDAY [INYEAR] [( WEEKDAY )]", _month_day),
        Row("MONTHDAY WEEKDAY [INYEAR]", _day_month),
        Row(f"[{_OPEN}] [WEEKDAY] MONTHDAY {_TO} DAYNUMBER [INYEAR]", _month_days),
        Row(f"[{_OPEN}] [the] DAYNUMBER {_TO}|and [the] DAYNUMBER [of] MONTH [INYEAR]", _days_month),
        Row("the ORDINAL [of the month]", _nth, Level.CLEAR),
        Row("ORDINAL [of the month]", _nth, Level.ALONE),
        Row("WEEKDAY ORDINAL", _weekday_nth),
        Row("WEEKDAY the ORDINAL", _the_weekday_nth),
        Row("WEEKDAY ORDINAL", _the_weekday_nth, Level.ALONE),
        Row("[the] ORDINAL|NUMBER [day] of [the] WHICH month", _nth_of),
        Row("[the] ORDER WEEKDAY of|in MONTH [INYEAR]", _nth_weekday),
        Row("[the] ORDER WEEKDAY of|in WHICH|the month", _nth_weekday_around),
        Row("[the] ORDER WEEKDAY after DAY", _nth_weekday_after),
        Row("[the] ORDER day of|in SPAN", _nth_day_of),
        Row("[the] ORDER week of|in SPAN", _nth_week_of),
        Row("[the] week of [the] DAY", _week_of),
        Row("[the] ORDER business|working day of|in SPAN", _nth_work_day),
        Row("[in] AMOUNT business|working days [from DAY]", _work_days),
        Row("[WEEKDAY] ISO [( WEEKDAY )]", _iso),
        Row("[WEEKDAY] SLASHED", _slashed),
        Row("WEEKDAY FRACTION", _slashed),
        Row("FRACTION", lambda base, numbers: _slashed(base, None, numbers), Level.FAINT),
        Row("[WEEKDAY] DOTTED", _dotted),
        Row("WEEKDAY DAYMONTH", _dotted),
        Row("DAYMONTH", lambda base, numbers: _dotted(base, None, numbers), Level.FAINT),
        Row("[WEEKDAY] DECIMAL", _decimal, Level.FAINT),
        Row("DASHED", _dashed),
        Row("[WEEKDAY] NUMBER . NUMBER . YEAR", _spaced),
        Row("in|during MONTH", lambda base, month: _month(base, None, month)),
        Row("for FULLMONTH", lambda base, month: _month(base, None, month)),
        Row("MONTH INYEAR", lambda base, month, year: _month(base, None, month, year)),
        Row("WHICH MONTH", _month),
        Row("FULLMONTH", lambda base, month: _month(base, None, month), Level.ASKED),
        Row("from|between MONTH to|until|till|through|and MONTH", _months, Level.ASKED),
        Row("MONTH", lambda base, month: _month(base, None, month), Level.ALONE),
        Row("MONTH after next", _month_after_next),
        Row("early MONTH [INYEAR]", lambda base, month, year: _part_of_month(base, 0, month, year)),
        Row("mid [-] MONTH [INYEAR]", lambda base, month, year: _part_of_month(base, 1, month, year)),
        Row("late MONTH [INYEAR]", lambda base, month, year: _part_of_month(base, 2, month, year)),
        Row("YEARMONTH", _year_month, Level.ALONE),
        Row("[in] YEAR", _year, Level.ALONE),
        Row("[WHICH] FEAST [INYEAR]", _feast),
        Row("FEAST in LENGTHS", _in_a_year, Level.ALONE),
        Row("in LENGTHS", _ahead),
        Row("in LENGTHS ['] time", _ahead),
        Row("LENGTHS from [right] now|today", _ahead),
        Row("LENGTHS later", _ahead, Level.ALONE),
        Row("after LENGTHS", _ahead, Level.ALONE),
        Row("LENGTHS ago", _ago),
        Row("LENGTHS earlier", _ago, Level.ALONE),
        Row("within LENGTHS", _from_today),
        Row(f"[{_DURING}] [the] next|coming LENGTHS", _from_today),
        Row(
            f"{_DURING} the next|coming UNIT",
            lambda base, unit: Days(base.today, add(base.today, Length(relativedelta(**{unit: 1})))),
        ),  # type: ignore[arg-type]
        Row(f"[{_DURING}] [the] last|past LENGTHS", _up_to_today),
        Row(
            f"{_DURING} the last|past UNIT",
            lambda base, unit: Days(add(base.today, Length(relativedelta(**{unit: 1})), -1), base.today),
        ),  # type: ignore[arg-type]
        Row("LENGTHS after|from DAY", _after),
        Row("LENGTHS before DAY", _before),
        Row("LENGTHS on DAY", _after),
    ),
    "STRETCH": (
        Row("[from] DAY for LENGTHS", _for_length, Level.ALONE),
        Row("for LENGTHS [starting] from DAY", lambda base, length, day: _for_length(base, day, length), Level.ALONE),
        Row(f"[{_OPEN}] MONTHDAY {_TO} MONTHDAY INYEAR", _span_in_year, Level.ALONE),
        Row(f"[{_OPEN}] DAY {_TO} DAY", _span, Level.ALONE),
        Row("between DAY and DAY", _span, Level.ALONE),
    ),
    "TURN": (Row("WHICH", _same), Row("coming|following", lambda base: 1)),
    "SPAN": (  # what has an nth day or week
        Row("MONTH [INYEAR]", lambda base, month, year: _month(base, None, month, year)),
        Row("[the] WHICH PERIOD", _period),
        Row("the PERIOD", lambda base, unit: _period(base, 0, unit)),
        Row("INYEAR", _year),
    ),
}
