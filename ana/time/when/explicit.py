"""Days named by the calendar: January 13, the 13th, 2026-01-13, 1/13, 13.1.2026, in January."""

import re
from datetime import date

from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday as nth_day

from ana.time.when.words import (
    ANY_WEEKDAY,
    FULL_MONTH,
    MONTH,
    STOP,
    WEEKDAY,
    YEAR,
    Days,
    month_number,
    rule,
    weekday_number,
)

_AFTER = re.compile(r"\b(?:on|by|due|until|till?|before|after|from|since|this|am|bis|ab|vom|zum)\s+(?:the\s+)?$", re.I)
_CLOCKED = r"\s+\d{1,2}[:.]\d\d\b"
_TIME = re.compile(_CLOCKED)
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


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _one(day: date | None) -> Days | None:
    return (day, day) if day else None


def _next_occurrence(month: int, day: int, today: date) -> date | None:
    """The next such day from today on; February 29 may be eight years away."""
    days = (_date(year, month, day) for year in range(today.year, today.year + 9))
    return next((found for found in days if found and found >= today), None)


def read_day(match: re.Match[str], month: int, today: date) -> Days | None:
    """Return the day, or the first and last one, that a match names by its groups `day`, `last` and `year`."""
    groups = match.groupdict()
    day, year = int(groups["day"]), groups.get("year")
    first = _date(_full_year(year), month, day) if year else _next_occurrence(month, day, today)
    if first is None or not groups.get("last"):
        return _one(first)
    last = _date(first.year, month, int(groups["last"]))
    return (first, last) if last and last > first else None


def _full_year(year: str) -> int:
    return int(year) + (2000 if len(year) == 2 else 0)


def _month_day(match: re.Match[str], today: date) -> Days | None:
    return read_day(match, month_number(match["month"]), today)


def _day_month(match: re.Match[str], today: date) -> Days | None:
    sure = match["nth"] or match["year"] or match["weekday"] or match["month"] not in _VERBS
    return _month_day(match, today) if sure or _BEHIND.match(match.string, match.end()) else None


def _numeric(match: re.Match[str], today: date) -> Days | None:
    return read_day(match, int(match["month"]), today)


def _slashed(match: re.Match[str], today: date) -> Days | None:
    alone = match.string.strip(" ?.!") == match[0]
    sure = match["year"] or match["weekday"] or int(match["day"]) > 12 or alone or _is_introduced(match)
    return _numeric(match, today) if sure else None


def _dotted(match: re.Match[str], today: date) -> Days | None:
    begins, rest = not match.string[: match.start()].strip(), match.string[match.end() :]
    sure = match["weekday"] or begins or _is_introduced(match) or _TIME.match(rest)
    return _numeric(match, today) if sure else None


def _is_introduced(match: re.Match[str]) -> bool:
    return _AFTER.search(match.string[: match.start()]) is not None


_FEASTS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new year's day": (1, 1), "new years eve": (12, 31), "halloween": (10, 31),
    "valentine's day": (2, 14),
}  # fmt: skip
_FEAST = "|".join(_FEASTS).replace("'", "['’]")
_NTHS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1}


def _feast(match: re.Match[str], today: date) -> Days | None:
    return _one(_next_occurrence(*_FEASTS[match["feast"].lower().replace("’", "'")], today))


def _nth_weekday(match: re.Match[str], today: date) -> Days | None:
    """The first Monday of January: the next one from today on."""
    month, nth = month_number(match["month"]), _NTHS[match["nth"].lower()]
    day = nth_day(weekday_number(match["day"]), nth)
    for year in (today.year, today.year + 1):
        found = date(year, month, 1) + relativedelta(day=31 if nth < 0 else 1, weekday=day)
        if found >= today:
            return _one(found)
    return None


def _whole_month(first: date) -> Days:
    return first, first + relativedelta(day=31)


def _month_year(match: re.Match[str], _today: date) -> Days:
    return _whole_month(date(int(match["year"]), month_number(match["month"]), 1))


def _month(match: re.Match[str], today: date) -> Days | None:
    which = (match.groupdict().get("which") or "in").lower()
    if which != "in" and match["month"] in _VERBS and not re.match(r"\s*(?:$|[.,;:!?)])", match.string[match.end() :]):
        return None
    this = today.replace(day=1)
    first = this.replace(month=month_number(match["month"]))
    if which == "last" and first >= this:
        first -= relativedelta(years=1)
    elif (which == "next" and first <= this) or (which == "in" and first < this):
        first += relativedelta(years=1)
    return _whole_month(first)


def _month_edge(match: re.Match[str], today: date) -> Days | None:
    edge = match["edge"].lower() in ("end", "last day")
    first = date(int(match["year"] or today.year), month_number(match["month"]), 1)
    found = _whole_month(first)[edge]
    if found < today and not match["year"]:
        found = _whole_month(first + relativedelta(years=1))[edge]
    return found, found


def _nth(match: re.Match[str], today: date) -> Days | None:
    wanted = weekday_number(match["weekday"]) if match["weekday"] else None
    months = (today.replace(day=1) + relativedelta(months=ahead) for ahead in range(_FAR))
    days = (_date(month.year, month.month, int(match["day"])) for month in months)
    found = next((day for day in days if day and day >= today and wanted in (None, day.weekday())), None)
    return _one(found)


def _weekday_nth(match: re.Match[str], today: date) -> Days | None:
    """Tues 13th: not the 13th of a later year, because another number may follow a weekday."""
    found = _nth(match, today)
    return found if found and (found[0] - today).days < _SOON else None


def _nth_of(match: re.Match[str], today: date) -> Days | None:
    turn = {"last": -1, "this": 0, "next": 1}[match["which"].lower()]
    month = today + relativedelta(day=1, months=turn)
    found = _date(month.year, month.month, int(match["day"]))
    return _one(found)


def _week_of_month(match: re.Match[str], today: date) -> Days:
    """Seven days each from the first of the month; the last week is its last seven days."""
    first = today.replace(day=1, month=month_number(match["month"]), year=int(match["year"] or today.year))
    if not match["year"] and first + relativedelta(day=31) < today:
        first += relativedelta(years=1)
    which = match["which"].lower()
    if which == "last":
        last = first + relativedelta(day=31)
        return last - relativedelta(days=6), last
    begin = first + relativedelta(weeks=("first", "second", "third", "fourth").index(which))
    return begin, begin + relativedelta(days=6)


def _week_of_day(match: re.Match[str], today: date) -> Days | None:
    day = _month_day(match, today)
    if day is None:
        return None
    monday = day[0] - relativedelta(days=day[0].weekday())
    return monday, monday + relativedelta(days=6)


EXPLICIT = (
    rule(rf"\b(?P<feast>{_FEAST})\b", _feast),
    rule(
        rf"\b(?:the\s+)?(?P<nth>{'|'.join(_NTHS)})\s+(?P<day>{WEEKDAY})\s+(?:of|in)\s+(?P<month>{MONTH})", _nth_weekday
    ),
    rule(
        rf"\b(?:the\s+)?week\s+of\s+(?:the\s+)?(?P<month>{MONTH})\s+(?:the\s+)?{_DAY}(?:,?\s+{YEAR})?{_TAIL}",
        _week_of_day,
    ),
    rule(
        rf"\b(?:the\s+)?(?P<which>first|second|third|fourth|last)\s+week\s+(?:of|in)\s+(?P<month>{MONTH})(?:\s+{YEAR})?",
        _week_of_month,
    ),
    rule(rf"\b{_LEAD}(?:the\s+)?(?P<month>{MONTH})\s+(?:the\s+)?{_DAY}(?:,?\s+{YEAR})?{_TAIL}", _month_day),
    rule(
        rf"{_LEAD}(?:\bthe\s+)?{_ALONE}{_DAY}\.?\s+(?:of\s+)?(?P<month>{MONTH})(?:,?\s+{YEAR})?(?!\w){_NOTE}",
        _day_month,
    ),
    rule(rf"{_NTH_DAY}(?:\s+of\s+the\s+month\b|{STOP})", _nth),
    rule(rf"\b(?P<weekday>{ANY_WEEKDAY})\.?,?\s+(?P<day>\d{{1,2}}){_NTH}\b", _weekday_nth),
    rule(rf"{_NTH_DAY}\s+of\s+(?P<which>this|next|last)\s+month\b", _nth_of),
    rule(rf"{_LEAD}{_ALONE}{_ISO}(?![\d/-]){_CLOCK}{_NOTE}", _numeric),
    rule(rf"{_LEAD}{_ALONE}(?P<month>\d\d?)/(?P<day>\d\d?)(?:/(?P<year>\d{{4}}|\d\d))?(?!/){_TAIL}", _slashed),
    rule(rf"{_LEAD}{_ALONE}(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?(?P<year>\d{{4}}){_TAIL}", _numeric),
    rule(rf"{_LEAD}{_ALONE}(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?:(?={_CLOCKED})|(?!\s?\d|\w)){_NOTE}", _dotted),
    rule(rf"\b(?:due|on|am|zum)\s+(?P<at>(?P<day>\d\d?)\.(?P<month>0[1-9]|1[0-2]))(?![\d.:/]){_NO_UNIT}", _numeric),
    rule(rf"\b(?P<month>{MONTH})\s+(?:of\s+)?{YEAR}", _month_year),
    rule(rf"\b(?:in|during)\s+(?P<at>(?P<month>{MONTH}))(?!\s*\d)", _month),
    rule(rf"\bfor\s+(?P<at>(?P<month>{FULL_MONTH}))(?!\s*\d)", _month),
    rule(rf"\b(?P<which>this|next|last)\s+(?P<month>{MONTH})(?!\s*\d)", _month),
    rule(rf"\b(?:the\s+)?{_EDGE}\s+of\s+(?P<month>{MONTH})(?:\s+{YEAR})?", _month_edge),
)

_OPEN = r"\b(?:between|from)"
_TO = r"(?:and|to|until|till|through)"
_PLAIN_MONTH = r"(?:january|february|july|september|october|november|december)\b"
"""Months that are neither a person's name nor another word."""

ASKED = (
    rule(rf"\b(?:since|until|till|through|before|after)\s+(?P<at>(?P<month>{FULL_MONTH}))(?!\s*\d)", _month),
    rule(rf"{_OPEN}\s+(?P<at>(?P<month>{MONTH}))(?=\s+{_TO}\s+{MONTH})", _month),
    rule(rf"{_OPEN}\s+{MONTH}\s+{_TO}\s+(?P<at>(?P<month>{MONTH}))(?!\s*\d)", _month),
    rule(rf"\b(?P<at>(?P<month>{_PLAIN_MONTH}))(?!\s*\d)", _month),
)
"""More readings of a question: from March to April, December things. A wish may mean a person, or no date at all."""
