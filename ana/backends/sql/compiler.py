"""A filter's tree as SQL over typed property rows.

It selects exactly the items that pass `ana.memory.filters.matches`, where the reasons of odd rules are explained.
A property's value is a row with element 0, and every element of a list another row with element 1. Values are
compared as canonical JSON in one case, numbers also as numbers, dates as spans in the zone of the query (see dates.py).
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ana.backends.sql.dates import ZoneDates
from ana.errors import ToolError
from ana.memory.digests import to_canonical_text
from ana.memory.filters import ORDER, OWN_KEYS, And, Compare, DateOperand, Node, On, Operand, iter_conditions
from ana.memory.search.tokens import fold_tag
from ana.values import Json, fold_case

MOST_PARTS = 900
"""How many conditions a filter may have; SQLite takes 1,000 in one expression."""

INT64 = 2**63
LONGEST_DAY = 49 * 3600 * 10**6
"""Microseconds that no calendar day exceeds; when a zone crossed the date line eastwards, one lasted 48 hours."""

_BEFORE = "(stop <= {bs} AND start < {be})"
_AFTER = "(start >= {be} AND stop > {bs})"
_ANY = "0, 1"
"""A value, and the members of a list."""

_BODY = "(SELECT item FROM bodies WHERE bodies.row = properties.row)"
_LONG = "folded >= '#' AND folded < '$'"
_VALUES = (
    f"SELECT DISTINCT folded FROM properties WHERE key = ? AND element = 0 AND NOT ({_LONG}) AND instr(folded, ?)"
    " LIMIT -1"  # with a limit, SQLite does not move the test of each value in front of DISTINCT
)
_SHORT_HAS_PART = f"folded IN (SELECT folded FROM ({_VALUES}) WHERE ana_has_part(folded, NULL, '', ?))"
"""Each value that has the text as JSON writes it is looked into, and only once, however many items have it."""
_LONG_HAS_PART = f"{_LONG} AND ana_has_part(value, {_BODY}, ?, ?)"
_KEYS = (
    "WITH RECURSIVE keys(key) AS (SELECT min(key) FROM {table} UNION ALL"
    " SELECT (SELECT min(key) FROM {table} WHERE key > keys.key) FROM keys WHERE keys.key IS NOT NULL)"
)
"""The properties that hold dates, one look-up each: reading all dates for them would take as long as all else."""

_SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


@dataclass(frozen=True)
class Sql:
    """A condition on `items.row`, and the values of its question marks."""

    text: str
    params: tuple[Any, ...] = ()


EVERYTHING = Sql("1")
NOTHING = Sql("0")


def iter_typed_rows(key: str, value: Json) -> Iterator[tuple[str, int, str, str, int | float | None]]:
    """Yield the rows of one property: key, element, value, the value in the case that is compared, number."""
    for element, each in ((0, value), *((1, member) for member in (value if isinstance(value, list) else ()))):
        yield json.dumps(key), element, to_canonical_text(each), _fold(each), _to_number(each)


def _fold(value: Json) -> str:
    return to_canonical_text(fold_case(value))


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

    def has_part(value: str, body: str | None, key: str, part: str) -> bool:
        # a long value is kept as its hash alone
        known = json.loads(body)["properties"][json.loads(key)] if body else json.loads(value)
        return isinstance(known, str) and json.loads(part) in str(fold_case(known))

    db.create_function("ana_order", 2, order, deterministic=True)
    db.create_function("ana_has_part", 4, has_part, deterministic=True)
    db.create_function("ana_folded", 1, tag, deterministic=True)


def compile_filter(node: Node, dates: ZoneDates) -> Sql:
    """Return SQL that is true for exactly the rows that pass a filter, which was parsed in the zone of these tables.

    Raises ToolError if it has more conditions than SQLite takes.
    """
    known = list(iter_conditions(node))
    operands = [each for part in known if isinstance(part, Compare) for each in part.operands]
    if len(known) + sum(isinstance(each, DateOperand) for each in operands) > MOST_PARTS:
        raise ToolError(f"The filter has more than {MOST_PARTS} conditions and dates.", "Ask in several queries.")
    return _Compiler(dates.properties).compile(node)


def join(word: str, parts: Iterable[Sql]) -> Sql:
    """Return conditions joined by AND or OR; without parts one that is always true."""
    known = list(parts)
    if not known:
        return EVERYTHING
    text = f" {word} ".join(part.text for part in known)
    return Sql(f"({text})", tuple(param for part in known for param in part.params))


class _Compiler:
    def __init__(self, dates: str) -> None:
        self._dates = dates

    def compile(self, node: Node) -> Sql:
        if isinstance(node, Compare):
            return self._compile_comparison(node)
        if isinstance(node, On):
            return self._compile_window(node.window)
        if not isinstance(node, And):  # an Or: ranges of its parts cannot be joined
            return join("OR", map(self.compile, node.parts))
        ranges: dict[str, list[Compare]] = defaultdict(list)
        rest = []
        for part in node.parts:
            if isinstance(part, Compare) and part.op in ORDER:
                ranges[part.key].append(part)
            else:
                rest.append(self.compile(part))
        # both ends of a range in one look-up: each alone would read half of all dates
        return join("AND", [*map(self._compile_range, ranges.values()), *rest])

    def _compile_comparison(self, node: Compare) -> Sql:
        if node.op in ORDER:
            return self._compile_range([node])
        if node.op == "$contains":
            return self._compile_contains(node.key, node.operands[0])
        parts = [self._compile_equality(node.key, operand) for operand in _join_plain(node.operands)]
        equal = join("OR", parts) if parts else NOTHING
        # NOT also finds items without the key
        return Sql(f"NOT {equal.text}", equal.params) if node.op in ("$ne", "$nin") else equal

    def _compile_equality(self, key: str, operand: Operand | frozenset[str]) -> Sql:
        """Return the condition that a value, or a member of a list, equals an operand, or one of several texts."""
        if isinstance(operand, frozenset):
            return _rows_where(key, _ANY, _equals_any(operand))
        if isinstance(operand, DateOperand):
            near = f"start BETWEEN {operand.start} AND {operand.end} AND stop <= {operand.end}"
            return _rows_where(key, _ANY, Sql(f"{near} AND {_touches(operand)}"), self._dates)
        whole = _rows_where(key, "0", _equals_any([_fold(operand)]))
        if operand is not None:
            return whole
        present = _rows_where(key, "0", EVERYTHING)  # a missing key is the same as null
        return Sql(f"({whole.text} OR NOT {present.text})", (*whole.params, *present.params))

    def _compile_contains(self, key: str, operand: Operand) -> Sql:
        """Return the condition that a member of a list equals an operand, or a text has it inside."""
        if isinstance(operand, DateOperand):
            return self._compile_equality(key, operand)
        member = _rows_where(key, "1", _equals_any([_fold(operand)]))
        if not isinstance(operand, str):
            return member
        name, part = json.dumps(key), json.dumps(fold_case(operand))
        short = _rows_where(key, "0", Sql(_SHORT_HAS_PART, (name, part[1:-1], part)))
        return join("OR", [member, short, _rows_where(key, "0", Sql(_LONG_HAS_PART, (name, part)))])

    def _compile_window(self, window: DateOperand) -> Sql:
        """Return the condition that some date of an item, or its stretch of dates, touches a window."""
        own = ", ".join(f"'{json.dumps(key)}'" for key in OWN_KEYS)
        touches = _touches(window)
        near = f"start BETWEEN {window.start - LONGEST_DAY} AND {window.end} AND {touches}"
        dated = (
            f"SELECT each.row FROM keys CROSS JOIN {self._dates} AS each INDEXED BY {self._dates}_by_start"
            f" ON each.key = keys.key AND each.element IN ({_ANY}) WHERE keys.key NOT IN ({own}) AND {near}"
        )
        ends = f"SELECT max(stop) FROM {self._dates} WHERE row = first.row AND key = '\"end_date\"' AND element = 0"
        begun = f"key = '\"start_date\"' AND element = 0 AND start <= {window.end}"
        both = f"SELECT row, start, ({ends}) AS stop FROM {self._dates} AS first WHERE {begun}"
        stretch = f"SELECT row FROM ({both}) WHERE start <= stop AND {touches}"
        return Sql(f"items.row IN ({_KEYS.format(table=self._dates)} {dated} UNION {stretch})")

    def _compile_range(self, nodes: list[Compare]) -> Sql:
        """Return the condition for all bounds on one key."""
        # numbers and dates have no order between them, so they are looked up separately
        key, parts = nodes[0].key, []
        if days := [_compare_date(node.op, node.operand) for node in nodes if isinstance(node.operand, DateOperand)]:
            parts.append(_rows_where(key, "0", join("AND", days), self._dates))
        if numbers := [
            _compare_number(node.op, node.operand) for node in nodes if not isinstance(node.operand, DateOperand)
        ]:
            parts.append(_rows_where(key, "0", join("AND", numbers)))
        return join("AND", parts)


def _join_plain(operands: tuple[Operand, ...]) -> list[Operand | frozenset[str]]:
    """Return the operands, with those that also match members of lists and are not dates as one set of texts."""
    apart: list[Operand | frozenset[str]] = []
    plain = set()
    for operand in operands:
        if operand is None or isinstance(operand, list | DateOperand):
            apart.append(operand)
        else:
            plain.add(_fold(operand))
    return [*apart, frozenset(plain)] if plain else apart


def _equals_any(texts: Iterable[str]) -> Sql:
    known = sorted(texts)
    return Sql(f"folded IN ({','.join('?' * len(known))})", tuple(known))


def _rows_where(key: str, element: str, test: Sql, table: str = "properties") -> Sql:
    text = f"items.row IN (SELECT row FROM {table} WHERE key = ? AND element IN ({element}) AND {test.text})"
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


def _touches(bound: DateOperand) -> str:
    return f"NOT {_BEFORE} AND NOT {_AFTER}".format(bs=bound.start, be=bound.end)
