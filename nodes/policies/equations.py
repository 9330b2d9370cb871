"""Equations that a draft writes: 17 × 23 = 391, 12.75 h × €85 = €1,083.75."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from ana.errors import ToolError
from nodes.evidence import Evidence
from nodes.policies.quantities import DIGITS, Quantity, is_traced, read_digits
from tools.calculator import calculate

MOST_EQUATIONS, MOST_READINGS = 20, 32
"""So many equations are read, and so many ways to read the numbers of each."""
WIDTH = 80
"""Characters before an equals sign that are looked at."""

_SIGN = r" ?[-+−–×x*·÷/] ?"
_OPERAND = (
    rf"(?P<currency>[€$£¥]?) ?(?P<number>{DIGITS}) ?(?P<unit>(?:[€$£¥%]|[^\W\d_x]{{1,12}})?(?:/[^\W\d_]{{1,8}})?)"
)
_PLAIN = re.sub("[?]P<[a-z]+>", "?:", _OPERAND)
_TERMS = re.compile(rf"(?<![\w.,:^√(+−–×*÷/=-])(?<![+−–×*÷/=-] )(?:{_PLAIN}{_SIGN}){{1,20}}{_PLAIN} ?$")
_PART = re.compile(rf"{_OPERAND}(?P<sign>{_SIGN})?")
_RIGHT = re.compile(rf" ?{_OPERAND}(?!{_SIGN}\d|[/:]\d)")
_SPELLED = str.maketrans("−–×x·÷", "--***/")


class Equation(NamedTuple):
    """An equation: its text, its result, whether it has no units, and whether it is true (None: units decide)."""

    text: str
    result: Quantity
    is_bare: bool
    is_true: bool | None


def equations_are_true(e: Evidence) -> Iterator[str]:
    """Require that an equation which a draft writes is true."""
    yield from (f'It says "{each.text}", which is wrong.' for each in find_equations(e) if each.is_true is False)


def find_equations(e: Evidence) -> Iterator[Equation]:
    """Yield the equations of a draft that have an operator on the left."""
    for sign in islice(re.finditer("=", e.statements), MOST_EQUATIONS):
        begin = max(0, sign.start() - WIDTH, e.statements.rfind("\n", 0, sign.start()) + 1)
        terms, right = _TERMS.search(e.statements[begin : sign.start()]), _RIGHT.match(e.statements, sign.end())
        if terms and right:
            yield _read(terms[0], right)


def _read(terms: str, right: re.Match[str]) -> Equation:
    parts = [*_PART.finditer(terms)]
    units, unit = {part["currency"] or part["unit"] for part in parts}, right["currency"] or right["unit"]
    result = Quantity(right["number"], tuple(read_digits(right["number"])), unit)
    signs = [(part["sign"] or "").strip().translate(_SPELLED) for part in parts]
    is_true = is_traced(result, [*islice(_calculate(parts, signs), MOST_READINGS)])
    # what is added has one unit, and what is multiplied gives that of a part: not 3 × 20 min = 1 h, nor 200 + 19 %
    is_added = not {"+", "-"}.isdisjoint(signs)
    fits = units == {unit} or (units == {""} and result.is_plain) or (unit in units and not is_added)
    is_clear = is_true or (fits and "%" not in units)
    return Equation(f"{terms}={right[0]}", result, units == {unit} == {""}, is_true if is_clear else None)


def _calculate(parts: Sequence[re.Match[str]], signs: Sequence[str]) -> Iterator[float]:
    """Yield the value of the left side, for each reading of its numbers."""
    for values in product(*({value for value, _ in read_digits(part["number"])} for part in parts)):
        try:
            result = calculate("".join(f"{value:f}{sign}" for value, sign in zip(values, signs, strict=True)))
        except ToolError:
            continue
        if not isinstance(result, str):
            yield float(result)
