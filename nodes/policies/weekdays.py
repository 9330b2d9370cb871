"""A weekday beside a date is that date's weekday."""

import re
from bisect import bisect
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from ana.time.dates import weekday
from nodes.evidence import Evidence
from nodes.policies.days import Reading, find_days, find_weekdays

NEAR = 12
"""Characters between a weekday and its date."""
MOST_ABBREVIATED = 4
"""Letters of a name that is cut, so that a stop behind it ends no sentence: Mi."""
_TO_DATE = re.compile(r"\.?[ *_]{0,3}(?:[,|(（][ *_]{0,3}(?:[^\W\d_]{2,3} )?)?")
"""What may stand between a weekday and its date: Thursday, the 3rd; Mi., 24. Nov."""
_TO_WEEKDAY = re.compile(r"[ *_]{0,3}[(（][ *_]{0,3}")
_JOINS = re.compile(r"[^\w\n]{0,3}[^\W\d_]{0,5}[^\w\n]{0,3}")
"""What makes two weekdays a range or a choice: Mon-Fri, Monday to Friday."""


def weekdays_fit(e: Evidence) -> Iterator[str]:
    """Require that a weekday beside a date is the weekday of that date."""
    text, days, names = e.own_words, find_days(e.own_words, e.today), find_weekdays(e.own_words)
    joined = {other.start for one, other in pairwise(names) if _JOINS.fullmatch(text, one.end, other.start)}
    starts = [day.start for day in days]
    for name in (name for name in names if name.start not in joined):
        place = bisect(starts, name.start)
        for day in (day for day in days[max(0, place - 1) : place + 1] if _belongs(text, name, day)):
            if not any(value.weekday() in name.values for value in day.values):
                phrase = text[min(name.start, day.start) : max(name.end, day.end)].rstrip(".")
                true = " or ".join(f"{weekday(value)} {value}" for value in sorted(day.values))
                yield f'It says "{phrase}", but that date is {true or "none"}.'


def _belongs(text: str, name: Reading[int], day: Reading[date]) -> bool:
    if day.end == name.start:
        return text[name.start : name.end].endswith("曜日")
    if day.end < name.start:
        is_closed = text[name.end : name.end + 1] in (")", "）", ".", ",")
        return is_closed and bool(_TO_WEEKDAY.fullmatch(text, max(day.end, name.start - NEAR), name.start))
    ends = name.end - name.start > MOST_ABBREVIATED and text[name.end : name.end + 1] == "."
    return not ends and day.start - name.end <= NEAR and bool(_TO_DATE.fullmatch(text, name.end, day.start))
