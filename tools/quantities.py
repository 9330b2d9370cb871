"""Numbers with units, times of day and dates, for the calculator; pint knows the units and converts in fractions."""

import operator
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from ana.errors import ToolError

if TYPE_CHECKING:
    from pint import Quantity, UnitRegistry

NUMBER = r"(?>(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]*)?|[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?)"
"""Atomic, so that the e of 1e3 is never read as a unit."""
_WORD = r"(?:°[CF]|[^\W\d_²³]{1,24})"
_POWER = r"(?:\^?[23]|[²³])?"
UNIT = rf"{_WORD}{_POWER}(?:/{_WORD}{_POWER})?(?![\w²³°])"
"""A unit, or one over another: km/h, m², m^2, sqft, °C."""
DATE = r"(?<![\w.,])(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![\w.,])"
TIME_OF_DAY = r"[0-9]{1,2}:[0-5][0-9](?::[0-5][0-9])?(?:\s?[ap]m\b)?"

_PART = re.compile(rf"(?<![0-9.,])(?P<number>{NUMBER})\s*(?P<unit>{UNIT})")
_TIME = re.compile(r"(\d+):(\d+)(?::(\d+))?(?:\s?([ap])m)?", re.IGNORECASE)
FORM = "Use digits, + - * / // % ^ ! sqrt() and ( ), and units in English, such as min, h, kg, oz, km/h, C."
_UNITS = "Convert to one unit first; m is metres and min minutes. Temperatures are converted, not added."
_DATED = "A date takes whole days, such as 2026-12-24 + 30 d, or another date; resolve_date knows months."
_SPELLED = {"C": "degC", "°C": "degC", "F": "degF", "°F": "degF"}
_POWERS = {"²": 2, "2": 2, "³": 3, "3": 3}
_DAY = 86_400
_LONG = ("day", "week", "month", "year")
_building = threading.Lock()


@dataclass(frozen=True)
class TimeOfDay:
    """A time of day.

    Args:
        seconds: Since midnight; beyond a day on another day.
    """

    seconds: Fraction

    def __str__(self) -> str:
        days, seconds = divmod(self.seconds, _DAY)
        hours, minutes, rest = int(seconds // 3600), int(seconds // 60 % 60), int(seconds % 60)
        text = f"{hours:02}:{minutes:02}" + (f":{rest:02}" if rest else "")
        if not days:
            return text
        return f"{text}, {abs(days)} {'day' if abs(days) == 1 else 'days'} {'later' if days > 0 else 'earlier'}"


def read_time_of_day(text: str) -> TimeOfDay:
    """Read 14:20, 14:20:30, 2:20 pm or 24:00, the end of a day. Raises ToolError for a time that does not exist."""
    match = _TIME.fullmatch(text.strip())
    assert match is not None
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[:3])
    if half := match[4]:
        hours = hours % 12 + (12 if half.lower() == "p" else 0) if 0 < hours <= 12 else 25
    total = hours * 3600 + minutes * 60 + seconds
    if total > _DAY:
        raise ToolError(f"{text.strip()} is not a time of day.", "Write a duration with its units: 25 h 30 min.")
    return TimeOfDay(Fraction(total))


def read_date(text: str) -> date:
    """Read 2026-12-24. Raises ToolError for a day that does not exist."""
    try:
        return date.fromisoformat(text)
    except ValueError as exc:
        raise ToolError(f"There is no day {text}.", "Write dates as YYYY-MM-DD.") from exc


def read_quantity(text: str) -> "Quantity[Any]":
    """Read one number with its unit, or several that add up: 3 h 55 min. Raises ToolError for an unknown unit."""
    total, *others = [
        _registry().Quantity(Fraction(part["number"].replace(",", "")), _read_unit(part["unit"]))
        for part in _PART.finditer(text)
    ]
    for other in others:
        total = combine(operator.add, total, other)
    return total


def is_quantity(value: object) -> bool:
    """Return whether a value has a unit."""
    return hasattr(value, "magnitude")


def combine(operation: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """Apply an operation to values of which at least one has a unit, or is a time of day or a date.

    Raises:
        ToolError: The two do not go together.
    """
    import pint

    try:
        if isinstance(first, TimeOfDay) or isinstance(second, TimeOfDay):
            return _move(operation, first, second)
        if isinstance(first, date) or isinstance(second, date):
            return _move_date(operation, first, second)
        value = operation(first, second)
        return value.to_base_units().magnitude if value.dimensionless else value
    except (pint.PintError, TypeError, ValueError, AttributeError, OverflowError) as exc:
        is_dated = isinstance(first, date) or isinstance(second, date)
        raise ToolError(
            f"{show(first)} and {show(second)} cannot be calculated with each other so.", _DATED if is_dated else _UNITS
        ) from exc


def convert(value: Any, unit: str) -> Any:
    """Return a value in another unit. Raises ToolError if it cannot be converted, or the unit is not known."""
    import pint

    target = _read_unit(unit)
    if not is_quantity(value):
        raise ToolError(f"{show(value)} has no unit to convert from.", "Write it with its unit, such as 3.5 lb in oz.")
    try:
        return value.to(target)
    except pint.PintError as exc:
        raise ToolError(
            f"{show(value)} cannot be given in {unit}.", "Check the units; m is metres and min minutes."
        ) from exc


def show(value: Any) -> str:
    """Return a value as text: a duration in hours and minutes, a number with its unit, a time of day or a date."""
    if not is_quantity(value):
        return str(value) if isinstance(value, TimeOfDay | date) else f"{to_number(value):,}"
    if value.check("[time]") and str(value.units) in _LONG:
        return f"{to_number(value.to('day').magnitude):,} d"
    if value.check("[time]"):
        return _show_duration(value.to("second").magnitude)
    return show_in_unit(value)


def show_in_unit(value: Any) -> str:
    """Return a number and its unit as text, without converting them."""
    units = [(_registry().get_symbol(name), to_number(Fraction(power))) for name, power in value.unit_items()]
    over = " ".join(_show_power(unit, power) for unit, power in units if power > 0)
    under = "".join(f"/{_show_power(unit, -power)}" for unit, power in units if power < 0)
    if not over:
        raise ToolError(f"The result is a number per {under[1:]}.", "Write (1/3) * 1 h for a third of an hour.")
    return f"{to_number(Fraction(value.magnitude)):,} {over}{under}"


def to_number(value: Fraction) -> int | float:
    """Return a whole number as int, any other rounded to 12 significant digits."""
    if value.denominator == 1:
        return value.numerator
    rounded = float(f"{float(value):.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def _show_power(unit: str, power: float) -> str:
    return unit if power == 1 else f"{unit}^{power}"


def _show_duration(seconds: Fraction) -> str:
    sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
    hours, minutes, rest = int(seconds // 3600), int(seconds // 60 % 60), to_number(seconds % 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return sign + (" ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min")


def _move(operation: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """Return a time of day moved by a duration, or the duration between two, over midnight if the second is later."""
    to_seconds = [v.seconds if isinstance(v, TimeOfDay) else v.to("second").magnitude for v in (first, second)]
    if isinstance(first, TimeOfDay) and isinstance(second, TimeOfDay):
        if operation is not operator.sub:
            raise TypeError("two times of day are only subtracted")
        passed = operation(*to_seconds)
        return _registry().Quantity(passed if 0 <= passed <= _DAY else passed % _DAY, "second")
    if operation is not operator.add and not (operation is operator.sub and isinstance(first, TimeOfDay)):
        raise TypeError("a time of day is only moved")
    return TimeOfDay(Fraction(operation(*to_seconds)))


def _move_date(operation: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """Return a date moved by whole days, or the days between two."""
    if isinstance(first, date) and isinstance(second, date) and operation is operator.sub:
        return _registry().Quantity(Fraction((first - second).days), "day")
    if operation is operator.sub and isinstance(second, date):
        raise TypeError("a date is taken from a date alone")
    days = [Fraction(value.to("day").magnitude) for value in (first, second) if is_quantity(value)]
    if operation not in (operator.add, operator.sub) or not days or days[0].denominator > 1:
        raise TypeError("a date is only moved, by whole days")
    return operation(first if isinstance(first, date) else second, timedelta(days=int(days[0])))


def _read_unit(text: str) -> Any:
    over, *under = [_read_power(part) for part in text.split("/")]
    return over / under[0] if under else over


def _read_power(text: str) -> Any:
    """Return the unit that a word names, or its square or cube: kg, m2, m^2, sqft."""
    import pint

    word, power = (text[:-1].removesuffix("^"), _POWERS[text[-1]]) if text[-1] in _POWERS else (text, 1)
    if word.startswith("sq") and len(word) > 2:
        word, power = word[2:], 2
    word = _SPELLED.get(word, word)
    for name in (word, word.lower()):
        try:
            return _registry().parse_units(name) ** power
        except (pint.PintError, ValueError, TypeError, AttributeError):
            continue
    raise ToolError(f"{word!r} is not arithmetic, and not a unit that is known.", FORM)


def _registry() -> "UnitRegistry[Any]":
    with _building:  # quantities of two registries do not go together
        return _build_registry()


@cache
def _build_registry() -> "UnitRegistry[Any]":
    from pint import UnitRegistry  # a third of a second, for the few calculations that have units

    return UnitRegistry(non_int_type=Fraction)
