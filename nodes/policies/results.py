"""The answer contains the value of the calculator or the clock, and no other number in its place."""

import re
from collections.abc import Iterator
from math import ceil, floor

from ana.time.dates import weekday
from nodes.evidence import Evidence
from nodes.policies.clock import find_last_reading, tells_moment
from nodes.policies.days import find_days, find_times
from nodes.policies.numbers import MOST_OWN, find_own
from nodes.policies.quantities import find_quantities, is_traced

_PART = re.compile(r"(?<![\d,.])(?P<number>\d[\d,]*+(?:\.\d++)?) (?P<unit>d|h|min|s)\b")
_SECONDS = {"d": 86_400, "h": 3600, "min": 60, "s": 1}


def results_are_unchanged(e: Evidence) -> Iterator[str]:
    """Require that a draft gives the last calculation's result, and no other number in its place."""
    result = find_last_result(e)
    if not result or is_stated(result, e):
        return
    own = [each.text for each in find_own(e)] if ":" not in result else []
    if ":" in result:
        known = {minute for text in e.texts() for time in find_times(text) for minute in time.values}
        own += [e.statements[time.start : time.end] for time in find_times(e.statements) if not time.values & known]
    if len(own) <= MOST_OWN:
        yield from (f'The calculator returned {result}, but it gives "{each}".' for each in own)


def find_last_result(e: Evidence) -> str:
    """Return the result of the last calculation in the form for people; empty if there is none with a number."""
    values = [result.get("result") for result in e.results("calculator")][-1:]
    text = "".join(f"{each:,}" if isinstance(each, int | float) else str(each) for each in values)
    return text if re.search(r"\d", text) else ""


def is_stated(result: str, e: Evidence) -> bool:
    """Return whether a draft contains a result, in any usual form or rounded."""
    stated, parts = find_quantities(e.draft, e.today), [*_PART.finditer(result)]
    if parts:  # 4 hours and 45 minutes, 285 minutes
        seconds = sum(float(part["number"].replace(",", "")) * _SECONDS[part["unit"]] for part in parts)
        values, digits = {seconds / each for each in _SECONDS.values()}, {*re.findall(r"\d+", result)}
        # 5 hours and 35 minutes is not about 4.75 hours
        fits = (values & each.values if len(stated) > 1 else is_traced(each, values) for each in stated)
        clocked = any(seconds / 60 in time.values for time in find_times(e.draft))
        return clocked or digits <= {*re.findall(r"\d+", e.draft)} or any(fits)
    days = {day for reading in find_days(result, e.today) for day in reading.values}
    minutes = {minute for time in find_times(result) for minute in time.values}
    if days or minutes:
        has_days = any(days & reading.values for reading in find_days(e.draft, e.today))
        return has_days or any(minutes & time.values for time in find_times(e.draft))
    numbers = {value for each in find_quantities(result, e.today) for value in each.values}
    whole = {float(side(value)) for value in numbers if value >= 1 for side in (floor, ceil)}
    return any(is_traced(each, numbers | whole | {-value for value in numbers}) for each in stated)


def keep_values(e: Evidence) -> str:
    """Return the draft; add the last value of the calculator if it is missing, or that of `now` if nothing else ran."""
    result, moment = find_last_result(e), find_last_reading(e)
    if result and not is_stated(result, e):
        return f"{e.draft}\n\n(= {result})"
    if moment and all(call.tool == "now" for call in e.calls) and not tells_moment(moment, e):
        return f"{e.draft}\n\n(= {moment:%H:%M}, {weekday(moment.date())} {moment.date()})"
    return e.draft
