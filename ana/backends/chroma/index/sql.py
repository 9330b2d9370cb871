"""A filter's tree as SQL over the index's typed property rows.

It selects exactly the items that pass `ana.memory.filters.matches`, where the reasons of odd rules are explained.
A property's value is a row with element 0, and every element of a list another row with element 1. Values are
compared as canonical JSON, numbers also as numbers, dates as spans in the zone of the query (see dates.py).
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ana.backends.chroma.index.dates import ZoneDates
from ana.errors import ToolError
from ana.memory.digests import to_canonical_text
from ana.memory.filters import And, Compare, DateOperand, Node, Operand
from ana.memory.search.tokens import fold_tag
from ana.values import Json

MOST_PARTS = 900
"""How many conditions a filter may have; SQLite takes 1,000 in one expression."""

INT64 = 2**63
LONGEST_DAY = 49 * 3600 * 10**6
"""Microseconds that no calendar day exceeds; when a zone crossed the date line eastwards, one lasted 48 hours."""

_ORDER = ("$gt", "$gte", "$lt", "$lte")
_BEFORE = "(stop <= {bs} AND start < {be})"
_AFTER = "(start >= {be} AND stop > {bs})"
_SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


@dataclass(frozen=True)
class Sql:
    """A condition on `items.row`, and the values of its question marks."""

    text: str
    params: tuple[Any, ...] = ()


EVERYTHING = Sql("1")


def iter_typed_rows(key: str, value: Json) -> Iterator[tuple[str, int, str, int | float | None]]:
    """Yield the rows of one property: key, element, value, number."""
    yield json.dumps(key), 0, to_canonical_text(value), _to_number(value)
    for element in value if isinstance(value, list) else ():
        yield json.dumps(key), 1, to_canonical_text(element), _to_number(element)


def _to_number(value: Json) -> int | float | None:
    """Return a number as SQLite orders it; beyond 64 bits an infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and not -INT64 <= value < INT64:
        return float("inf") if value > 0 else float("-inf")
    return value


def add_functions(db: sqlite3.Connection) -> None:
    """Define the functions that `compile_filter` and look-ups call."""

    def order(value: str, bound: str) -> int:
        left, right = json.loads(value), json.loads(bound)
        return int(left > right) - int(left < right)

    def tag(value: str) -> str | None:
        known = json.loads(value)
        return fold_tag(known) if isinstance(known, str) else None

    db.create_function("ana_order", 2, order, deterministic=True)
    db.create_function("ana_folded", 1, tag, deterministic=True)


def compile_filter(node: Node, dates: ZoneDates) -> Sql:
    """Return SQL that is true for exactly the rows that pass a filter.

    Args:
        node: The filter.
        dates: The tables of dates in the zone that the filter was parsed in.

    Raises:
        ToolError: The filter has more conditions than SQLite takes.
    """
    if _count_conditions(node) > MOST_PARTS:
        raise ToolError(f"The filter has more than {MOST_PARTS} conditions and dates.", "Ask in several queries.")
    return _Compiler(dates.properties).compile(node)


def join(word: str, parts: Iterable[Sql]) -> Sql:
    """Return conditions joined by AND or OR; without parts one that is always true."""
    known = list(parts)
    if not known:
        return EVERYTHING
    text = f" {word} ".join(part.text for part in known)
    return Sql(f"({text})", tuple(param for part in known for param in part.params))


def _count_conditions(node: Node) -> int:
    """Count a filter's conditions; each date among several operands is a condition of its own."""
    if not isinstance(node, Compare):
        return sum(map(_count_conditions, node.parts))
    return 1 + sum(isinstance(operand, DateOperand) for operand in _list_operands(node))


class _Compiler:
    """Compiles the nodes of one filter.

    Args:
        dates: The table of date properties, as spans in the zone of the query.
    """

    def __init__(self, dates: str) -> None:
        self._dates = dates

    def compile(self, node: Node) -> Sql:
        if isinstance(node, Compare):
            return self._compile_comparison(node)
        if not isinstance(node, And):  # an Or: ranges of its parts cannot be joined
            return join("OR", map(self.compile, node.parts))
        ranges: dict[str, list[Compare]] = defaultdict(list)
        rest = []
        for part in node.parts:
            if isinstance(part, Compare) and part.op in _ORDER:
                ranges[part.key].append(part)
            else:
                rest.append(self.compile(part))
        # both ends of a range in one look-up: each alone would read half of all dates
        return join("AND", [*map(self._compile_range, ranges.values()), *rest])

    def _compile_comparison(self, node: Compare) -> Sql:
        if node.op in _ORDER:
            return self._compile_range([node])
        if node.op in ("$ne", "$nin"):
            # NOT also finds items without the key
            opposite = self._compile_equality(node.key, _list_operands(node), 0)
            return Sql(f"NOT {opposite.text}", opposite.params)
        return self._compile_equality(node.key, _list_operands(node), int(node.op == "$contains"))

    def _compile_equality(self, key: str, operands: tuple[Operand, ...], element: int) -> Sql:
        """Return the condition that a value equals one of the operands; without operands it is never true."""
        days = [operand for operand in operands if isinstance(operand, DateOperand)]
        parts = [self._rows_where_date(key, element, _is_within(day)) for day in days]
        plain = [to_canonical_text(operand) for operand in operands if not isinstance(operand, DateOperand)]
        if plain:
            parts.append(_rows_where(key, element, Sql(f"value IN ({','.join('?' * len(plain))})", tuple(plain))))
        if element == 0 and "null" in plain:  # a missing key is the same as null
            present = _rows_where(key, 0, EVERYTHING)
            parts.append(Sql(f"NOT {present.text}", present.params))
        return join("OR", parts) if parts else Sql("0")

    def _compile_range(self, nodes: list[Compare]) -> Sql:
        """Return the condition for all bounds on one key."""
        # numbers and dates have no order between them, so they are looked up separately
        key, parts = nodes[0].key, []
        if days := [_compare_date(node.op, node.operand) for node in nodes if isinstance(node.operand, DateOperand)]:
            parts.append(self._rows_where_date(key, 0, join("AND", days)))
        if numbers := [
            _compare_number(node.op, node.operand) for node in nodes if not isinstance(node.operand, DateOperand)
        ]:
            parts.append(_rows_where(key, 0, join("AND", numbers)))
        return join("AND", parts)

    def _rows_where_date(self, key: str, element: int, test: Sql) -> Sql:
        return _rows_where(key, element, test, self._dates)


def _list_operands(node: Compare) -> tuple[Operand, ...]:
    return node.operand if isinstance(node.operand, tuple) else (node.operand,)


def _rows_where(key: str, element: int, test: Sql, table: str = "properties") -> Sql:
    text = f"items.row IN (SELECT row FROM {table} WHERE key = ? AND element = {element} AND {test.text})"
    return Sql(text, (json.dumps(key), *test.params))


def _compare_number(op: str, bound: Any) -> Sql:
    if -INT64 <= bound < INT64:
        return Sql(f"num {_SIGNS[op]} ?", (bound,))
    return Sql(f"num IS NOT NULL AND ana_order(value, ?) {_SIGNS[op]} 0", (json.dumps(bound),))


def _compare_date(op: str, bound: DateOperand) -> Sql:
    """Return the comparison with a span, after a simple bound on `start` for which SQLite can use its index."""
    near = {
        "$lt": f"start < {bound.end} AND {_BEFORE}",
        "$lte": f"start <= {bound.end} AND NOT {_AFTER}",
        "$gt": f"start >= {bound.end} AND {_AFTER}",
        "$gte": f"start >= {bound.start - LONGEST_DAY} AND NOT {_BEFORE}",
    }
    return Sql(near[op].format(bs=bound.start, be=bound.end))


def _is_within(bound: DateOperand) -> Sql:
    sides = f"NOT {_BEFORE} AND NOT {_AFTER}".format(bs=bound.start, be=bound.end)
    return Sql(f"start BETWEEN {bound.start} AND {bound.end} AND stop <= {bound.end} AND {sides}")
