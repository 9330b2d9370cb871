"""The date that somebody means who wrote something else: words, another order of digits, a weekday beside it."""

import re
from datetime import date

from dateutil.relativedelta import relativedelta

from ana.time.dates import weekday
from ana.time.when import read_moments, weekday_named

_DIGITS = re.compile(r"\s*(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:,?\s*\(?([a-z]{3,9})\)?)?\s*", re.I)
_NO_TIME = re.compile(r"\dT\d")
"""A moment in ISO that is none: its day alone is not what is meant."""

_FILLER = re.compile(r"\b(?:on|at|by|due|the|of|in|for|from|until|till|before|o'?clock)\b|[^\w]", re.IGNORECASE)


def guess_dates(text: str, today: date) -> tuple[str, str] | None:
    """Return the first and the last day that a text means, in ISO; a single one with its time. None if it says more.

    Args:
        text: Such as "wednesday", "this week", "2026-25-11" or "friday 9:30".
        today: The person's today.
    """
    if digits := _DIGITS.fullmatch(text):
        return _read_digits(*digits.groups())
    days, times, rest = read_moments(text, today)
    if len(days) != 1 or len(times) > 1 or _FILLER.sub("", rest) or _NO_TIME.search(text):
        return None
    first, last = days[0].first, days[0].last
    if weekday_named(days[0].text) not in (None, first.weekday()):
        return None
    if times and first == last:
        return (moment := f"{first}T{times[0].at:%H:%M}"), moment
    return str(first), str(last)


def _read_digits(year: str, second: str, third: str | None, beside: str | None) -> tuple[str, str] | None:
    """Return the day, also where day and month have changed places; without a day the month."""
    if third is None:
        return None if beside else _read_month(int(year), int(second))
    for month, day in ((second, third), (third, second)):
        try:
            found = date(int(year), int(month), int(day))
        except ValueError:
            continue
        fits = weekday(found).lower().startswith((beside or "").lower())
        return (str(found), str(found)) if fits else None
    return None


def _read_month(year: int, month: int) -> tuple[str, str] | None:
    try:
        return str(first := date(year, month, 1)), str(first + relativedelta(day=31))
    except ValueError:
        return None
