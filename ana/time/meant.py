"""The date that somebody means who wrote something else: words, another order of digits, a weekday beside it."""

import re
from datetime import date

from dateutil.relativedelta import relativedelta

from ana.time.when import read_moments, weekday_named

_MONTH = re.compile(r"\s*([12]\d{3})[-/.](0?[1-9]|1[0-2])\s*")
_DAY_BEFORE_MONTH = re.compile(r"(\d{4})([-/])(1[3-9]|2\d|3[01])\2(\d\d?)(?!\d)")
_NO_TIME = re.compile(r"\dT\d")
"""A moment in ISO that is none: its day alone is not what is meant."""

_FILLER = re.compile(r"\b(?:on|at|by|due|the|of|in|for|from|until|till|before|o'?clock)\b|[^\w]", re.IGNORECASE)


def guess_dates(text: str, today: date) -> tuple[str, str] | None:
    """Return the first and the last day that a text means, in ISO; a single one with its time. None if it says more.

    Args:
        text: Such as "wednesday", "this week", "2026-25-11" or "friday 9:30".
    """
    if month := _MONTH.fullmatch(text):
        begin = date(int(month[1]), int(month[2]), 1)
        return str(begin), str(begin + relativedelta(day=31))
    text = _DAY_BEFORE_MONTH.sub(r"\1\2\4\2\3", text)
    days, times, rest = read_moments(text, today)
    if len(days) != 1 or len(times) > 1 or _FILLER.sub("", rest) or _NO_TIME.search(text):
        return None
    first, last = days[0].first, days[0].last
    if weekday_named(days[0].text) not in (None, first.weekday()):
        return None
    if times and first == last:
        return (moment := f"{first}T{times[0].at:%H:%M}"), moment
    return str(first), str(last)
