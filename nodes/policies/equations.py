"""Numbers that the check can work out itself from what a draft shows: equations, halves, differences."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product

from ana.errors import ToolError
from nodes.policies.quantities import Quantity, is_traced, read_digits
from tools.calculator import calculate

MOST_READINGS = 32
"""Ways to read the numbers of one equation that are tried."""

_NUMBER = r"\d+(?:[.,'’ ]\d+)*"
_UNIT = r"(?: ?(?:[€$£¥°]|[^\W\d_]{1,12}\.?)(?:/[^\W\d_]{1,8})?)?"
_SIGN = r" ?(?:[-+−–×x*·÷/]) ?"
_OPERAND = rf"[€$£¥]? ?{_NUMBER}{_UNIT}"
_EQUATION = re.compile(rf"(?P<left>{_OPERAND}(?:{_SIGN}{_OPERAND})+) ?[=≈] ?[€$£¥]? ?(?P<right>{_NUMBER})")
_PARTS = re.compile(rf"(?P<number>{_NUMBER}){_UNIT}(?P<sign>{_SIGN})?")
_SPELLED = str.maketrans({"−": "-", "–": "-", "×": "*", "x": "*", "·": "*", "÷": "/"})


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
    money = [value for other in others if other.unit not in ("", "%") for value in other.values]
    shares = [value / 100 for other in others if other.unit == "%" for value in other.values]
    sums = [value * factor for value in money for share in shares for factor in (share, 1 + share, 1 - share)]
    return quantity.unit == "%" or is_traced(quantity, [*sums, *(value / 2 for value in money)])


def is_difference(quantity: Quantity, results: Sequence[Quantity], others: Sequence[Quantity]) -> bool:
    """Whether a number is the difference of a result and another number: 4,046 of 3,400, so 646."""
    pairs = product([v for q in results for v in q.values], [v for q in (*results, *others) for v in q.values])
    return is_traced(quantity, [abs(one - other) for one, other in pairs])
