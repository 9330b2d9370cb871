"""The rows of the grammar that name days."""

from collections.abc import Callable
from datetime import date

from dateutil.easter import easter
from dateutil.relativedelta import TH, relativedelta

from ana.time.when.days import (
    DAY,
    WEEK,
    YEAR,
    Days,
    Length,
    find_date,
    find_dates,
    find_earlier,
    find_edge,
    find_later,
    find_month,
    find_next,
    find_nth,
    find_nth_working_day,
    find_number,
    find_period,
    find_week,
    find_weekday,
    find_working_day,
    one,
    read_dashed,
    read_dotted,
    read_iso,
    read_slashed,
)
from ana.time.when.grammar import Base, Level, Row

Find = Callable[[int], date | None]

_FEASTS: dict[str, Find] = {
    "christmas eve": lambda year: date(year, 12, 24),
    "christmas|xmas [day]": lambda year: date(year, 12, 25),
    "boxing day": lambda year: date(year, 12, 26),
    "new year|years ['s] eve": lambda year: date(year, 12, 31),
    "new year|years ['s] day": lambda year: date(year, 1, 1),
    "valentine|valentines ['s] day": lambda year: date(year, 2, 14),
    "halloween": lambda year: date(year, 10, 31),
    "thanksgiving [day]": lambda year: _find_thanksgiving(year),
    "black friday": lambda year: _find_thanksgiving(year) + DAY,
    "good friday": lambda year: easter(year) - 2 * DAY,
    "easter [sunday]": easter,
    "easter monday|mon": lambda year: easter(year) + DAY,
    "whit monday": lambda year: easter(year) + 50 * DAY,
}


def _find_thanksgiving(year: int) -> date:
    return date(year, 11, 1) + relativedelta(weekday=TH(4))


def _find_feast(base: Base, which: int | None, find: Find, year: int | None) -> Days | None:
    day = find(year) if year else find_next(base.today, find)
    return one(day, "" if year else "year") if day and which != -1 else None


def _join(base: Base, first: Days, last: Days) -> Days | None:
    """Return the days from one to another; if both are weekdays, the second may be in the next week."""
    end = last.last + WEEK if last.last < first.first else last.last
    return first._replace(last=end) if first.first == first.last < end else None


def _join_in_year(base: Base, first: tuple[int, int], last: tuple[int, int], year: int) -> Days | None:
    begin = find_date(base, first, year if first <= last else year - 1)
    return begin._replace(last=find_date(base, last, year).last)


def _join_months(base: Base, first: int, last: int) -> Days:
    begin, end = find_month(base, first), find_month(base, last)
    return begin._replace(last=end.last if begin.first < end.last else end.last + YEAR)


def _stretch(base: Base, length: Length) -> Days | None:
    end = find_later(base, length)
    return end and Days(base.today, end.last)


def _stretch_back(base: Base, length: Length) -> Days | None:
    begin = find_earlier(base, length)
    return begin and Days(begin.first, base.today)


def _find_dates_before(base: Base, first: int, last: int, month: int, year: int | None) -> Days | None:
    return find_dates(base, None, (month, first), last, year)


def _find_number_of(base: Base, number: int, which: int) -> Days:
    return find_nth(base, number, find_period(base.today, "months", which))


def _last(base: Base, day: Days, length: Length) -> Days | None:
    end = find_later(base, length, one(day.first))
    return end and day._replace(last=end.first - DAY)


def _find_soon(base: Base, weekday: int, number: int) -> Days | None:
    """Return a date such as Tues 13th, only within two months, because a weekday may be followed by another kind of
    number.
    """
    days = find_number(base, number, weekday)
    return days if days and (days.first - base.today).days < 62 else None


def _find_quarter(base: Base, nth: int, year: int | None) -> Days:
    return find_period(date(year or base.today.year, 3 * nth - 2, 1), "quarters")._replace(step="" if year else "year")


def _find_after(_: Base, nth: int, weekday: int, day: Days) -> Days | None:
    return one(find_weekday(Base(day.last), weekday).first + (nth - 1) * WEEK) if nth > 0 else None


def _find_week_day(base: Base, weekday: int, which: int) -> Days:
    return one(find_period(base.today, "weeks", which).first + weekday * DAY)


_OPEN, _TO, _DURING, _N = (
    "from|between",
    "to|-|until|till|untill|through",
    "in|within|over|during|for",
    "NUMBER|WORDNUMBER",
)

DAY_ROWS: dict[str, tuple[Row, ...]] = {
    "FEAST": tuple(Row(pattern, lambda _, find=find: find) for pattern, find in _FEASTS.items()),
    "DAYNUMBER": (Row("NUMBER|ORDINAL|NTH", lambda _, number: number if 0 < number < 32 else None),),
    "ORDER": (  # the third, the last, the second to last
        Row("ORDINAL|NTH", lambda _, nth: nth or None),
        Row("last", lambda _: -1),
        Row("ORDINAL|NTH [to] [the] last", lambda _, nth: -nth or None),
    ),
    "EDGE": (Row("end|last [day]", lambda _: -1), Row("beginning|begin|start|first [day]", lambda _: 1)),
    "TURN": (Row("WHICH", lambda _, which: which), Row("coming|following", lambda _: 1)),
    "INYEAR": (
        Row("[of|in] YEAR", lambda _, year: year),
        Row("[of|in] WHICH year", lambda base, which: base.today.year + which),
    ),
    "MONTHDAY": (
        Row("MONTH [the] DAYNUMBER", lambda _, month, day: (month, day)),
        Row("DAYNUMBER [day] [of] MONTH", lambda _, day, month: (month, day)),
    ),
    "SPAN": (  # what has a first, a third, a last day
        Row("MONTH [INYEAR]", find_month),
        Row("[the] TURN PERIOD", lambda base, turn, unit: find_period(base.today, unit, turn)),
        Row("the PERIOD", lambda base, unit: find_period(base.today, unit)),
        Row("[the] NTH|ORDINAL quarter [INYEAR]; q NUMBER [INYEAR]", _find_quarter),
        Row("INYEAR", lambda _, year: find_period(date(year, 1, 1), "years")),
    ),
    "DAY": (
        Row("TODAY", lambda base, days: one(base.today + days * DAY)),
        Row("this PART", lambda base, _: one(base.today)),
        Row("last night", lambda base: one(base.today - DAY)),
        Row("[the] day after DAY", lambda _, day: one(day.last + DAY)),
        Row("[the] day before DAY", lambda _, day: one(day.first - DAY)),
        Row("WEEKDAY; [this] coming WEEKDAY", find_weekday),
        Row("WHICH WEEKDAY", lambda base, which, weekday: find_weekday(base, weekday, which)),
        Row("this past WEEKDAY", lambda base, weekday: find_weekday(base, weekday, -1)),
        Row("WEEKDAY [of|in] WHICH week", _find_week_day),
        Row("WHICH week [on] WEEKDAY", lambda base, which, weekday: _find_week_day(base, weekday, which)),
        Row("WEEKDAY week", lambda base, weekday: one(find_weekday(base, weekday).first + WEEK), Level.CLEAR),
        Row("TODAY week", lambda base, days: one(base.today + days * DAY + WEEK), Level.CLEAR),
        Row("WEEKDAY after next", lambda base, weekday: one(find_weekday(base, weekday).first + WEEK)),
        Row(
            "AMOUNT WEEKDAYS from now; in AMOUNT WEEKDAYS",
            lambda base, n, day: one(find_weekday(base, day).first + (n - 1) * WEEK),
        ),
        Row("WHICH PERIOD", lambda base, which, unit: find_period(base.today, unit, which)),
        Row("[the] coming weekend", lambda base: find_period(base.today, "weekend")),
        Row("[the] coming|following PERIOD", lambda base, unit: find_period(base.today, unit, 1)),
        Row("the weekend", lambda base: find_period(base.today, "weekend"), Level.WEAK),
        Row("[the] PERIOD after next", lambda base, unit: find_period(base.today, unit, 2)),
        Row("[the] rest of the|this PERIOD", lambda base, unit: Days(base.today, find_period(base.today, unit).last)),
        Row("[the] EDGE of [the] [TURN] PERIOD", lambda base, nth, turn, unit: find_edge(base, nth, unit, turn or 0)),
        Row("[the] eod", lambda base: one(base.today), Level.CLEAR),
        Row("[the] eow", lambda base: find_edge(base, -1, "weeks"), Level.CLEAR),
        Row("[the] eom; month [-] end", lambda base: find_edge(base, -1, "months")),
        Row("[the] eoq", lambda base: find_edge(base, -1, "quarters")),
        Row("[the] eoy", lambda base: find_edge(base, -1, "years")),
        Row("[the] EDGE of [the] [year] SPAN; [the] ORDER day of|in SPAN", find_nth),
        Row("[the] ORDER WEEKDAY of|in SPAN", lambda base, nth, weekday, span: find_nth(base, nth, span, weekday)),
        Row("[the] ORDER WEEKDAY after DAY", _find_after),
        Row("[the] ORDER week of|in SPAN", find_week),
        Row("[the] week of [the] DAY", lambda _, day: find_period(day.first, "weeks")._replace(step=day.step)),
        Row("[the] ORDER business|working day of|in SPAN", find_nth_working_day),
        Row(f"[in] {_N} business|working days", lambda base, n: find_working_day(base, n, base.today)),
        Row(f"{_N} business|working days from|after DAY", lambda base, n, day: find_working_day(base, n, day.last)),
        Row("[the] NTH|ORDINAL quarter [INYEAR]; q NUMBER [INYEAR]", _find_quarter),
        Row("[WEEKDAY] [the] MONTHDAY [INYEAR]", lambda base, weekday, day, year: find_date(base, day, year, weekday)),
        Row("this|next|last|coming WEEKDAY MONTHDAY", lambda base, weekday, day: find_date(base, day, None, weekday)),
        Row("MONTHDAY [INYEAR] ( WEEKDAY )", lambda base, day, year, weekday: find_date(base, day, year, weekday)),
        Row("MONTHDAY WEEKDAY [INYEAR]", lambda base, day, weekday, year: find_date(base, day, year, weekday)),
        Row(f"[{_OPEN}] [WEEKDAY] MONTHDAY {_TO} DAYNUMBER [INYEAR]", find_dates),
        Row(f"[{_OPEN}] [the] DAYNUMBER {_TO}|and [the] DAYNUMBER [of] MONTH [INYEAR]", _find_dates_before),
        Row("the ORDINAL [of the month]", find_number, Level.CLEAR),
        Row("ORDINAL [of the month]", find_number, Level.ALONE),
        Row("WEEKDAY ORDINAL", _find_soon),
        Row("WEEKDAY [the] ORDINAL", lambda base, weekday, number: find_number(base, number, weekday)),
        Row("[the] ORDINAL|NUMBER [day] of [the] WHICH month", _find_number_of),
        Row("[WEEKDAY] ISO [( WEEKDAY )]", read_iso),
        Row("[WEEKDAY] SLASHED; WEEKDAY FRACTION", read_slashed),
        Row("FRACTION", lambda base, figures: read_slashed(base, None, figures), Level.FAINT),
        Row("[WEEKDAY] DOTTED; WEEKDAY DAYMONTH", read_dotted),
        Row("DAYMONTH INYEAR", lambda base, day, year: find_date(base, day.numbers[::-1], year)),
        Row("DAYMONTH|DECIMAL", lambda base, figures: read_dotted(base, None, figures), Level.FAINT),
        Row("NUMBER . NUMBER . YEAR", lambda base, day, month, year: find_date(base, (month, day), year)),
        Row("DASHED", read_dashed),
        Row("in|during|for MONTH; MONTH INYEAR", find_month),
        Row("WHICH MONTH", lambda base, which, month: find_month(base, month, None, which)),
        Row("MONTH", find_month, Level.QUESTION),
        Row("from|between MONTH to|until|till|through|and MONTH", _join_months, Level.QUESTION),
        Row(
            "YEARMONTH|MONTHYEAR", lambda base, figures: find_month(base, min(figures[0]), max(figures[0])), Level.ALONE
        ),
        Row("[in] YEAR", lambda _, year: find_period(date(year, 1, 1), "years"), Level.ALONE),
        Row("[WHICH] FEAST [INYEAR]", _find_feast),
        Row(
            "in LENGTHS; in LENGTHS ['|'s] time; LENGTHS from [right] now|today; LENGTHS after|from|on DAY", find_later
        ),
        Row("LENGTHS later; after LENGTHS", find_later, Level.ALONE),
        Row("LENGTHS ago; LENGTHS before DAY", find_earlier),
        Row("LENGTHS earlier", find_earlier, Level.ALONE),
        Row(f"within LENGTHS; [{_DURING}] [the] next|coming LENGTHS; {_DURING} the next|coming ONEUNIT", _stretch),
        Row(f"[{_DURING}] [the] last|past LENGTHS; {_DURING} the last|past ONEUNIT", _stretch_back),
    ),
    "STRETCH": (
        Row("[from] DAY for LENGTHS", _last),
        Row("for LENGTHS [starting] from DAY", lambda base, length, day: _last(base, day, length)),
        Row(f"[{_OPEN}] MONTHDAY {_TO} MONTHDAY INYEAR", _join_in_year),
        Row(f"[{_OPEN}] DAY {_TO} DAY; between DAY and DAY", _join),
    ),
}
