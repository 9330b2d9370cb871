"""What Chroma can narrow a filter down to; the exact test stays with `ana.store.filters`.

Chroma compares flat metadata only, and dates as numbers without a zone. So a narrowing may let too much through, never
too little: it is a superset that the exact test then looks at.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, TypeAlias

from ana.store.filters import OWN_KEYS, And, Compare, Dated, Node, Operand, Or, keys, matches, parse
from ana.store.item import Item, Json
from ana.store.metadata import DATE_KEY, flat_key, flat_value

Clause: TypeAlias = dict[str, Any]

WIDEST = 26 * 3600
"""Seconds by which a date's number may be off: it was taken without its zone, and zones lie up to 26 hours apart."""


@dataclass(frozen=True)
class Filter:
    """A checked `where`.

    Args:
        chroma: A superset in Chroma's own language; None for everything.
        test: Whether an item is meant, exactly.
        keys: The keys it asks about.
    """

    chroma: Clause | None
    test: Callable[[Item], bool]
    keys: frozenset[str]


def compile_where(where: Mapping[str, Json] | None, zone: tzinfo) -> Filter:
    """Check a filter and prepare it.

    Args:
        where: The filter; None and {} mean every item.
        zone: The person's zone.

    Raises:
        ToolError: It is not a filter; the message says what is wrong.
    """
    node = parse(where, zone)
    return Filter(_narrowed(node), lambda item: matches(node, item), frozenset(keys(node)))


def _narrowed(node: Node) -> Clause | None:
    if isinstance(node, Compare):
        return _compared(node)
    parts = [_narrowed(part) for part in node.parts]
    known = [part for part in parts if part is not None]
    if isinstance(node, And):
        return _joined("$and", known)
    return _joined("$or", known) if len(known) == len(parts) else None


def _joined(op: str, parts: list[Clause]) -> Clause | None:
    return None if not parts else parts[0] if len(parts) == 1 else {op: parts}


def _compared(node: Compare) -> Clause | None:
    if node.key in OWN_KEYS or not flat_key(node.key):
        return None
    if node.op == "$eq":
        return _equal(node.key, node.operand)
    if node.op == "$in" and isinstance(node.operand, tuple):
        return _narrowed(Or(tuple(Compare(node.key, "$eq", part) for part in node.operand)))
    if isinstance(node.operand, Dated) and node.op in ("$lt", "$lte", "$gt", "$gte"):
        return _dated(node.key, node.operand, upper=node.op in ("$lt", "$lte"), lower=node.op in ("$gt", "$gte"))
    return None


def _equal(key: str, operand: "Operand | tuple[Operand, ...]") -> Clause | None:
    if isinstance(operand, Dated):
        return _dated(key, operand, upper=True, lower=True)
    if isinstance(operand, bool | str):
        return {key: operand} if flat_value(operand) else None
    if isinstance(operand, int | float) and abs(operand) < 2**53:
        return {"$or": [{key: int(operand)}, {key: float(operand)}]} if operand == int(operand) else {key: operand}
    return None


def _dated(key: str, operand: Dated, *, upper: bool, lower: bool) -> Clause | None:
    name = DATE_KEY.format(key)
    bounds = [{name: {"$gte": operand.start / 1e6 - WIDEST}}] if lower else []
    bounds += [{name: {"$lte": operand.end / 1e6 + WIDEST}}] if upper else []
    return _joined("$and", bounds)
