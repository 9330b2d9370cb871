"""A filter asked of all occurrences of what repeats at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ana.memory.filters import ORDER, And, Compare, DateOperand, Node, On, Or, matches
from ana.memory.item import Item
from ana.time.repeats import DATE_KEYS

Mask: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]

_BEGIN = ("$gt", "$gte", "$eq", "$in", "$contains")
"""Operators that say from when on."""


@dataclass(frozen=True)
class Occurrences:
    """The occurrences of many items, those of each item together and in order.

    Args:
        items: The items.
        owner: Whose each occurrence is, a place in `items`.
        starts: When each date of it begins, by property, in microseconds since 1970 in UTC.
        stops: When it ends.
        has: Whether the item has that date.
        show: Returns an occurrence's item, with its dates.
    """

    items: Sequence[Item]
    owner: Numbers
    starts: dict[str, Numbers]
    stops: dict[str, Numbers]
    has: dict[str, Mask]
    show: Callable[[int], Item]

    def test(self, node: Node, alive: Mask) -> Mask:
        """Return which occurrences pass a filter, of those that are alive."""
        if isinstance(node, Or):
            parts = [self.test(part, alive) for part in node.parts]
            return np.logical_or.reduce(parts) if parts else ~alive & alive
        if isinstance(node, And):
            # those about days first: they leave few items that the others have to be asked of
            for part in sorted(node.parts, key=lambda part: not asks_days(part)):
                alive = alive & self.test(part, alive)
            return alive
        return self._touch(node.window, alive, node) if isinstance(node, On) else self._compare(node, alive)

    def get_stored(self, at: int) -> Item:
        """Return an occurrence's item as it is stored."""
        return self.items[int(self.owner[at])]

    def find_owners(self, mask: Mask) -> Mask:
        """Return the occurrences of every item of which one is in a mask."""
        owners = np.zeros(len(self.items), bool)
        owners[self.owner[mask]] = True
        return owners[self.owner]

    def ask_items(self, test: Callable[[Item], bool], alive: Mask) -> Mask:
        """Return the occurrences of the items that pass a test, of those that are alive."""
        passing = np.zeros(len(self.items), bool)
        asked = np.unique(self.owner[alive]).tolist()
        passing[asked] = [test(self.items[at]) for at in asked]
        return passing[self.owner] & alive

    def _compare(self, node: Compare, alive: Mask) -> Mask:
        has = self.has.get(node.key)
        if has is None or not has.any():
            return self.ask_items(lambda item: matches(node, item), alive)
        if not all(isinstance(operand, DateOperand) for operand in node.operands):
            mask = np.zeros(len(alive), bool)
            mask[[at for at in np.flatnonzero(alive).tolist() if matches(node, self.show(at))]] = True
            return mask
        mask = has & np.logical_or.reduce([self._order(node, bound) for bound in node.operands])
        if node.op in ("$ne", "$nin"):
            mask = ~self.find_owners(mask)
        return np.where(has, mask, self.ask_items(lambda item: matches(node, item), alive & ~has))

    def _order(self, node: Compare, bound: object) -> Mask:
        assert isinstance(bound, DateOperand)
        start, stop = self.starts[node.key], self.stops[node.key]
        before, after = _compare_spans(start, stop, bound)
        if node.op in ORDER:
            return {"$gt": after, "$gte": ~before, "$lt": before, "$lte": ~after}[node.op]
        return ~before & ~after & (start >= bound.start) & (stop <= bound.end)

    def _touch(self, window: DateOperand, alive: Mask, node: On) -> Mask:
        found = np.zeros(len(alive), bool)
        for key, has in self.has.items():
            found |= has & _touches(self.starts[key], self.stops[key], window)
        both = self.has["start_date"] & self.has["end_date"] & (self.starts["start_date"] <= self.stops["end_date"])
        found |= both & _touches(self.starts["start_date"], self.stops["end_date"], window)
        return found | self.ask_items(lambda item: matches(node, _drop_dates(item)), alive & ~found)


def asks_days(node: Node) -> bool:
    """Return whether a filter asks for days of what repeats; one that only excludes some asks for none."""
    if isinstance(node, And | Or):
        return any(map(asks_days, node.parts))
    return isinstance(node, On) or (node.key in DATE_KEYS and node.op not in ("$ne", "$nin") and _has_dates(node))


def says_from_when(node: Node) -> bool:
    """Return whether a filter says from when on."""
    if isinstance(node, And | Or):
        return any(map(says_from_when, node.parts))
    if isinstance(node, On):
        return node.window.start > _LONG_AGO
    return node.key in DATE_KEYS and node.op in _BEGIN and _has_dates(node)


def iter_bounds(node: Node) -> "list[int]":
    """Return the moments that the dates of a filter begin and end at."""
    if isinstance(node, And | Or):
        return [bound for part in node.parts for bound in iter_bounds(part)]
    windows = (
        [node.window] if isinstance(node, On) else [each for each in node.operands if isinstance(each, DateOperand)]
    )
    return [bound for window in windows for bound in (window.start, window.end) if abs(bound) < -_LONG_AGO]


_LONG_AGO = -(2**61)


def _has_dates(node: Compare) -> bool:
    return any(isinstance(operand, DateOperand) for operand in node.operands)


def _compare_spans(start: Numbers, stop: Numbers, bound: DateOperand) -> tuple[Mask, Mask]:
    """Return which spans are wholly before a bound, and which after."""
    return (stop <= bound.start) & (start < bound.end), (start >= bound.end) & (stop > bound.start)


def _touches(start: Numbers, stop: Numbers, window: DateOperand) -> Mask:
    before, after = _compare_spans(start, stop, window)
    return ~before & ~after


def _drop_dates(item: Item) -> Item:
    """Return an item without the dates that its occurrences have, and those that only say something of the rule."""
    dropped = (*DATE_KEYS, "until", "except", "done_for")
    return Item(item.id, "", {key: value for key, value in item.properties.items() if key not in dropped}, "", "")
