"""Exact arithmetic, with units, times of day and dates. No expression is run as code: only the operations listed here
exist.

An expression is cut into tokens, rewritten to Python's grammar, parsed by `ast` and calculated in fractions.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import Any

from langchain_core.tools import tool

from ana.errors import ToolError
from tools.quantities import (
    DATE,
    FORM,
    NUMBER,
    TIME_OF_DAY,
    UNIT,
    TimeOfDay,
    combine,
    convert,
    is_quantity,
    read_date,
    read_quantity,
    read_time_of_day,
    show,
    show_in_unit,
    to_number,
)

# The limits keep a hostile or careless expression from taking time, memory or the stack.
MOST_CHARACTERS = 1000
MOST_NODES = 200
MOST_DEPTH = 50
MOST_EXPONENT = 64
MOST_FACTORIAL = 12
LARGEST = 10**12
SMALLEST = Fraction(1, 10**300)
MOST_BITS = 4096

_TOKEN = re.compile(
    rf"""
      (?P<date>     {DATE} )
    | (?P<time>     {TIME_OF_DAY} )
    | (?P<quantity> {NUMBER} \s* (?!of\b){UNIT} (?: \s+ {NUMBER} \s* (?!of\b){UNIT} )* )
    | (?P<number>   [$€]? {NUMBER} )
    | (?P<function> (?: sqrt | ceil | floor ) (?= \s* \( ) )
    | (?P<unclear>  \s+ % \s+ [-−] (?=[0-9.($€]) )
    | (?P<of>       % \s* of \b )
    | (?P<percent>  % )
    | (?P<factorial> ! )
    | (?P<operator> \*\* | // | [-+*/^×÷−] )
    | (?P<open>     \( )
    | (?P<close>    \) )
    | (?P<space>    \s+ )
    | (?P<unknown>  [^\W\d_]+ | . )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CONVERSION = re.compile(rf"(?P<value>.+?)\s(?:in|to|into|as)\s+(?P<unit>{UNIT})\s*", re.DOTALL)
_OPERANDS = ("date", "time", "quantity", "number")
_ROUNDING: dict[str, Callable[[Fraction], int]] = {"ceil": math.ceil, "floor": math.floor}
_POSTFIX = ("percent", "factorial")
_NODES = {"open": 0, "close": 0, "of": 2}  # in the tree; any other token is one
_SPELLED = {"^": "**", "×": "*", "÷": "/", "−": "-"}
_BINARY: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction | int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: lambda base, exponent: _power(base, exponent),
}


@tool(parse_docstring=True)
def calculator(expression: str) -> dict[str, int | float | str]:
    """Calculate exactly.

    Args:
        expression: Numbers with + - * / // % ** ! ( ) sqrt() ceil() floor(), such as 9!/(3!*3!) or 15% of 240;
            units: 3.5 lb in oz, 72 F in C, 450 min in h; times: 14:20 + 3 h 55 min; dates: 2026-12-24 - 2026-11-24
            (30 d). % means hundredths unless a number or parenthesis follows (then modulo): for 15% more write
            80 * 1.15.
    """
    return {"result": calculate(expression)}


def calculate(expression: str) -> int | float | str:
    """Calculate an arithmetic expression.

    `%` is a hundredth when the end, `)`, `of` or another operator follows it (15% of 240, 15% * 240), and modulo when a
    number or `(` follows (17 % 5). `//` and modulo round down, as in Python; `^` is power; `,` separates thousands.

    A whole number is returned as int, any other as float rounded to 12 significant digits; a quantity with a unit, a
    time of day or a date is returned as text.

    Raises:
        ToolError: The expression is not arithmetic, has no value, or exceeds a limit; the message says which.
    """
    if len(expression) > MOST_CHARACTERS:
        raise ToolError(f"The expression is longer than {MOST_CHARACTERS} characters.", "Calculate it in parts.")
    conversion = _CONVERSION.fullmatch(expression)
    value = _evaluate(_parse(conversion["value"] if conversion else expression))
    return show_in_unit(convert(value, conversion["unit"])) if conversion else _show(value)


def list_steps(expression: str) -> list[int | float | str]:
    """Return the values of the parts of an expression, as `calculate` shows them; nothing if the expression has no
    value.
    """
    expression = expression[:MOST_CHARACTERS]
    conversion = _CONVERSION.fullmatch(expression)
    try:
        tree = _parse(conversion["value"] if conversion else expression)
        return [_show(_evaluate(node)) for node in ast.walk(tree) if isinstance(node, ast.BinOp)]
    except ToolError:
        return []


def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(_rewrite(expression), mode="eval").body
    except SyntaxError as exc:
        raise ToolError(
            f"{expression.strip()!r} is not a complete arithmetic expression.",
            "Write numbers with operators between them, such as (12.50 + 3) * 9.",
        ) from exc


def _show(value: Any) -> int | float | str:
    return to_number(value) if isinstance(value, Fraction) else show(value)


def _rewrite(expression: str) -> str:
    """Return the expression in Python's grammar: numbers as strings, because Python's own would lose digits, and signs
    and units after an operand as attributes, which bind as tightly.
    """
    pieces, depth, before = [], 0, ""
    for kind, text in _tokenize(expression):
        is_postfix, follows_operand = kind in _POSTFIX, before in (*_OPERANDS, "close", *_POSTFIX)
        if kind in (*_OPERANDS, "function", "open") and follows_operand:
            raise ToolError(f"An operator is missing before {text!r}.", "Write * where you mean times.")
        if is_postfix and not follows_operand:
            raise ToolError(f"Nothing stands before the {kind} sign.", "Put a number or a parenthesis before it.")
        if kind == before == "factorial":
            raise ToolError("A double factorial is not understood.", "Write (3!)! for the factorial of a factorial.")
        depth += {"open": 1, "close": -1}.get(kind, 0)
        if depth < 0:
            raise ToolError("A parenthesis is closed that was never opened.", "Balance the parentheses.")
        if depth >= MOST_DEPTH:
            raise ToolError(f"Parentheses are nested deeper than {MOST_DEPTH}.", "Calculate it in parts.")
        pieces.append(f".{kind}" if is_postfix else repr(text) if kind in _OPERANDS else text)
        before = kind
    if depth:
        raise ToolError("A parenthesis is opened and never closed.", "Balance the parentheses.")
    return " ".join(pieces)


def _tokenize(expression: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each token; the token after a `%` decides whether the sign means percent or modulo."""
    tokens = [(str(m.lastgroup), m[0]) for m in _TOKEN.finditer(expression) if m.lastgroup != "space"]
    if sum(_NODES.get(kind, 1) for kind, _ in tokens) > MOST_NODES:
        raise ToolError(f"The expression has more than {MOST_NODES} parts.", "Calculate it in parts.")
    for (kind, text), (after, _) in pairwise([*tokens, ("end", "")]):
        if kind == "unknown":
            raise ToolError(f"{text!r} is not arithmetic.", FORM)
        if kind == "quantity":
            read_quantity(text)  # a word that is no unit is told before what follows it
        if kind == "unclear":
            raise ToolError(
                "% before a sign can be read in two ways.", "Write 7 % (-3) for modulo, 7% - 3 for percent."
            )
        if kind == "of":
            yield from (("percent", "%"), ("operator", "*"))
        elif kind == "percent" and after in (*_OPERANDS, "function", "open"):
            yield "operator", "%"
        else:
            yield kind, _SPELLED.get(text, text)


def _evaluate(node: ast.expr) -> Any:
    """Return the value of a tree, a fraction, a quantity or a time of day; nodes that are not named are refused."""
    match node:
        case ast.Constant(value=str(text)):
            return _read_operand(text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _negate(_evaluate(operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _evaluate(operand)
        case ast.BinOp(first, op, second) if type(op) in _BINARY:
            return _apply(_BINARY[type(op)], _evaluate(first), _evaluate(second))
        case ast.Attribute(value=operand, attr="percent"):
            return _apply(operator.truediv, _evaluate(operand), Fraction(100))
        case ast.Attribute(value=operand, attr="factorial"):
            return _take_factorial(_evaluate(operand))
        case ast.Call(func=ast.Name(id=name), args=[operand]) if name.lower() == "sqrt":
            return _apply(_BINARY[ast.Pow], _evaluate(operand), Fraction(1, 2))
        case ast.Call(func=ast.Name(id=name), args=[operand]) if name.lower() in _ROUNDING:
            return _round(_ROUNDING[name.lower()], _evaluate(operand))
    raise ToolError("The expression holds something that is not arithmetic.", "Put a number into each parenthesis.")


def _round(to_whole: Callable[[Fraction], int], value: Any) -> Fraction:
    if not isinstance(value, Fraction):
        raise ToolError(f"{value} is no plain number.", "Round the number without its unit: ceil(16.82 / 0.5) * 0.5.")
    return Fraction(to_whole(value))


def _negate(value: Any) -> Any:
    if isinstance(value, TimeOfDay | date):
        raise ToolError(f"{value} has no sign.", "Write what is taken from what.")
    return -value


def _read_operand(text: str) -> Any:
    if ":" in text:
        return read_time_of_day(text)
    if re.fullmatch(DATE, text):
        return read_date(text)
    bare = text.lstrip("$€")
    return _limit(Fraction(bare.replace(",", ""))) if re.fullmatch(NUMBER, bare) else read_quantity(text)


def _apply(operation: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    try:
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return _limit(Fraction(operation(first, second)))
        value = combine(operation, first, second)
    except ZeroDivisionError as exc:
        raise ToolError("It divides by zero, which has no value.", "Check the divisor.") from exc
    if is_quantity(value):
        return type(value)(_limit(Fraction(value.magnitude)), value.units)
    return value if isinstance(value, TimeOfDay | date) else _limit(Fraction(value))


def _take_factorial(number: Any) -> Fraction:
    if isinstance(number, Fraction) and number.denominator == 1 and 0 <= number <= MOST_FACTORIAL:
        return Fraction(math.factorial(number.numerator))
    says = f"A factorial is taken of whole numbers from 0 to {MOST_FACTORIAL} only."
    raise ToolError(says, "Cancel larger ones by hand.")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """Return a power: exact if it is rational, such as 8 ** (1/3), otherwise to 50 digits."""
    if abs(exponent) > MOST_EXPONENT:
        raise ToolError(f"An exponent is beyond {MOST_EXPONENT}.", "Calculate with smaller exponents.")
    if exponent.denominator == 1:
        return base**exponent.numerator
    # Python would answer with a complex number.
    if base < 0:
        raise ToolError("A negative number has no real fractional power.", "Check the sign of the base.")
    if not base:
        return base if exponent > 0 else 1 / base
    with localcontext(prec=50):
        ratio = [Decimal(f.numerator) / Decimal(f.denominator) for f in (base, exponent)]
        near = Fraction(ratio[0] ** ratio[1])
    # Of rational roots only those with small terms can be meant; the test decides whether it is one.
    simple = near.limit_denominator(10**6)
    exact = exponent.denominator <= MOST_EXPONENT and simple**exponent.denominator == base**exponent.numerator
    return simple if exact else near


def _limit(value: Fraction) -> Fraction:
    """Return a value without the digits that nobody needs. Raises ToolError if it exceeds a limit."""
    if abs(value) > LARGEST:
        raise ToolError(f"A number is larger than {LARGEST:,}.", "Use smaller numbers or another unit.")
    if value and abs(value) < SMALLEST:
        raise ToolError("A number is too close to zero.", "Use larger numbers or another unit.")
    # Without the cut every step could double the digits, and with them the time of the next.
    surplus = value.denominator.bit_length() - MOST_BITS
    return Fraction(value.numerator >> surplus, value.denominator >> surplus) if surplus > 0 else value
