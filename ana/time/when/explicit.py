"""Days named by the calendar: January 13, the 13th, 2026-01-13, 1/13, 13.1.2026, in January."""

import re
from datetime import date

from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday as nth_day

from ana.time.when.words import (
    ANY_WEEKDAY,
    FULL_MONTH,
    MONTH,
    MONTHS,
    STOP,
    WEEKDAY,
    YEAR,
    Days,
    Rule,
    find_before,
    month_number,
    weekday_number,
)

_AFTER = re.compile(r"\b(?:on|by|due|until|till?|before|after|from|since|this|am|bis|ab|vom|zum)\s+(?:the\s+)?$", re.I)
_EVERY = re.compile(r"\b(?:every|each)\s+$", re.IGNORECASE)
_CLOCKED = r"\s+\d{1,2}[:.]\d\d\b"
_TIME = re.compile(_CLOCKED)
_SPACE = re.compile(r"\s*")
_SIGNS = re.compile(r"[ ?.!]*")
_END = re.compile(r"\s*(?:$|[.,;:!?)])")
_VERBS = ("may", "march", "mar")  # in lower case: "we may 5 times", "march 3 miles"
_BEHIND = re.compile(STOP, re.IGNORECASE)

_LEAD = rf"(?:\b(?:(?:this|next|last|coming)\s+)?(?P<weekday>{ANY_WEEKDAY})\.?,?\s+)?"
_NOTE = rf"(?:\s*\({ANY_WEEKDAY}\))?"
_ALONE = r"(?<![\w.,:/$€£-])"
_NTH = r"(?:st|nd|rd|th)"
_DAY = (
    rf"(?P<day>\d{{1,2}})(?P<nth>{_NTH})?(?:\s?(?:[-–]|to|until|through)\s?(?P<last>\d{{1,2}})(?:{_NTH})?\b(?![:.]\d))?"
)
_CLOCK = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_ISO = r"(?P<year>\d{4})(?P<sep>[-/])(?P<month>\d\d?)(?P=sep)(?P<day>\d\d?)"
_NTH_DAY = rf"\b{_LEAD}the\s+(?P<day>\d{{1,2}}){_NTH}\b"
_EDGE = r"(?P<edge>end|last\s+day|beginning|start|first\s+day|first)"
_NO_UNIT = r"(?!\s*(?:[%€$£]|(?:eur\w*|usd|gbp|chf|kg|g|km|cm|mm|m|ml|l)\b))"
_TAIL = rf"(?!\w|[.,:/-]\d|%){_NOTE}"
_SOON = 62
"""Days within which a day of the month that follows its weekday must lie."""

_FAR = 48
"""Months looked through for a day of the month that falls on a weekday."""

_FIFTHS = 29
"""Years looked through for a month with a fifth such weekday: February has one in a leap year alone."""


class NoSuchDay(ValueError):
    """What is written as a day is in no calendar: 30 February."""


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _next_occurrence(month: int, day: int, today: date) -> date | None:
    """The next such day from today on; February 29 may be eight years away."""
    days = (_date(year, month, day) for year in range(today.year, today.year + 9))
    return next((found for found in days if found and found >= today), None)


def read_day(match: re.Match[str], today: date, month: str | None = None) -> Days | date | None:
    """Return the day, or the first and last one, that a match names by its groups `day`, `last`, `month` and `year`.

    Args:
        month: The month's English name, if it is written in another language.

    Raises:
        NoSuchDay: The month, or a month of that year, has no such day.
    """
    groups = match.groupdict()
    month_of_year, day = month_number(month or groups["month"]), int(groups["day"])
    if year := groups.get("year"):
        first = _date(int(year) + (2000 if len(year) == 2 else 0), month_of_year, day)
    else:
        first = _next_occurrence(month_of_year, day, today)
    if first is None and (year or month_of_year <= len(MONTHS)):  # 3.14 and 24/7 are none without a year
        raise NoSuchDay
    if first is None or not groups.get("last"):
        return first
    last = _date(first.year, month_of_year, int(groups["last"]))
    if last is None:
        raise NoSuchDay
    return (first, last) if last > first else None


def _day_month(match: re.Match[str], today: date) -> Days | date | None:
    sure = match["nth"] or match["year"] or match["weekday"] or match["month"] not in _VERBS
    return read_day(match, today) if sure or _BEHIND.match(match.string, match.end()) else None


def _slashed(match: re.Match[str], today: date) -> Days | date | None:
    alone = _SIGNS.fullmatch(match.string, 0, match.start()) and _SIGNS.fullmatch(match.string, match.end())
    sure = match["year"] or match["weekday"] or int(match["day"]) > 12 or alone or _is_introduced(match)
    return read_day(match, today) if sure else None


def _dotted(match: re.Match[str], today: date) -> Days | date | None:
    begins = _SPACE.fullmatch(match.string, 0, match.start())
    sure = match["weekday"] or begins or _is_introduced(match) or _TIME.match(match.string, match.end())
    return read_day(match, today) if sure else None


def _is_introduced(match: re.Match[str]) -> bool:
    return find_before(_AFTER, match.string, match.start()) is not None


_FEASTS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new years eve": (12, 31), "halloween": (10, 31),
    "valentine's day": (2, 14),
}  # fmt: skip
_FEAST = "|".join(_FEASTS)
_NTHS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
    "last": -1,
}  # fmt: skip


def _feast(match: re.Match[str], today: date) -> date | None:
    month, day = _FEASTS[match["feast"].lower()]
    return _date(int(match["year"]), month, day) if match["year"] else _next_occurrence(month, day, today)


def _nth_weekday(match: re.Match[str], today: date) -> date | None:
    """The first Monday of January: that of the year, or the next one from today on; not every month has a fifth."""
    month = month_number(match["month"])
    if match["year"]:
        return _find_nth(match, date(int(match["year"]), month, 1))
    days = (_find_nth(match, date(year, month, 1)) for year in range(today.year, today.year + _FIFTHS))
    return next((found for found in days if found and found >= today), None)


def _nth_weekday_around(match: re.Match[str], today: date) -> date | None:
    turn = {"last": -1, "next": 1}.get(match["which"].lower(), 0)
    return _find_nth(match, today + relativedelta(day=1, months=turn))


def _find_nth(match: re.Match[str], first: date) -> date | None:
    """The weekday that a match counts in the month of a first day; None if the month has not so many, or it recurs."""
    if find_before(_EVERY, match.string, match.start()):
        return None
    nth = _NTHS[match["nth"].lower()]
    found = first + relativedelta(day=31 if nth < 0 else 1, weekday=nth_day(weekday_number(match["day"]), nth))
    return found if found.month == first.month else None


def _whole_month(first: date) -> Days:
    return first, first + relativedelta(day=31)


def _month(match: re.Match[str], today: date) -> Days | None:
    groups, this = match.groupdict(), today.replace(day=1)
    which = (groups.get("which") or "in").lower()
    first = this.replace(month=month_number(match["month"]), year=int(groups.get("year") or today.year))
    if groups.get("year"):
        return _whole_month(first)
    if which != "in" and match["month"] in _VERBS and not _END.match(match.string, match.end()):
        return None
    if which == "last" and first >= this:
        first -= relativedelta(years=1)
    elif (which == "next" and first <= this) or (which == "in" and first < this):
        first += relativedelta(years=1)
    return _whole_month(first)


def _month_edge(match: re.Match[str], today: date) -> date:
    edge = match["edge"].lower() in ("end", "last day")
    first = date(int(match["year"] or today.year), month_number(match["month"]), 1)
    found = _whole_month(first)[edge]
    return found if found >= today or match["year"] else _whole_month(first + relativedelta(years=1))[edge]


def _year_edge(match: re.Match[str], _: date) -> date:
    year = int(match["year"])
    return date(year, 12, 31) if match["edge"].lower() in ("end", "last day") else date(year, 1, 1)


def _nth(match: re.Match[str], today: date) -> date | None:
    wanted = weekday_number(match["weekday"]) if match["weekday"] else None
    months = (today.replace(day=1) + relativedelta(months=ahead) for ahead in range(_FAR))
    days = (_date(month.year, month.month, int(match["day"])) for month in months)
    return next((day for day in days if day and day >= today and wanted in (None, day.weekday())), None)


def _weekday_nth(match: re.Match[str], today: date) -> date | None:
    """Tues 13th: not the 13th of a later year, because another number may follow a weekday."""
    found = _nth(match, today)
    return found if found and (found - today).days < _SOON else None


def _nth_of(match: re.Match[str], today: date) -> date | None:
    month = today + relativedelta(day=1, months=("last", "this", "next").index(match["which"].lower()) - 1)
    return _date(month.year, month.month, int(match["day"]))


def _week_of_month(match: re.Match[str], today: date) -> Days:
    """Seven days each from the first of the month; the last week is its last seven days."""
    first = today.replace(day=1, month=month_number(match["month"]), year=int(match["year"] or today.year))
    if not match["year"] and first + relativedelta(day=31) < today:
        first += relativedelta(years=1)
    nth = _NTHS[match["which"].lower()]
    begin = first + (relativedelta(day=31, days=-6) if nth < 0 else relativedelta(weeks=nth - 1))
    return begin, begin + relativedelta(days=6)


def _week_of_day(match: re.Match[str], today: date) -> Days | None:
    days = read_day(match, today)
    if days is None:
        return None
    first = days[0] if isinstance(days, tuple) else days
    monday = first - relativedelta(days=first.weekday())
    return monday, monday + relativedelta(days=6)


_OF_YEAR = rf",?\s+(?:(?:of|in)\s+)?{YEAR}"
_NTH_WEEKDAY = rf"\b(?:the\s+)?(?P<nth>{'|'.join(_NTHS)})\s+(?P<day>{WEEKDAY})"

EXPLICIT = (
    Rule(rf"\b(?P<feast>{_FEAST})\b(?:{_OF_YEAR})?", _feast),
    Rule(rf"{_NTH_WEEKDAY}\s+(?:of|in)\s+(?P<month>{MONTH})(?:{_OF_YEAR})?", _nth_weekday),
    Rule(rf"{_NTH_WEEKDAY}\s+(?:of|in)\s+(?P<which>this|the|next|last)\s+month\b", _nth_weekday_around),
    Rule(
        rf"\b(?:the\s+)?week\s+of\s+(?:the\s+)?(?P<month>{MONTH})\s+(?:the\s+)?{_DAY}(?:{_OF_YEAR})?{_TAIL}",
        _week_of_day,
    ),
    Rule(
        rf"\b(?:the\s+)?(?P<which>{'|'.join(_NTHS)})\s+week\s+(?:of|in)\s+(?P<month>{MONTH})(?:{_OF_YEAR})?",
        _week_of_month,
    ),
    Rule(rf"\b{_LEAD}(?:the\s+)?(?P<month>{MONTH})\s+(?:the\s+)?{_DAY}(?:{_OF_YEAR})?{_TAIL}", read_day),
    Rule(
        rf"{_LEAD}(?:\bthe\s+)?{_ALONE}{_DAY}\.?\s+(?:of\s+)?(?P<month>{MONTH})(?:{_OF_YEAR})?(?!\w){_NOTE}",
        _day_month,
    ),
    Rule(rf"{_NTH_DAY}(?:\s+of\s+the\s+month\b|{STOP})", _nth),
    Rule(rf"\b(?P<weekday>{ANY_WEEKDAY})\.?,?\s+(?P<day>\d{{1,2}}){_NTH}\b", _weekday_nth),
    Rule(rf"{_NTH_DAY}\s+of\s+(?P<which>this|next|last)\s+month\b", _nth_of),
    Rule(rf"{_LEAD}{_ALONE}{_ISO}(?![\d/-]){_CLOCK}{_NOTE}", read_day),
    Rule(rf"{_LEAD}{_ALONE}(?P<month>\d\d?)/(?P<day>\d\d?)(?:/(?P<year>\d{{4}}|\d\d))?(?!/){_TAIL}", _slashed),
    Rule(rf"{_LEAD}{_ALONE}(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{{4}}){_TAIL}", read_day),
    Rule(rf"{_LEAD}{_ALONE}(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?:(?={_CLOCKED})|(?!\s?\d|\w)){_NOTE}", _dotted),
    Rule(rf"\b(?:due|on|am|zum)\s+(?P<at>(?P<day>\d\d?)\.(?P<month>0[1-9]|1[0-2]))(?![\d.:/]){_NO_UNIT}", read_day),
    Rule(rf"\b(?P<month>{MONTH})\s+(?:of\s+)?{YEAR}", _month),
    Rule(rf"\b(?:in|during)\s+(?P<at>(?P<month>{MONTH}))(?!\s*\d)", _month),
    Rule(rf"\bfor\s+(?P<at>(?P<month>{FULL_MONTH}))(?!\s*\d)", _month),
    Rule(rf"\b(?P<which>this|next|last)\s+(?P<month>{MONTH})(?!\s*\d)", _month),
    Rule(rf"\b(?:the\s+)?{_EDGE}\s+of\s+(?P<month>{MONTH})(?:{_OF_YEAR})?", _month_edge),
    Rule(rf"\b(?:the\s+)?{_EDGE}\s+of\s+(?:the\s+year\s+)?{YEAR}", _year_edge),
)

_OPEN = r"\b(?:between|from)"
_TO = r"(?:and|to|until|till|through)"
_PLAIN_MONTH = r"(?:january|february|july|september|october|november|december)\b"
"""Months that are neither a person's name nor another word."""

ASKED = (
    Rule(rf"\b(?:since|until|till|through|before|after)\s+(?P<at>(?P<month>{FULL_MONTH}))(?!\s*\d)", _month),
    Rule(rf"{_OPEN}\s+(?P<at>(?P<month>{MONTH}))(?=\s+{_TO}\s+{MONTH})", _month),
    Rule(rf"{_OPEN}\s+{MONTH}\s+{_TO}\s+(?P<at>(?P<month>{MONTH}))(?!\s*\d)", _month),
    Rule(rf"\b(?P<at>(?P<month>{_PLAIN_MONTH}))(?!\s*\d)", _month),
)
"""More readings of a question: from March to April, December things. A wish may mean a person, or no date at all."""
