"""The rows of the grammar that name days."""

from collections.abc import Callable
from datetime import date

from dateutil.easter import easter
from dateutil.relativedelta import TH, relativedelta

from ana.time.when.days import (
    DAY,
    WEEK,
    WORKING,
    Length,
    When,
    find_date,
    find_dates,
    find_earlier,
    find_later,
    find_month,
    find_next,
    find_nth,
    find_number,
    find_period,
    find_week,
    find_weekday,
    find_working_day,
    join_days,
    list_years,
    one,
    read_figures,
    read_iso,
)
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.tokens import Figures

Find = Callable[[int], date | None]


def _find_thanksgiving(year: int) -> date:
    return date(year, 11, 1) + relativedelta(weekday=TH(4))


_FEASTS: dict[str, Find] = {
    "christmas eve": lambda year: date(year, 12, 24),
    "christmas|xmas [day]": lambda year: date(year, 12, 25),
    "boxing day": lambda year: date(year, 12, 26),
    "new year|years ['s] eve": lambda year: date(year, 12, 31),
    "new year|years ['s] day": lambda year: date(year, 1, 1),
    "valentine|valentines ['s] day": lambda year: date(year, 2, 14),
    "halloween": lambda year: date(year, 10, 31),
    "thanksgiving [day]": _find_thanksgiving,
    "black friday": lambda year: _find_thanksgiving(year) + DAY,
    "good friday": lambda year: easter(year) - 2 * DAY,
    "easter [sunday]": easter,
    "easter monday|mon": lambda year: easter(year) + DAY,
}


def _find_feast(base: Base, which: int | None, find: Find, year: int | None) -> When | None:
    day = find(year) if year else find_next(base.today, map(find, list_years(base.today)))
    return one(day, "" if year else "year") if day and which != -1 else None


def _find_edge(base: Base, nth: int, span: When) -> When:
    """Return the first or the last day of a span: 1 or -1. Some call Friday the end of the week."""
    is_week_end = nth < 0 and (span.last - span.first).days == 6
    day = find_nth(base, nth, lambda _: True, span)
    return day._replace(other=day.last - 2 * DAY if is_week_end else None)


def _find_end(base: Base, unit: str) -> When:
    return _find_edge(base, -1, find_period(base.today, unit))


def _read_pair(_: Base, figures: Figures) -> tuple[int, int] | None:
    """Return the month and the day of two numbers, the day first if they have dots; None if there is no such month."""
    month, day = figures.numbers[::-1] if "." in figures.text else figures.numbers
    return (month, day) if 0 < month < 13 else None


def _find_quarter(base: Base, nth: int, year: int | None) -> When:
    return find_period(date(year or base.today.year, 3 * nth - 2, 1), "quarters")._replace(step="" if year else "year")


def _find_number_of(base: Base, number: int, which: int) -> When:
    return find_nth(base, number, lambda _: True, find_period(base.today, "months", which))


def _find_week_day(base: Base, weekday: int, which: int) -> When:
    return one(find_period(base.today, "weeks", which).first + weekday * DAY)


def _find_weekday_after(base: Base, weeks: int, weekday: int) -> When:
    return one(find_weekday(base, weekday).first + weeks * WEEK)


def _stretch(base: Base, length: Length) -> When | None:
    end = find_later(base, length)
    return end and When(base.today, end.last)


def _stretch_back(base: Base, length: Length) -> When | None:
    begin = find_earlier(base, length)
    return begin and When(begin.first, base.today)


def _last(base: Base, day: When, length: Length) -> When | None:
    end = find_later(base, length, one(day.first))
    return end and day._replace(last=end.first - DAY)


_OPEN, _TO = "from|between", "to|-|until|till|untill|through"
_DURING, _N = "in|within|over|during|for", "NUMBER|WORDNUMBER"

DAY_ROWS: dict[str, tuple[Row, ...]] = {
    "FEAST": tuple(Row(pattern, lambda _, find=find: find) for pattern, find in _FEASTS.items()),
    "DAYNUMBER": (Row("NUMBER|ORDINAL|NTH", lambda _, number: number if 0 < number < 32 else None),),
    "ORDER": (  # the third, the last, the second to last
        Row("ORDINAL|NTH", lambda _, nth: nth or None),
        Row("last", lambda _: -1),
        Row("ORDINAL|NTH [to] [the] last", lambda _, nth: -nth or None),
    ),
    "EDGE": (Row("end", lambda _: -1), Row("beginning|start", lambda _: 1)),
    "INYEAR": (
        Row("[of|in] YEAR", lambda _, year: year),
        Row("[of|in] WHICH year", lambda base, which: base.today.year + which),
    ),
    "MONTHDAY": (
        Row("MONTH [the] DAYNUMBER", lambda _, month, day: (month, day)),
        Row("DAYNUMBER [day] [of] MONTH", lambda _, day, month: (month, day)),
        Row("FRACTION|DAYMONTH", _read_pair, Level.FAINT),
    ),
    "QUARTER": (Row("[the] NTH|ORDINAL quarter [INYEAR]; q NUMBER [INYEAR]", _find_quarter),),
    "SPAN": (  # what has a first, a third, a last day
        Row("MONTH [INYEAR]", find_month),
        Row("[the] WHICH PERIOD", lambda base, turn, unit: find_period(base.today, unit, turn)),
        Row("[the] PERIOD", lambda base, unit: find_period(base.today, unit)),
        Row("[the] coming|following PERIOD", lambda base, unit: find_period(base.today, unit, 1)),
        Row("QUARTER", lambda _, span: span),
        Row("INYEAR", lambda _, year: find_period(date(year, 1, 1), "years")),
    ),
    "COUNTED": (
        Row("day", lambda _: lambda day: True),
        Row("WEEKDAY", lambda _, weekday: lambda day: day.weekday() == weekday),
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
        Row("WEEKDAY week; WEEKDAY after next", lambda base, day: _find_weekday_after(base, 1, day), Level.CLEAR),
        Row("AMOUNT WEEKDAYS from now", lambda base, n, day: _find_weekday_after(base, n - 1, day)),
        Row("WHICH PERIOD", lambda base, which, unit: find_period(base.today, unit, which)),
        Row("[the] coming|following PERIOD", lambda base, unit: find_period(base.today, unit, unit != "weekend")),
        Row("the weekend", lambda base: find_period(base.today, "weekend"), Level.WEAK),
        Row("[the] PERIOD after next", lambda base, unit: find_period(base.today, unit, 2)),
        Row("[the] rest of the|this PERIOD", lambda base, unit: When(base.today, find_period(base.today, unit).last)),
        Row("[the] END", _find_end, Level.CLEAR),
        Row("month [-] end", lambda base: _find_end(base, "months")),
        Row("[the] EDGE of SPAN", _find_edge),
        Row("[the] ORDER COUNTED of|in SPAN", find_nth),
        Row("[the] ORDER week of|in SPAN", find_week),
        Row("[the] week of [the] DAY", lambda _, day: find_period(day.first, "weeks")._replace(step=day.step)),
        Row(
            "[the] ORDER business|working day of|in SPAN",
            lambda base, nth, span: find_nth(base, nth, lambda day: day.weekday() < 5, span)._replace(notes=(WORKING,)),
        ),
        Row(f"[in] {_N} business|working days; {_N} business|working days from|after DAY", find_working_day),
        Row("QUARTER", lambda _, span: span),
        Row(
            "[WEEKDAY] [the] MONTHDAY [INYEAR]; this|next|coming WEEKDAY MONTHDAY",
            lambda base, weekday, day, year=None: find_date(base, day, year, weekday),
        ),
        Row("MONTHDAY [INYEAR] ( WEEKDAY )", find_date),
        Row(
            f"[{_OPEN}] MONTHDAY {_TO} DAYNUMBER [INYEAR]",
            lambda base, day, last, year: find_dates(base, day, (day[0], last), year),
        ),
        Row(
            f"[{_OPEN}] [the] DAYNUMBER {_TO}|and [the] DAYNUMBER [of] MONTH [INYEAR]",
            lambda base, first, last, month, year: find_dates(base, (month, first), (month, last), year),
        ),
        Row("the ORDINAL [of the month]", find_number, Level.CLEAR),
        Row("ORDINAL [of the month]", find_number, Level.ALONE),
        Row("WEEKDAY [the] ORDINAL", lambda base, weekday, number: find_number(base, number, weekday)),
        Row("[the] DAYNUMBER of [the] WHICH month", _find_number_of),
        Row("[WEEKDAY] ISO [( WEEKDAY )]", read_iso),
        Row("[WEEKDAY] DATE", read_figures),
        Row("NUMBER . NUMBER . YEAR", lambda base, day, month, year: find_date(base, (month, day), year)),
        Row("in|during|for MONTH; MONTH INYEAR", find_month),
        Row("WHICH MONTH", lambda base, which, month: find_month(base, month, None, which)),
        Row("MONTH", find_month, Level.SEARCH),
        Row("YEARMONTH", lambda base, figures: find_month(base, *sorted(figures.numbers)), Level.ALONE),
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
        Row("SIDE [the] DAY", lambda _, side, day: day._replace(bound=side), Level.QUESTION),
        Row("from|starting [the] DAY", lambda _, day: day._replace(bound="from"), Level.ALONE),
        Row("[from] DAY for LENGTHS", _last, Level.ALONE),
        Row("for LENGTHS [starting] from DAY", lambda base, length, day: _last(base, day, length), Level.ALONE),
        Row(f"[{_OPEN}] MONTHDAY {_TO} MONTHDAY INYEAR", find_dates, Level.QUESTION),
        Row(f"[{_OPEN}] DAY {_TO} DAY; between DAY and DAY", join_days, Level.QUESTION),
    ),
}
