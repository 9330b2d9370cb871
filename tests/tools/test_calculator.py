"""The calculator: right values, clear refusals, and nothing else whatever the text."""

import contextlib
import operator
from fractions import Fraction
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.errors import ToolError
from tests.examples import examples
from tools.calculator import LARGEST, calculate, calculator


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("9!/(3!*3!*3!)", 1680),
        ("9! / (3! * 3! * 3!)", 1680),
        ("ceil(185 / 11 / 0.5) * 0.5", 17),
        ("FLOOR(-2.5) + ceil(2)", -1),
        ("-7//2", -4),
        ("17 % (5)", 2),
        ("5! % 7", 1),
        ("1/3", 0.333333333333),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("2^0.5*2^0.5", 2),
        ("8**(1/3)", 2),
        ("0**0", 1),
        ("0^0.5", 0),
        ("(2+1)!", 6),
        ("((1+1)+1)!", 6),
        ("3!*3!", 36),
        ("2^3!", 64),
        ("(3!)!", 720),
        ("-3!", -6),
        ("12!", 479001600),
        ("2 * -3", -6),
        ("--3", 3),
        ("+3", 3),
        ("−3 × 4 ÷ 2", -6),
        ("1,250.50 + 1", 1251.5),
        ("1,000,000", 1000000),
        ("$12.50 * 9 + €1", 113.5),
        ("15%", 0.15),
        ("15% of 240", 36),
        ("15 % OF 240", 36),
        ("(5 + 10)%", 0.15),
        ("(1 + 5%)^3", 1.157625),
        ("100% - 5%", 0.95),
        ("80 + 15%", 80.15),
        ("7%-3", -2.93),
        ("10%*50", 5),
        ("007", 7),
        (".5 + 5.", 5.5),
        ("1e3", 1000),
        ("(1+0.0425/12)^60", 1.23630189899),
        ("1" + "0" * 12, LARGEST),
        ("-" * 198 + "1", 1),
        ("(" * 49 + "1" + ")" * 49, 1),
    ],
)
def test_an_expression_has_its_value(expression: str, value: float) -> None:
    result = calculate(expression)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("1/0", "divides by zero"),
        ("1//0", "divides by zero"),
        ("1 % 0", "divides by zero"),
        ("0^-1", "divides by zero"),
        ("0^-0.5", "divides by zero"),
        ("(0-8)^(1/3)", "negative number"),
        ("2^65", "exponent"),
        ("2^-65", "exponent"),
        ("1.000000000001^64^64", "exponent|larger"),
        ("10^12+1", "larger"),
        ("1e13", "larger"),
        ("9" * 900, "larger"),
        ("1e-999", "close to zero"),
        ("13!", "factorial"),
        ("2.5!", "factorial"),
        ("(0-1)!", "factorial"),
        ("3!!", "double factorial"),
        ("!3", "Nothing stands before"),
        ("%", "Nothing stands before"),
        ("7 % -3", "two ways"),
        ("", "not a complete"),
        ("2+", "not a complete"),
        ("*2", "not a complete"),
        ("2 / / 2", "not a complete"),
        ("()", "not arithmetic"),
        ("2(3)", "operator is missing"),
        ("2 3", "operator is missing"),
        ("(2)(3)", "operator is missing"),
        ("1.2.3", "operator is missing"),
        ("(2", "never closed"),
        ("2)", "never opened"),
        ("1,25", "','"),
        ("1_000", "'_'"),
        ("0x10", "'x'"),
        ("nan", "'nan'"),
        ("inf", "'inf'"),
        ("factorial(3)", "'factorial'"),
        ("__import__('os')", "'_'"),
        ("2 if 1 else 3", "'if'"),
        ("3²", "'²'"),
        ("\0", "not arithmetic"),
        ("2 of 3", "'of'"),
        ("1" * 1001, "longer than 1000"),
        ("+".join("1" * 101), "more than 200"),
        ("-" * 999 + "1", "more than 200"),
        ("1% of " * 70 + "1", "more than 200"),
        ("(" * 400 + "1" + ")" * 400, "nested"),
        ("(" * 999, "nested"),
    ],
)
def test_an_expression_without_a_value_is_refused_in_a_sentence(expression: str, says: str) -> None:
    with pytest.raises(ToolError, match=says) as refusal:
        calculate(expression)
    assert refusal.value.message.endswith(".")
    assert refusal.value.hint.endswith(".")


def test_the_number_of_digits_stays_bounded() -> None:
    assert calculate("(((1.000000000001^64)^64)^64)^64") == 1.00001677736
    assert calculate("(((1.000000000001 m)^64)^64)^64") == "1.00000026214 m^262144"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("14:20 + 3 h 55 min", "18:15"),
        ("22:40 + 3 h", "01:40, 1 day later"),
        ("0:30 - 1 h", "23:30, 1 day earlier"),
        ("2 h 30 min + 14:00", "16:30"),
        ("9:15 pm + 45 min", "22:00"),
        ("12:05 am + 5 min", "00:10"),
        ("10:00:30 + 45 s", "10:01:15"),
        ("15:30 - 14:00", "1 h 30 min"),
        ("24:00", "00:00, 1 day later"),
        ("24:00 + 1 h", "01:00, 1 day later"),
        ("24:00 - 14:00", "10 h"),
        ("24:00 - 00:00", "24 h"),
        ("00:00 - 22:00", "2 h"),
        ("14:20 - 24:00", "14 h 20 min"),
        ("2026-12-24 - 2026-11-24", "30 d"),
        ("2026-12-24-2026-11-24", "30 d"),
        ("2026-11-24 − 2026-12-24", "-30 d"),
        ("2026-12-24 - 2026-12-24 + 1 d", "1 d"),
        ("2028-03-01 - 2028-02-28", "2 d"),
        ("(2026-12-24 - 2026-11-26) in weeks", "4 week"),
        ("(2026-12-24 - 2026-11-24) / 1 d", 30),
        ("2026-12-24 + 30 d", "2027-01-23"),
        ("2 weeks + 2026-12-24", "2027-01-07"),
        ("2026-12-24 - 24 h", "2026-12-23"),
        ("1200-10-15", 1175),
        ("2026 - 12 - 24", 1990),
        ("06:10 - 22:40", "7 h 30 min"),
        ("450 min in h", "7.5 h"),
        ("7.5 h * 3", "22 h 30 min"),
        ("3 h 20 min / 4", "50 min"),
        ("40 h - 37 h 45 min", "2 h 15 min"),
        ("1 h - 90 min", "-30 min"),
        ("15% of 3 h", "27 min"),
        ("1 h - 60 min", "0 min"),
        ("(1/3) * 1 min", "20 s"),
        ("2 weeks + 3 days", "17 d"),
        ("3.5 lb in oz", "56 oz"),
        ("5 ft 3 in in cm", "160.02 cm"),
        ("20 in to cm", "50.8 cm"),
        ("72 F in C", "22.2222222222 °C"),
        ("-40 F in C", "-40 °C"),
        ("180 °C as F", "356 °F"),
        ("5 km / 25 min in km/h", "12 km/h"),
        ("60 km/h * 2 h", "120 km"),
        ("1,500 g in KG", "1.5 kg"),
        ("3 m * 4 m", "12 m^2"),
        ("2.5 ha in m²", "25,000 m^2"),
        ("42.5 m^2 in ft^2", "457.46619271 ft^2"),
        ("42.5 m2 in sqft", "457.46619271 ft^2"),
        ("810 / (42.5 m^2) * 1 m2", 19.0588235294),
        ("8 GB / 20 MB", 400),
        ("3 km / 500 m", 6),
        ("10 kg // 3 kg", 3),
        ("sqrt(2025)", 45),
        ("2 * sqrt(2)^2", 4),
    ],
)
def test_units_and_times_of_day_are_calculated(expression: str, result: int | str) -> None:
    assert calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("2 h + 5", "2 h and 5 cannot"),
        ("3 kg + 2 h", "3 kg and 2 h cannot"),
        ("20 C + 5 C", "Temperatures are converted"),
        ("90 m in h", "90 m cannot be given in h"),
        ("90 in h", "has no unit"),
        ("14:00 in h", "has no unit"),
        ("14:20 * 2", "14:20 and 2 cannot"),
        ("14:20 + 15:00", "14:20 and 15:00 cannot"),
        ("3 h - 14:00", "cannot"),
        ("14:20 + 3", "cannot"),
        ("-14:00", "no sign"),
        ("25:00 + 1 h", "not a time of day"),
        ("13:00 pm + 1 h", "not a time of day"),
        ("24:30 + 1 h", "not a time of day"),
        ("24:00:01", "not a time of day"),
        ("12:00 pm - 24:00 am", "not a time of day"),
        ("2026-02-30 - 2026-01-01", "no day 2026-02-30"),
        ("2026-12-24 - 30", "A date takes whole days"),
        ("2026-12-24 + 12 h", "A date takes whole days"),
        ("2026-12-24 + 1 month", "resolve_date"),
        ("2026-12-24 + 10000000 d", "cannot"),
        ("2026-12-24 + 2026-12-24", "cannot"),
        ("30 d - 2026-12-24", "cannot"),
        ("2026-12-24 + 14:00", "cannot"),
        ("15% of 2026-12-24", "cannot"),
        ("-2026-12-24", "no sign"),
        ("2026-12-24 in d", "no unit"),
        ("2026-12-24!", "factorial"),
        ("sqrt(2026-12-24)", "cannot"),
        ("3 h 20", "operator is missing"),
        ("1/3 h", "a number per h"),
        ("3 EUR in USD", "'EUR'"),
        ("2 x 3", "'x'"),
        ("(3 h)!", "factorial"),
        ("2 h ^ 0.5", "cannot"),
        ("(2 m)^65", "exponent"),
        ("5 h / (2 h - 120 min)", "divides by zero"),
        ("1e12 km * 2", "larger"),
        ("sqrt(-4)", "negative number"),
        ("sqrt 4", "'sqrt'"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_sentence(expression: str, says: str) -> None:
    with pytest.raises(ToolError) as refusal:
        calculate(expression)
    assert says in f"{refusal.value.message} {refusal.value.hint}"
    assert refusal.value.hint.endswith(".")


def test_the_tool_answers_with_the_result() -> None:
    assert calculator.invoke({"expression": "7//2"}) == {"result": 3}


Tree: TypeAlias = str | tuple[str, Any, Any]

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_leaves = st.decimals(0, 10_000, places=2).map(str) | st.integers(0, 20).map(str)
_trees: st.SearchStrategy[Tree] = st.recursive(
    _leaves, lambda below: st.tuples(st.sampled_from(sorted(OPERATIONS)), below, below), max_leaves=12
)


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({_text(tree[1])} {tree[0]} {_text(tree[2])})"


def _oracle(tree: Tree) -> Fraction:
    """The value by Python's own fractions.

    Raises:
        ArithmeticError: It divides by zero, or passes the largest number on the way.
    """
    if isinstance(tree, str):
        return Fraction(tree)
    value = Fraction(OPERATIONS[tree[0]](_oracle(tree[1]), _oracle(tree[2])))
    if abs(value) > LARGEST:
        raise OverflowError
    return value


def _expect(expression: str, value: Fraction) -> None:
    result = calculate(expression)
    assert result == pytest.approx(float(value), rel=1e-11)
    if value.denominator == 1:
        assert result == value
        assert isinstance(result, int)


@given(_trees)
def test_a_tree_has_the_value_that_fractions_give_it(tree: Tree) -> None:
    try:
        value = _oracle(tree)
    except ArithmeticError:
        with pytest.raises(ToolError):
            calculate(_text(tree))
    else:
        _expect(_text(tree), value)


@given(st.lists(st.tuples(st.integers(1, 30), st.sampled_from(["+", "-", "*", "/", "//", "%"])), max_size=6))
def test_operators_bind_as_in_python(pairs: list[tuple[int, str]]) -> None:
    text = "".join(f"{number} {sign} " for number, sign in pairs) + "7"
    python = "".join(f"F({number}) {sign} " for number, sign in pairs) + "F(7)"
    try:
        value = Fraction(eval(python, {"F": Fraction}))
    except ZeroDivisionError:
        with pytest.raises(ToolError):
            calculate(text)
    else:
        _expect(text, value)


_mumbling = st.text(alphabet="0123456789+-*/%^!().,$€×÷−of e\n_'\"[]", max_size=80)
_PIECES = [
    "2",
    "0",
    ".5",
    "(",
    ")",
    "!",
    "%",
    "^",
    "-",
    "/",
    "14:20",
    "3 h ",
    "2 kg",
    " in ",
    "min",
    "°C",
    "m2",
    "km/h",
    "sqrt(",
]


@settings(max_examples=examples(500))
@given(_mumbling | st.text() | st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_gives_a_number_or_a_tool_error(text: str) -> None:
    with contextlib.suppress(ToolError):
        assert isinstance(calculate(text), int | float | str)
