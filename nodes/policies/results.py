"""What a draft may give as worked out: what the calculator returned in the turn, and what its own equations make."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, product
from math import ceil, floor

from ana.errors import ToolError
from nodes.policies.evidence import Evidence
from nodes.policies.moments import find_moments, find_written
from nodes.policies.quantities import Quantity, find_digits, find_quantities, is_traced, read_digits
from nodes.policies.texts import is_composed, write_numbers
from tools.calculator import calculate

_PART = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?) (?P<unit>d|h|min|s)\b")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|at least|etwa|circa|ca\.|rund|ungefähr|mindestens|environ|au moins|unos|unas|al menos)"
    r"[\s*_$€£]*$",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:over|more than|gut|über|mehr als|plus de|más de)[\s*_$€£]*$", re.IGNORECASE)
MOST_BESIDE = 60
"""Numbers of a line that another one may come of."""
MOST_READINGS = 32
"""Ways to read the numbers of one equation that are tried."""

_NUMBER = r"\d+(?:[.,'’ ]\d+)*"
_UNIT = r"(?: ?(?:[€$£¥°]|[^\W\d_]{1,12}\.?)(?:/[^\W\d_]{1,8})?)?"
_SIGN = r" ?(?:[-+−–×x*·÷/]) ?"
_OPERAND = rf"[€$£¥]? ?{_NUMBER}{_UNIT}"
_EQUATION = re.compile(rf"(?P<left>{_OPERAND}(?:{_SIGN}{_OPERAND})+) ?[=≈] ?[€$£¥]? ?(?P<right>{_NUMBER})")
_PARTS = re.compile(rf"(?P<number>{_NUMBER}){_UNIT}(?P<sign>{_SIGN})?")
_SPELLED = str.maketrans({"−": "-", "–": "-", "×": "*", "x": "*", "·": "*", "÷": "/"})
_SECONDS = {"d": 86_400, "h": 3600, "min": 60, "s": 1}


@dataclass(frozen=True)
class Result:
    """A result of the calculator.

    Args:
        shown: As a person reads it: 1,234.5, 56 oz, 4 h 45 min, 18:15.
        values: The numbers any of which gives it: a duration has one for each unit.
        minutes: Those of a time of day since midnight, or of a duration.
        seconds: The seconds of a duration that does not end with a minute, rounded; 0 of any other.
    """

    shown: str
    values: frozenset[float]
    minutes: frozenset[int] = frozenset()
    seconds: int = 0

    def is_stated(self, draft: str, today: date) -> bool:
        """Whether a draft gives it in any usual form, or rounded to the digits that it shows."""
        if self.seconds and _spells_out(draft, self.seconds):
            return True
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


def _spells_out(draft: str, seconds: int) -> bool:
    """Whether a draft gives a duration as a clock does: 5:56 of 5 min 56 s, 2:04:30."""
    minutes, rest = divmod(seconds, 60)
    forms = f"{minutes}:{rest:02}", f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
    return any(re.search(rf"(?<![\d:]){form}(?!:?\d)", draft) for form in forms)


def is_about(draft: str, stated: Sequence[Quantity], known: Sequence[float]) -> bool:
    """Return whether a draft gives a known number as a whole one: about 1,162 of 1,161.11, over 14 of 14.57."""
    below = {floor(value) for value in known if abs(value) >= 1}
    whole = below | {ceil(value) for value in known if abs(value) >= 1}

    def fits(each: Quantity) -> bool:
        before = draft[: each.start]
        bounds = whole if _ABOUT.search(before) else below if _MORE.search(before) else set[int]()
        return any(value in bounds and not decimals for value, decimals in each.readings)

    return any(map(fits, stated))


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
        values = frozenset(seconds / each for each in _SECONDS.values())
        return Result(given, values, frozenset((int(seconds // 60),)), round(seconds) if seconds % 60 else 0)
    if times := find_written(given):
        return Result(given, frozenset(), frozenset().union(*(moment.minutes for moment in times)))
    number = re.match(r"-?\d[\d,]*(?:\.\d+)?", given)
    return Result(given, frozenset((float(number[0].replace(",", "")),) if number else ()))


def put_value(e: Evidence) -> str:
    """Return the draft, with the calculator's last result added where it stands nowhere in it."""
    result = last_result(e)
    if (
        result is None
        or is_composed(e.draft)
        or any(result.is_stated(text, e.today) for text in write_numbers(e.draft))
    ):
        return e.draft
    return f"{e.draft}\n\n(= {result.shown})"


# ---- what the check can work out itself from what a draft shows: equations, halves, differences


def find_true_results(draft: str) -> set[str]:
    """Return the results, as they are written, of the equations of a draft that are true: 12.75 h × €85 = €1,083.75."""
    found = _EQUATION.finditer(draft.replace("*", " * ").replace("  ", " ")) if re.search("[=≈]", draft) else ()
    return {match["right"] for match in found if _is_true(match["left"], match["right"])}


def _is_true(left: str, right: str) -> bool:
    given = Quantity(right, tuple(read_digits(right.replace(" ", ""))), "", 0, 0)
    return is_traced(given, list(islice(_calculate_all(left), MOST_READINGS)))


def _calculate_all(left: str) -> Iterator[float]:
    """Yield what the left side may make, for each reading of its numbers."""
    parts = [*_PARTS.finditer(left)]
    signs = [(part["sign"] or "").strip().translate(_SPELLED) for part in parts]
    readings = [[value for value, _ in read_digits(re.sub(r"[ '’]", "", part["number"]))] for part in parts]
    for values in product(*readings):
        try:
            result = calculate("".join(f"{value:f}{sign}" for value, sign in zip(values, signs, strict=True)))
        except ToolError:
            continue
        if not isinstance(result, str):
            yield float(result)


def is_derived(quantity: Quantity, others: Sequence[Quantity]) -> bool:
    """Whether a number is the half of a sum of money beside it, or that sum with a share: €340 in all, so €170 each."""
    others = others[:MOST_BESIDE]
    money = [value for other in others if other.unit not in ("", "%") for value in other.values]
    shares = [value / 100 for other in others if other.unit == "%" for value in other.values]
    sums = [value * factor for value in money for share in shares for factor in (share, 1 + share, 1 - share)]
    return quantity.unit == "%" or is_traced(quantity, [*sums, *(value / 2 for value in money)])


def is_difference(quantity: Quantity, results: Sequence[Quantity], others: Sequence[Quantity]) -> bool:
    """Whether a number is the difference of a result and another number: 4,046 of 3,400, so 646."""
    pairs = product([v for q in results for v in q.values], [v for q in (*results, *others) for v in q.values])
    return is_traced(quantity, [abs(one - other) for one, other in pairs])
