"""A filter's tree as SQL over typed property rows.

It selects exactly the items that pass `ana.memory.filters.matches`, where the reasons of odd rules are explained.
A property's value is a row with element 0, and every element of a list another row with element 1. Values are
compared as canonical JSON in one case, numbers also as numbers, dates as spans in the zone of the query (see dates.py).
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ana.backends.sql.dates import PROPERTIES
from ana.backends.sql.dialect import INT64, Sql, compare_number, has_part, join
from ana.errors import ToolError
from ana.memory.digests import to_canonical_text
from ana.memory.filters import ORDER, OWN_KEYS, And, Compare, DateOperand, Node, On, Operand, iter_conditions
from ana.values import Json, fold_case

MOST_PARTS = 900
"""How many conditions a filter may have; SQLite takes 1,000 in one expression."""

LONGEST_DAY = 49 * 3600 * 10**6
"""Microseconds that no calendar day exceeds; when a zone crossed the date line eastwards, one lasted 48 hours."""

_BEFORE = "(stop <= {bs} AND start < {be})"
_AFTER = "(start >= {be} AND stop > {bs})"
_ANY = "0, 1"
"""A value, and the members of a list."""

_KEYS = (
    f"WITH RECURSIVE keys(key) AS (SELECT min(key) FROM {PROPERTIES} AS held UNION ALL"
    f" SELECT (SELECT min(key) FROM {PROPERTIES} AS held WHERE held.key > keys.key) FROM keys"
    " WHERE keys.key IS NOT NULL)"
)
"""The properties that hold dates, one look-up each: reading all dates for them would take as long as all else."""


def iter_typed_rows(key: str, value: Json) -> Iterator[tuple[str, int, str, str, int | float | None]]:
    """Yield the rows of one property: key, element, value, the value in the case used for comparison, number."""
    for element, each in ((0, value), *((1, member) for member in (value if isinstance(value, list) else ()))):
        yield json.dumps(key), element, to_canonical_text(each), _fold(each), _to_number(each)


def _fold(value: Json) -> str:
    return to_canonical_text(fold_case(value))


def _to_number(value: Json) -> int | float | None:
    """Return a number that SQLite can order; infinity beyond 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and not -INT64 <= value < INT64:
        return float("inf") if value > 0 else float("-inf")
    return value


def compile_filter(node: Node) -> Sql:
    """Return SQL that is true for exactly the rows that pass a filter, which was parsed in the zone of the dates.

    Raises ToolError if it has more conditions than a database takes.
    """
    known = list(iter_conditions(node))
    operands = [each for part in known if isinstance(part, Compare) for each in part.operands]
    if len(known) + sum(isinstance(each, DateOperand) for each in operands) > MOST_PARTS:
        raise ToolError(f"The filter has more than {MOST_PARTS} conditions and dates.", "Ask in several queries.")
    return _compile(node)


def _compile(node: Node) -> Sql:
    if isinstance(node, Compare):
        return _compile_comparison(node)
    if isinstance(node, On):
        return _compile_window(node.window)
    if not isinstance(node, And):  # an Or: ranges of its parts cannot be joined
        return join("OR", map(_compile, node.parts))
    ranges: dict[str, list[Compare]] = defaultdict(list)
    rest = []
    for part in node.parts:
        if isinstance(part, Compare) and part.op in ORDER:
            ranges[part.key].append(part)
        else:
            rest.append(_compile(part))
    # both ends of a range in one look-up: each alone would read half of all dates
    return join("AND", [*map(_compile_range, ranges.values()), *rest])


def _compile_comparison(node: Compare) -> Sql:
    if node.op in ORDER:
        return _compile_range([node])
    if node.op == "$contains":
        return _compile_contains(node.key, node.operands[0])
    parts = [_compile_equality(node.key, operand) for operand in _join_plain(node.operands)]
    equal = join("OR", parts) if parts else Sql("FALSE")
    # NOT also finds items without the key
    return Sql(f"NOT {equal.text}", equal.params) if node.op in ("$ne", "$nin") else equal


def _compile_equality(key: str, operand: Operand | frozenset[str]) -> Sql:
    """Return the condition that a value, or a member of a list, equals an operand, or one of several texts."""
    if isinstance(operand, frozenset):
        return _rows_where(key, _ANY, _equals_any(operand))
    if isinstance(operand, DateOperand):
        near = f"start BETWEEN {operand.start} AND {operand.end} AND stop <= {operand.end}"
        return _rows_where(key, _ANY, Sql(f"{near} AND {_touches(operand)}"), PROPERTIES)
    whole = _rows_where(key, "0", _equals_any([_fold(operand)]))
    if operand is not None:
        return whole
    present = _rows_where(key, "0", Sql("TRUE"))  # a missing key is the same as null
    return Sql(f"({whole.text} OR NOT {present.text})", (*whole.params, *present.params))


def _compile_contains(key: str, operand: Operand) -> Sql:
    """Return the condition that a member of a list equals an operand, or that a text contains it."""
    if isinstance(operand, DateOperand):
        return _compile_equality(key, operand)
    member = _rows_where(key, "1", _equals_any([_fold(operand)]))
    if not isinstance(operand, str):
        return member
    parts = has_part(key, str(fold_case(operand)))
    return join("OR", [member, *(_rows_where(key, "0", part) for part in parts)])


def _compile_window(window: DateOperand) -> Sql:
    """Return the condition that some date of an item, or its stretch of dates, touches a window."""
    own = ", ".join(f"'{json.dumps(key)}'" for key in OWN_KEYS)
    touches = _touches(window)
    near = f"start BETWEEN {window.start - LONGEST_DAY} AND {window.end} AND {touches}"
    dated = (
        f"SELECT each.row FROM keys CROSS JOIN {PROPERTIES} AS each INDEXED BY {PROPERTIES}_by_start"
        f" WHERE each.key = keys.key AND each.element IN ({_ANY}) AND keys.key NOT IN ({own}) AND {near}"
    )
    end = "row = first.row AND key = '\"end_date\"' AND element = 0"
    ends = f"SELECT max(stop) FROM {PROPERTIES} AS last WHERE {end}"
    begun = f"key = '\"start_date\"' AND element = 0 AND start <= {window.end}"
    both = f"SELECT row, start, ({ends}) AS stop FROM {PROPERTIES} AS first WHERE {begun}"
    stretch = f"SELECT row FROM ({both}) AS stretches WHERE start <= stop AND {touches}"
    return Sql(f"items.row IN ({_KEYS} {dated} UNION {stretch})")


def _compile_range(nodes: list[Compare]) -> Sql:
    """Return the condition for all bounds on one key."""
    # numbers and dates have no order between them, so they are looked up separately
    key, parts = nodes[0].key, []
    if days := [_compare_date(node.op, node.operand) for node in nodes if isinstance(node.operand, DateOperand)]:
        parts.append(_rows_where(key, "0", join("AND", days), PROPERTIES))
    if numbers := [
        compare_number(node.op, node.operand) for node in nodes if not isinstance(node.operand, DateOperand)
    ]:
        parts.append(_rows_where(key, "0", join("AND", numbers)))
    return join("AND", parts)


def _rows_where(key: str, element: str, test: Sql, table: str = "properties") -> Sql:
    rows = f"SELECT row FROM {table} AS held WHERE key = ? AND element IN ({element}) AND {test.text}"
    return Sql(f"items.row IN ({rows})", (json.dumps(key), *test.params))


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
