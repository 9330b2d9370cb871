"""The filter language: which items a `where` selects.

    {"status": "active", "due": {"$gte": "2026-01-12", "$lt": "2026-01-19"}}       several conditions mean and
    {"$or": [{"tags": {"$contains": "home"}}, {"priority": {"$in": [1, 2]}}]}      $and and $or nest

`parse` checks it and returns a tree of And, Or and Compare with normalised operands; `matches` evaluates it.
A key is a property, or the item's own id, created_at or updated_at; a property of that name wins, even when it is null.

Equality ($eq, or the value alone; $in is any of several, $ne and $nin are their opposites):
- a missing key and null are the same and equal only null, so $ne and $nin match items that lack the key, unless they
  exclude null; no other operator matches those, except equality with null
- true and false equal only themselves; 1 equals 1.0; text is exact, upper and lower case differ; lists and objects are
  equal if their contents are, with dates inside compared as plain text
- $contains is for lists: some element equals the operand; text, even with the operand inside it, does not match
Order ($gt $gte $lt $lte): number bounds against numbers, date bounds against dates; other values never match.

Dates are compared as spans (see ana.time.spans): a value [vs, ve) is, for a bound [bs, be),
    wholly before   if ve <= bs and vs < be     $lt is this, $gte is every other date
    wholly after    if vs >= be and ve > bs     $gt is this, $lte is every other date
    within          if it is neither, bs <= vs and ve <= be     $eq is this, $ne is everything else
so a bare date as a bound is the whole day: $lte and $gte include it, $lt and $gt exclude it, and it equals the day
and every moment of it. A bare date as a value against a moment of that day is neither before nor after nor equal: $gte
and $lte match. (`vs < be` and `ve > bs` matter only for a day the zone skipped, whose span is empty.)
A weekday after a bound, "2026-01-13 (Tuesday)", is checked and dropped; a stored value with one is plain text.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, TypeAlias, TypeGuard, cast

from ana.errors import ToolError
from ana.memory.item import Item
from ana.time.dates import without_weekday
from ana.time.spans import date_span
from ana.values import Json

OWN_KEYS = ("id", "created_at", "updated_at")
DEEPEST = 20
DEEPEST_VALUE = 60
"""How deep $and and $or may be nested, and how deep anything else in a filter."""

_EXAMPLE = 'Write it as {"status": "active"} or {"due": {"$gte": "2026-01-13"}}.'
_KNOWN = "$eq $ne $gt $gte $lt $lte $in $nin $contains, and around whole conditions $and $or"


@dataclass(frozen=True)
class DateOperand:
    """A date as an operand.

    Args:
        start: First microsecond since 1970 in UTC.
        end: The microsecond after the last.
        zone: The person's zone, in which stored values are read as well.
    """

    start: int
    end: int
    zone: tzinfo


Operand: TypeAlias = Json | DateOperand


@dataclass(frozen=True)
class Compare:
    """One condition on one key.

    Args:
        key: A property, or id, created_at, updated_at.
        op: $eq $ne $gt $gte $lt $lte $in $nin or $contains.
        operand: A tuple of operands for $in and $nin, a number or DateOperand for $gt $gte $lt $lte.
    """

    key: str
    op: str
    operand: Operand | tuple[Operand, ...]


@dataclass(frozen=True)
class And:
    """True if every part is; without parts always true."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """True if some part is."""

    parts: tuple["Node", ...]


Node: TypeAlias = And | Or | Compare

EVERY_ITEM = And(())


def parse(where: Mapping[str, Json] | None, zone: tzinfo) -> Node:
    """Check a filter and return it as a tree.

    Args:
        where: The filter; None and {} select every item.
        zone: The person's zone, for dates without one.

    Raises:
        ToolError: It is not a filter; message and hint say what is wrong and how to write it.
    """
    if _is_deep(where, DEEPEST_VALUE):
        raise ToolError(f"The filter is nested more than {DEEPEST_VALUE} deep.", "Write it flatter.")
    return _read_node({} if where is None else where, zone, 0)


def _is_deep(value: object, left: int) -> bool:
    """Return whether a value has more than `left` levels of lists and objects."""
    if not isinstance(value, Mapping | list | tuple):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return left == 0 or any(_is_deep(part, left - 1) for part in inner)


def find_keys(node: Node) -> set[str]:
    """Return every key that the filter asks about."""
    return {node.key} if isinstance(node, Compare) else {key for part in node.parts for key in find_keys(part)}


def matches(node: Node, item: Item) -> bool:
    """Return whether an item passes the filter."""
    if isinstance(node, Compare):
        return _TESTS[node.op](_get_value(item, node.key), node.operand)
    passed = (matches(part, item) for part in node.parts)
    return all(passed) if isinstance(node, And) else any(passed)


def _read_node(where: object, zone: tzinfo, depth: int) -> Node:
    if not isinstance(where, Mapping):
        raise ToolError(f"A filter is an object, not {_describe(where)}.", _EXAMPLE)
    if depth > DEEPEST:
        raise ToolError(f"The filter nests $and and $or more than {DEEPEST} deep.", "Write it flatter.")
    parts = tuple(part for key, value in where.items() for part in _read_conditions(key, value, zone, depth))
    return parts[0] if len(parts) == 1 else And(parts)


def _read_conditions(key: str, value: object, zone: tzinfo, depth: int) -> Iterator[Node]:
    if key in ("$and", "$or"):
        yield _join(key, value, zone, depth)
    elif key.startswith("$"):
        raise _misplaced_error(key)
    elif _has_operators(value):
        yield from (_read_comparison(key, op, operand, zone) for op, operand in value.items())
    else:
        yield Compare(key, "$eq", _read_operand(key, value, zone))


def _join(op: str, value: object, zone: tzinfo, depth: int) -> Node:
    if not isinstance(value, list) or not value:
        said = "an empty list" if value == [] else _describe(value)
        raise ToolError(
            f"{op} needs a list of filters, not {said}.",
            f'Write it as {{"{op}": [{{"status": "active"}}, {{"status": "waiting"}}]}}.',
        )
    parts = tuple(_read_node(part, zone, depth + 1) for part in value)
    return And(parts) if op == "$and" else Or(parts)


def _misplaced_error(op: str) -> ToolError:
    if op in _TESTS:
        return ToolError(f"{op} is used without a property.", f'Put it under one: {{"due": {{"{op}": ...}}}}.')
    return ToolError(f"{op} is not an operator.", f"The operators are {_KNOWN}.")


def _has_operators(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping) and any(str(key).startswith("$") for key in value)


def _read_comparison(key: str, op: str, value: object, zone: tzinfo) -> Compare:
    if op in ("$and", "$or"):
        raise ToolError(
            f"{op} is used inside the property {key!r}.",
            f'Put it around whole conditions: {{"{op}": [{{"{key}": ...}}, {{"{key}": ...}}]}}.',
        )
    if not op.startswith("$"):
        raise ToolError(f"The filter on {key!r} mixes operators with the name {op!r}.", _EXAMPLE)
    if op not in _TESTS:
        raise ToolError(f"The filter on {key!r} uses {op}, which is not an operator.", f"The operators are {_KNOWN}.")
    if op in _ORDER:
        return Compare(key, op, _read_bound(key, op, value, zone))
    if op in ("$in", "$nin"):
        return Compare(key, op, _read_operands(key, op, value, zone))
    return Compare(key, op, _read_operand(key, value, zone))


def _read_operands(key: str, op: str, value: object, zone: tzinfo) -> tuple[Operand, ...]:
    if not isinstance(value, list):
        raise ToolError(
            f"{op} on {key!r} needs a list, not {_describe(value)}.",
            f'Write it as {{"{key}": {{"{op}": ["a", "b"]}}}}.',
        )
    return tuple(_read_operand(key, each, zone) for each in value)


def _read_operand(key: str, value: object, zone: tzinfo) -> Operand:
    if _has_operators(value):
        raise ToolError(
            f"The filter on {key!r} has an operator where a plain value is needed.",
            f'Give each operator its value: {{"{key}": {{"$in": ["a", "b"]}}}}.',
        )
    span = date_span(bare := without_weekday(value), zone)  # models copy the weekday from what they were shown
    return DateOperand(*span, zone) if span else cast(Json, bare)  # a filter comes from JSON


def _read_bound(key: str, op: str, value: object, zone: tzinfo) -> Operand:
    operand = _read_operand(key, value, zone)
    # JSON has no infinity, Python's parser does
    if isinstance(operand, DateOperand) or (_is_number(operand) and abs(operand) < math.inf):
        return operand
    if isinstance(value, str):
        raise ToolError(
            f"{op} on {key!r} has the bound {value[:60]!r}, which is not a date.",
            "Write a date as YYYY-MM-DD or YYYY-MM-DDThh:mm, and a number without quotes.",
        )
    raise ToolError(
        f"{op} on {key!r} has {_describe(value)} as its bound, which has no order.",
        "Only dates and numbers are ordered; use $eq, $ne, $in or $contains for anything else.",
    )


def _describe(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    kinds = {int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _get_value(item: Item, key: str) -> Json:
    if key in item.properties:  # also where it is null: the property hides the item's own value
        return item.properties[key]
    return getattr(item, key) if key in OWN_KEYS else None


def _compare_order(value: Json, bound: Operand) -> int | None:
    """Return -1 if the value is before the bound, 1 if after, 0 if neither, None if the two have no order."""
    if isinstance(bound, DateOperand):
        span = date_span(value, bound.zone)
        return _compare_spans(*span, bound) if span else None
    if _is_number(value) and _is_number(bound):
        return (value > bound) - (value < bound)
    return None


def _compare_spans(start: int, end: int, bound: DateOperand) -> int:
    before = end <= bound.start and start < bound.end
    after = start >= bound.end and end > bound.start
    return after - before


def _is_equal(value: Json, operand: Operand) -> bool:
    if not isinstance(operand, DateOperand):
        return _is_same(value, operand)
    span = date_span(value, operand.zone)
    return bool(span and _compare_order(value, operand) == 0 and operand.start <= span[0] and span[1] <= operand.end)


def _is_same(left: Json, right: Json) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_same(left[key], right[key]) for key in left)
    return isinstance(left, bool) == isinstance(right, bool) and left == right  # in Python, True == 1


def _is_any(value: Json, operands: tuple[Operand, ...]) -> bool:
    return any(_is_equal(value, each) for each in operands)


def _contains(value: Json, operand: Operand) -> bool:
    return isinstance(value, list) and any(_is_equal(each, operand) for each in value)


def _test_order(*sides: int) -> Callable[[Json, Any], bool]:
    return lambda value, bound: _compare_order(value, bound) in sides


_ORDER = {"$gt": (1,), "$gte": (0, 1), "$lt": (-1,), "$lte": (-1, 0)}
_TESTS: dict[str, Callable[[Json, Any], bool]] = {
    "$eq": _is_equal,
    "$ne": lambda value, operand: not _is_equal(value, operand),
    "$in": _is_any,
    "$nin": lambda value, operands: not _is_any(value, operands),
    "$contains": _contains,
    **{op: _test_order(*sides) for op, sides in _ORDER.items()},
}
