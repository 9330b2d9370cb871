"""A filter's tree as SQL over the index's typed property rows.

It says exactly what `ana.memory.filters.matches` says; where a rule looks odd there, its reason stands there too.
A property's whole value is a row with element 0, every element of a list a row of its own with element 1. Values are
compared as canonical JSON, numbers and dates also as numbers.
"""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ana.errors import ToolError
from ana.memory.filters import And, Compare, Dated, Node, Operand
from ana.memory.tokens import folded
from ana.time.spans import date_span
from ana.values import Json

MOST_PARTS = 900
"""How many conditions a filter may have: SQLite takes 1,000 in one expression."""

INT64 = 2**63
LONGEST_DAY = 49 * 3600 * 10**6
"""Microseconds that no calendar day exceeds: where a zone crossed the date line eastwards, one lasted 48 hours."""

_LONG = 400
_ORDER = ("$gt", "$gte", "$lt", "$lte")
_BEFORE = "(stop <= {bs} AND start < {be})"
_AFTER = "(start >= {be} AND stop > {bs})"
_SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


@dataclass(frozen=True)
class Sql:
    """A condition on `items.row`, and what its question marks stand for."""

    text: str
    params: tuple[Any, ...] = ()


def canonical(value: Json) -> str:
    """The same text for equal values, and only for them: 1 and 1.0 are equal, 1 and true are not."""
    text = _canonical(value)
    return text if len(text) <= _LONG else "#" + hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return f"[{','.join(map(_canonical, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{_canonical(value[key])}" for key in sorted(value)) + "}"
    return json.dumps(value)


def typed_rows(key: str, value: Json, zone: tzinfo) -> Iterator[tuple[Any, ...]]:
    """The rows of one property: key, element, value, num, start, stop."""
    yield (json.dumps(key), 0, *_typed(value, zone))
    for element in value if isinstance(value, list) else ():
        yield (json.dumps(key), 1, *_typed(element, zone))


def _typed(value: Json, zone: tzinfo) -> tuple[str, int | float | None, int | None, int | None]:
    start, stop = date_span(value, zone) or (None, None)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return canonical(value), _number(value) if is_number else None, start, stop  # type: ignore[arg-type]


def _number(value: int | float) -> int | float:
    """A number as SQLite orders it; one beyond 64 bits only keeps its side."""
    if isinstance(value, int) and not -INT64 <= value < INT64:
        return float("inf") if value > 0 else float("-inf")
    return value


def add_functions(db: sqlite3.Connection) -> None:
    """Teach a connection what `compiled` may call."""

    def order(value: str, bound: str) -> int:
        left, right = json.loads(value), json.loads(bound)
        return int(left > right) - int(left < right)

    def tag(value: str) -> str | None:
        known = json.loads(value)
        return folded(known) if isinstance(known, str) else None

    db.create_function("ana_order", 2, order, deterministic=True)
    db.create_function("ana_folded", 1, tag, deterministic=True)


def compiled(node: Node) -> Sql:
    """The SQL that is true of exactly the rows the filter means.

    Raises:
        ToolError: The filter has more conditions than SQLite takes.
    """
    if _size(node) > MOST_PARTS:
        raise ToolError(f"The filter has more than {MOST_PARTS} conditions and dates.", "Ask in several queries.")
    return _compiled(node)


def _size(node: Node) -> int:
    """How many conditions a filter has; a date among several operands is one of its own."""
    if not isinstance(node, Compare):
        return sum(map(_size, node.parts))
    operands = node.operand if isinstance(node.operand, tuple) else ()
    return 1 + sum(isinstance(operand, Dated) for operand in operands)


def _compiled(node: Node) -> Sql:
    if isinstance(node, Compare):
        return _compared(node)
    if not isinstance(node, And):
        return _joined(" OR ", map(_compiled, node.parts))
    ranges: dict[str, list[Compare]] = defaultdict(list)
    rest = []
    for part in node.parts:
        if isinstance(part, Compare) and part.op in _ORDER:
            ranges[part.key].append(part)
        else:
            rest.append(_compiled(part))
    # both ends of a range in one look-up: alone, each would walk through half of all dates
    return _joined(" AND ", [*map(_in_order, ranges.values()), *rest])


def _joined(word: str, parts: Iterable[Sql]) -> Sql:
    known = list(parts)
    if not known:
        return Sql("1")
    return Sql(f"({word.join(part.text for part in known)})", tuple(p for part in known for p in part.params))


def _compared(node: Compare) -> Sql:
    if node.op in _ORDER:
        return _in_order([node])
    if node.op in ("$ne", "$nin"):
        opposite = _equal(node.key, _operands(node), 0)
        return Sql(f"NOT {opposite.text}", opposite.params)
    return _equal(node.key, _operands(node), int(node.op == "$contains"))


def _operands(node: Compare) -> tuple[Operand, ...]:
    return node.operand if isinstance(node.operand, tuple) else (node.operand,)


def _equal(key: str, operands: tuple[Operand, ...], element: int) -> Sql:
    """Equal to any of the operands; nothing equals none of them."""
    parts = [_rows(key, element, _within(operand)) for operand in operands if isinstance(operand, Dated)]
    plain = [canonical(operand) for operand in operands if not isinstance(operand, Dated)]
    if plain:
        parts.append(_rows(key, element, Sql(f"value IN ({','.join('?' * len(plain))})", tuple(plain))))
    if element == 0 and "null" in plain:
        present = _rows(key, 0, Sql("1"))
        parts.append(Sql(f"NOT {present.text}", present.params))
    return _joined(" OR ", parts) if parts else Sql("0")


def _rows(key: str, element: int, test: Sql) -> Sql:
    text = f"items.row IN (SELECT row FROM properties WHERE key = ? AND element = {element} AND {test.text})"
    return Sql(text, (json.dumps(key), *test.params))


def _in_order(nodes: list[Compare]) -> Sql:
    tests = [_bounded(node.op, node.operand) for node in nodes]
    return _rows(nodes[0].key, 0, _joined(" AND ", tests))


def _bounded(op: str, bound: Any) -> Sql:
    if isinstance(bound, Dated):
        return _dated(op, bound)
    if -INT64 <= bound < INT64:
        return Sql(f"num {_SIGNS[op]} ?", (bound,))
    return Sql(f"num IS NOT NULL AND ana_order(value, ?) {_SIGNS[op]} 0", (json.dumps(bound),))


def _dated(op: str, bound: Dated) -> Sql:
    """The side of a span, with a plain bound on `start` in front that the index can use."""
    near = {
        "$lt": f"start < {bound.end} AND {_BEFORE}",
        "$lte": f"start <= {bound.end} AND NOT {_AFTER}",
        "$gt": f"start >= {bound.end} AND {_AFTER}",
        "$gte": f"start >= {bound.start - LONGEST_DAY} AND NOT {_BEFORE}",
    }
    return Sql(near[op].format(bs=bound.start, be=bound.end))


def _within(bound: Dated) -> Sql:
    sides = f"NOT {_BEFORE} AND NOT {_AFTER}".format(bs=bound.start, be=bound.end)
    return Sql(f"start BETWEEN {bound.start} AND {bound.end} AND stop <= {bound.end} AND {sides}")
