"""What the calculator returned in a turn, as a draft may give it: a number, with a unit or not, a duration, a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import ceil, floor

from nodes.policies.evidence import Evidence
from nodes.policies.moments import find_moments, find_written
from nodes.policies.quantities import Quantity, find_digits, find_quantities, is_traced
from nodes.policies.spelled import write_numbers
from nodes.policies.texts import is_composed

_PART = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?) (?P<unit>d|h|min|s)\b")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|at least|etwa|circa|ca\.|rund|ungefähr|mindestens|environ|au moins|unos|unas|al menos)"
    r"[\s*_$€£]*$",
    re.IGNORECASE,
)
_SECONDS = {"d": 86_400, "h": 3600, "min": 60, "s": 1}


@dataclass(frozen=True)
class Result:
    """A result of the calculator.

    Args:
        shown: As a person reads it: 1,234.5, 56 oz, 4 h 45 min, 18:15.
        values: The numbers any of which gives it: a duration has one for each unit.
        minutes: Those of a time of day since midnight, or of a duration.
    """

    shown: str
    values: frozenset[float]
    minutes: frozenset[int] = frozenset()

    def is_stated(self, draft: str, today: date) -> bool:
        """Whether a draft gives it in any usual form, or rounded to the digits that it shows."""
        signed, stated = [sign * value for value in self.values for sign in (1, -1)], find_quantities(draft, today)
        if self.minutes and len(stated) > 1:  # 5 hours and 35 minutes is not about 4.75 hours
            return any(self.values & quantity.values for quantity in stated) or self._is_split(draft)
        if any(is_traced(quantity, signed) for quantity in stated):
            return True
        return is_about(draft, stated, signed) or self._is_split(draft)

    def _is_split(self, draft: str) -> bool:
        """Whether a draft has the parts of it: 4 hours and 45 minutes."""
        if any(self.minutes & moment.minutes for moment in find_moments(draft)):
            return True
        return bool(re.search(r"\d", self.shown)) and find_digits(self.shown.replace(",", "")) <= find_digits(draft)


def is_about(draft: str, stated: Sequence[Quantity], known: Sequence[float]) -> bool:
    """Return whether a draft gives a known number as the whole one above or below: about 1,162 of 1,161.11."""
    whole = {bound for value in known if abs(value) >= 1 for bound in (floor(value), ceil(value))}
    rounded = (each for each in stated if _ABOUT.search(draft[: each.start]))
    return any(value in whole and not decimals for each in rounded for value, decimals in each.readings)


def find_nearest(stated: Sequence[Quantity], results: Sequence[Quantity]) -> str | None:
    """Return the result that is nearest to a stated number; None where there is no number or no result."""
    values = [value for each in stated for value in each.values]
    gaps = [(abs(one - value), each.text) for each in results for one in each.values for value in values]
    return min(gaps)[1] if gaps else None


def last_result(e: Evidence) -> Result | None:
    """Return the result of the last calculation; None without one."""
    given = [call.read().get("result") for call in e.calls if call.tool == "calculator" and call.ok]
    return read_result(given[-1]) if given else None


def read_result(given: object) -> Result | None:
    """Return what the calculator gave, a number or a text; None where that is neither."""
    if isinstance(given, int | float):
        return Result(f"{given:,}", frozenset((float(given),)))
    if not isinstance(given, str):
        return None
    parts = list(_PART.finditer(given))
    if parts and len(parts) == len(given.split()) // 2:
        seconds = sum(float(part["number"].replace(",", "")) * _SECONDS[part["unit"]] for part in parts)
        return Result(given, frozenset(seconds / each for each in _SECONDS.values()), frozenset((int(seconds // 60),)))
    if times := find_written(given):
        return Result(given, frozenset(), frozenset().union(*(moment.minutes for moment in times)))
    number = re.match(r"-?\d[\d,]*(?:\.\d+)?", given)
    return Result(given, frozenset((float(number[0].replace(",", "")),) if number else ()))


def put_value(e: Evidence) -> str:
    """Return the draft, with the calculator's last result added where it stands nowhere in it."""
    result, today = last_result(e), (e.now or datetime.now(UTC)).date()
    if result is None or is_composed(e.draft) or any(result.is_stated(text, today) for text in write_numbers(e.draft)):
        return e.draft
    return f"{e.draft}\n\n(= {result.shown})"
