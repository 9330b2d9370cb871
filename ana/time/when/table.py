"""The rows of the grammar that name days."""

from collections.abc import Callable
from datetime import date

from dateutil.easter import easter
from dateutil.relativedelta import TH, relativedelta

from ana.time.when import days
from ana.time.when.days import DAY, WEEK, Days, find_period, one
from ana.time.when.grammar import Base, Level, Row

_FEASTS: dict[str, Callable[[int], date]] = {
    "christmas eve": lambda year: date(year, 12, 24),
    "christmas|xmas [day]": lambda year: date(year, 12, 25),
    "new year|years ['s] eve": lambda year: date(year, 12, 31),
    "new year|years ['s] day": lambda year: date(year, 1, 1),
    "halloween": lambda year: date(year, 10, 31),
    "thanksgiving [day]": lambda year: _thanksgiving(year),
    "black friday": lambda year: _thanksgiving(year) + DAY,
    "good friday": lambda year: easter(year) - 2 * DAY,
    "easter [sunday]": easter,
}


def _thanksgiving(year: int) -> date:
    return date(year, 11, 1) + relativedelta(weekday=TH(4))


def _find_feast(base: Base, find: Callable[[int], date], year: int | None) -> Days:
    return one(find(year) if year else days.find_next(base.today, find), "" if year else "year")


def _find_dates(base: Base, day: tuple[int, int], last: int, year: int | None) -> Days | None:
    """Return some days of one month."""
    first = days.find_date(base, day, year)
    until = days.find_date(base, (day[0], last), first.first.year).last
    return first._replace(last=until) if until > first.first else None


def _find_quarter(base: Base, nth: int, year: int | None) -> Days:
    return find_period(date(year or base.today.year, 3 * nth - 2, 1), "quarters")._replace(step="" if year else "year")


def _find_week_day(base: Base, weekday: int, which: int) -> Days:
    return one(find_period(base.today, "weeks", which).first + weekday * DAY)


def _find_weekday_after(base: Base, weekday: int, weeks: int) -> Days:
    return one(days.find_weekday(base, weekday).first + weeks * WEEK)


def _note_working(found: Days) -> Days:
    return found._replace(note="Monday to Friday are counted, holidays too.")


_OPEN, _TO, _DURING = "from|between", "to|-|until|till|untill|through", "in|within|over|during|for"
_N = "NUMBER|WORDNUMBER"

DAY_ROWS: dict[str, tuple[Row, ...]] = {
    "FEAST": tuple(Row(pattern, lambda _, find=find: find, Level.CLEAR) for pattern, find in _FEASTS.items()),
    "DAYNUMBER": (Row("NUMBER|ORDINAL|NTH", lambda _, number: number if 0 < number < 32 else None),),
    "ORDER": (  # the third, the last, the second to last
        Row("ORDINAL|NTH", lambda _, nth: nth or None),
        Row("last", lambda _: -1),
        Row("ORDINAL|NTH [to] [the] last", lambda _, nth: -nth or None),
    ),
    "EDGE": (Row("end", lambda _: -1), Row("beginning|begin|start", lambda _: 1)),
    "TURN": (Row("WHICH", lambda _, which: which), Row("coming|following", lambda _: 1)),
    "INYEAR": (
        Row("[of|in] YEAR", lambda _, year: year),
        Row("[of|in] WHICH year", lambda base, which: base.today.year + which),
    ),
    "MONTHDAY": (
        Row("MONTH [the] DAYNUMBER", lambda _, month, day: (month, day)),
        Row("DAYNUMBER [day] [of] MONTH", lambda _, day, month: (month, day)),
    ),
    "QUARTER": (Row("[the] NTH|ORDINAL quarter [INYEAR]; q NUMBER [INYEAR]", _find_quarter),),
    "SPAN": (  # what has a first, a third, a last day
        Row("MONTH [INYEAR]", days.find_month),
        Row("[the] [TURN] PERIOD", lambda base, turn, unit: find_period(base.today, unit, turn or 0)),
        Row("QUARTER", lambda _, quarter: quarter),
        Row("INYEAR", lambda _, year: find_period(date(year, 1, 1), "years")),
    ),
    "DAY": (
        Row("TODAY", lambda base, ahead: one(base.today + ahead * DAY)),
        Row("this PART", lambda base, _: one(base.today)),
        Row("[the] day after DAY", lambda _, day: one(day.last + DAY)),
        Row("[the] day before DAY", lambda _, day: one(day.first - DAY)),
        Row("WEEKDAY; [this] coming WEEKDAY", days.find_weekday),
        Row("WHICH WEEKDAY", lambda base, which, weekday: days.find_weekday(base, weekday, which)),
        Row("WEEKDAY [of|in] WHICH week", _find_week_day),
        Row("WEEKDAY week", lambda base, weekday: _find_weekday_after(base, weekday, 1), Level.CLEAR),
        Row("WEEKDAY after next", lambda base, weekday: _find_weekday_after(base, weekday, 1)),
        Row("AMOUNT WEEKDAYS from now", lambda base, number, day: _find_weekday_after(base, day, number - 1)),
        Row("the [coming] weekend", lambda base: find_period(base.today, "weekend"), Level.CLEAR),
        Row("[the] TURN PERIOD", lambda base, turn, unit: find_period(base.today, unit, turn)),
        Row("[the] PERIOD after next", lambda base, unit: find_period(base.today, unit, 2)),
        Row("[the] rest of the|this PERIOD", lambda base, unit: Days(base.today, find_period(base.today, unit).last)),
        Row("[the] ENDOF", lambda base, unit: days.find_nth(base, -1, find_period(base.today, unit))),
        Row("the ORDINAL [of the month]", days.find_number, Level.CLEAR),
        Row("ORDINAL [of the month]", days.find_number, Level.ALONE),
        Row("WEEKDAY [the] ORDINAL", lambda base, weekday, number: days.find_number(base, number, weekday)),
        Row("[the] EDGE of [the] SPAN; [the] ORDER [day] of|in SPAN", days.find_nth),
        Row("[the] ORDER WEEKDAY of|in SPAN", lambda base, nth, day, span: days.find_nth(base, nth, span, [day])),
        Row(
            "[the] ORDER business|working day of|in SPAN",
            lambda base, nth, span: _note_working(days.find_nth(base, nth, span, range(5))),
        ),
        Row(
            f"[in] {_N} business|working days", lambda base, number: _note_working(days.find_working_day(base, number))
        ),
        Row("QUARTER", lambda _, quarter: quarter),
        Row("[WEEKDAY] [the] MONTHDAY [INYEAR]", lambda base, said, day, year: days.find_date(base, day, year, said)),
        Row(f"[{_OPEN}] MONTHDAY {_TO} DAYNUMBER [INYEAR]", _find_dates),
        Row(
            f"[{_OPEN}] [the] DAYNUMBER {_TO}|and [the] DAYNUMBER [of] MONTH [INYEAR]",
            lambda base, first, last, month, year: _find_dates(base, (month, first), last, year),
        ),
        Row("[WEEKDAY] ISO [( WEEKDAY )]", days.read_iso),
        Row("[WEEKDAY] SLASHED; WEEKDAY FRACTION", days.read_slashed),
        Row("FRACTION", lambda base, figures: days.read_slashed(base, None, figures), Level.BESIDE),
        Row("[WEEKDAY] DOTTED; WEEKDAY DAYMONTH", days.read_dotted),
        Row("DAYMONTH", lambda base, figures: days.read_dotted(base, None, figures), Level.BESIDE),
        Row("in|during|for MONTH; MONTH INYEAR", days.find_month),
        Row("WHICH MONTH", lambda base, which, month: days.find_month(base, month, None, which)),
        Row("PLAINMONTH", days.find_month, Level.ASKED),
        Row("MONTH", days.find_month, Level.ALONE),
        Row(
            "YEARMONTH",
            lambda _, figures: find_period(date(figures.numbers[0], figures.numbers[1], 1), "months"),
            Level.ALONE,
        ),
        Row("[in] YEAR", lambda _, year: find_period(date(year, 1, 1), "years"), Level.ALONE),
        Row("FEAST [INYEAR]", _find_feast),
        Row("in LENGTHS; in LENGTHS ['|'s] time; LENGTHS from [right] now|today", days.move),
        Row("LENGTHS after|from|on DAY", days.move),
        Row("LENGTHS later; after LENGTHS", days.move, Level.ALONE),
        Row("LENGTHS ago; LENGTHS before DAY", lambda base, length, *day: days.move(base, length, *day, sign=-1)),
        Row("LENGTHS earlier", lambda base, length: days.move(base, length, sign=-1), Level.ALONE),
    ),
    "STRETCH": (Row(f"[{_OPEN}] DAY {_TO} DAY; between DAY and DAY", days.join),),
    "ASKED": (
        Row("by|until|till|through [the] DAY; up to [the] DAY", lambda _, day: day._replace(first=date.min)),
        Row("before [the] DAY", lambda _, day: day._replace(first=date.min, last=day.first - DAY)),
        Row("after [the] DAY", lambda _, day: day._replace(first=day.last + DAY, last=date.max)),
        Row("since [the] DAY", lambda _, day: day._replace(last=date.max)),
        Row(f"within LENGTHS; [{_DURING}] [the] next|coming LENGTHS", days.stretch),
        Row(f"[{_DURING}] [the] last|past LENGTHS", lambda base, length: days.stretch(base, length, sign=-1)),
    ),
}
"""Of these a phrase is a DAY or a STRETCH, a text names a DAY, and a question, which asks for days, all."""
