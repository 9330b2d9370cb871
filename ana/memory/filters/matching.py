"""The exact test of an item against a filter, in Python."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any, TypeGuard

from ana.memory.filters.nodes import ORDER, OWN_KEYS, Compare, DateOperand, Node, On, Operand, Or
from ana.memory.item import Item
from ana.memory.travel import make_absolute
from ana.time.spans import Span, read_date_span
from ana.values import Json, Properties, fold_case


def matches(node: Node, item: Item) -> bool:
    """Return whether an item passes the filter."""
    return _passes(node, make_absolute(item))


def _passes(node: Node, item: Item) -> bool:
    if isinstance(node, Compare):
        return _TESTS[node.op](get_value(item, node.key), node.operand)
    if isinstance(node, On):
        spans = iter_date_spans(item.properties, node.window.zone)
        return any(_compare_spans(*span, node.window) == 0 for span in spans)
    passed = (_passes(part, item) for part in node.parts)
    return any(passed) if isinstance(node, Or) else all(passed)


def get_value(item: Item, key: str) -> Json:
    """Return an item's value under a key of a filter."""
    if key in item.properties:  # also where it is null: the property hides the item's own value
        return item.properties[key]
    return getattr(item, key) if key in OWN_KEYS else None


def iter_date_spans(properties: Properties, zone: tzinfo) -> Iterator[Span]:
    """Yield the spans of an item's dates, and the stretch from its start_date to its end_date."""
    for key, value in properties.items():
        if key not in OWN_KEYS:
            for each in value if isinstance(value, list) else (value,):
                if span := read_date_span(each, zone):
                    yield span
    first, last = (read_date_span(properties.get(key), zone) for key in ("start_date", "end_date"))
    if first and last and first[0] <= last[1]:
        yield first[0], last[1]


def _compare_order(value: Json, bound: Operand) -> int | None:
    """Return -1 if the value is before the bound, 1 if after, 0 if neither, None if the two have no order."""
    if isinstance(bound, DateOperand):
        span = read_date_span(value, bound.zone)
        return _compare_spans(*span, bound) if span else None
    if is_number(value) and is_number(bound):
        return (value > bound) - (value < bound)
    return None


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number; in Python, True is an int."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compare_spans(start: int, end: int, bound: DateOperand) -> int:
    before = end <= bound.start and start < bound.end
    after = start >= bound.end and end > bound.start
    return after - before


def _is_equal(value: Json, operand: Operand) -> bool:
    if _is_one(value, operand):
        return True
    return not (operand is None or isinstance(operand, list)) and _has_member(value, operand)


def _has_member(value: Json, operand: Operand) -> bool:
    return isinstance(value, list) and any(_is_one(each, operand) for each in value)


def _is_one(value: Json, operand: Operand) -> bool:
    if not isinstance(operand, DateOperand):
        return _is_same(fold_case(value), fold_case(operand))
    span = read_date_span(value, operand.zone)
    return bool(span and _compare_order(value, operand) == 0 and operand.start <= span[0] and span[1] <= operand.end)


def _is_same(one: Json, other: Json) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other  # in Python, True == 1


def _is_any(value: Json, operands: tuple[Operand, ...]) -> bool:
    return any(_is_equal(value, each) for each in operands)


def _contains(value: Json, operand: Operand) -> bool:
    if isinstance(value, str) and isinstance(operand, str):
        return str(fold_case(operand)) in str(fold_case(value))
    return _has_member(value, operand) or (isinstance(operand, DateOperand) and _is_one(value, operand))


def _test_order(*sides: int) -> Callable[[Json, Any], bool]:
    return lambda value, bound: _compare_order(value, bound) in sides


_TESTS: dict[str, Callable[[Json, Any], bool]] = {
    "$eq": _is_equal,
    "$ne": lambda value, operand: not _is_equal(value, operand),
    "$in": _is_any,
    "$nin": lambda value, operands: not _is_any(value, operands),
    "$contains": _contains,
    **{op: _test_order(*sides) for op, sides in zip(ORDER, ((1,), (0, 1), (-1,), (-1, 0)), strict=True)},
}
