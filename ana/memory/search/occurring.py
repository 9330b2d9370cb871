"""The occurrences of many items as arrays, and a filter applied to all of them at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ana.memory.filters import ORDER, And, Compare, DateOperand, Node, On, Or, matches
from ana.memory.filters.matching import get_value, iter_date_spans
from ana.memory.item import Item
from ana.memory.status import has_status
from ana.memory.travel import make_absolute
from ana.memory.views import show_occurrence
from ana.time.repeats import ALSO, DATE_KEYS, Repeat, make_occurrence
from ana.time.spans import Span, get_day_span, to_micros

Mask: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64]
Place: TypeAlias = tuple[datetime, datetime]
"""When an occurrence begins, in local time, with the moment that its rule gives it."""

NO_NUMBERS = np.empty(0, np.int64)
FAR = 2**61
"""Before and after all moments, in microseconds."""

_RULE_DATES = (*DATE_KEYS, "until", "except", ALSO, "done_for")
"""The dates that occurrences have, and those that only say something of the rule: neither counts as another date."""


@dataclass(frozen=True)
class Expansion:
    """An item with its occurrences.

    Args:
        places: Its occurrences, in order.
        spans: The beginning and end of each date of DATE_KEYS, in microseconds since 1970 in UTC; shape (dates, 2,
            places).
        others: The spans of dates that do not move on.
    """

    item: Item
    repeat: Repeat
    places: list[Place]
    spans: Numbers
    others: Sequence[Span]

    @classmethod
    def make(cls, item: Item, repeat: Repeat, places: list[Place], zone: tzinfo) -> "Expansion":
        spans = np.zeros((len(DATE_KEYS), 2, len(places)), np.int64)
        for key in repeat.keys:
            spans[DATE_KEYS.index(key.name)] = np.array(
                [_measure(actual + key.distance, repeat, is_day=key.form == "day") for actual, _ in places]
            ).T
        other = {key: value for key, value in make_absolute(item).properties.items() if key not in _RULE_DATES}
        return cls(item, repeat, places, spans, [*iter_date_spans(other, zone)])


class Occurrences:
    """The occurrences of many items, at least one each; those of an item are together and in order, and each has a
    number.
    """

    def __init__(self, known: dict[int, Expansion]) -> None:
        self.rows = np.array([*known], np.int64)
        self._known = [*known.values()]
        counts = [len(each.places) for each in self._known]
        self._firsts = np.cumsum([0, *counts])
        self.owner = np.repeat(np.arange(len(counts)), counts)
        names = [{key.name for key in each.repeat.keys} for each in self._known]
        self._has = np.array([[key in each for each in names] for key in DATE_KEYS])
        pairs = [*((n, n) for n in range(len(DATE_KEYS))), (DATE_KEYS.index("start_date"), DATE_KEYS.index("end_date"))]
        both = [(first, last, self._has[first] & self._has[last]) for first, last in pairs]
        self._stretches = [each for each in both if each[2].any()]
        spans = np.concatenate([each.spans for each in self._known], axis=2)
        self._starts, self._stops = np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
        leads = np.array([DATE_KEYS.index(each.repeat.keys[0].name) for each in self._known])[self.owner]
        every = np.arange(len(self.owner))
        self.starts, self._ends = self._starts[leads, every], self._stops[leads, every]
        has = self._has[:, self.owner]
        begins = np.where(has, self._starts, FAR).min(axis=0)
        self.stops = np.where(has, self._stops, -FAR).max(axis=0)
        self.waits = np.array([each.repeat.waits for each in self._known])[self.owner]
        self._order = np.argsort(begins)
        self._begins, self._longest = begins[self._order], int((self.stops - begins).max())
        others = [(own, *span) for own, each in enumerate(self._known) for span in each.others]
        self._others = np.array(others, np.int64).reshape(-1, 3).T
        self._loose = np.flatnonzero(np.array([*map(_has_other_dates, self._known)])[self.owner])
        self._columns: dict[str, tuple[Numbers, list[Item]]] = {}
        order = sorted(range(len(counts)), key=lambda own: self._known[own].item.id)
        order.sort(key=lambda own: self._known[own].item.created_at, reverse=True)
        self.ranks: Numbers = np.argsort(order)[self.owner]

    def find_touching(self, begin: int, end: int) -> Numbers:
        """Return, ascending, the occurrences that may touch a stretch of time, and items with other dates."""
        first = np.searchsorted(self._begins, begin - self._longest)
        hits = self._order[first : np.searchsorted(self._begins, end, "right")]
        return np.union1d(hits, self._loose) if len(self._loose) else np.sort(hits)

    def find_present(self, now: int) -> Numbers:
        """Return the number of each item's present occurrence, or of its first one if all are over."""
        every = np.arange(len(self.owner))
        return self.choose(every, [self.is_present(every, now)])

    def is_present(self, at: Numbers, now: int) -> Mask:
        """Return a mask of the occurrences that wait to be done, or are not over."""
        present: Mask = self.waits[at] | (self.stops[at] > now)
        return present

    def is_within(self, at: Numbers, days: Span) -> Mask:
        """Return a mask of the occurrences wholly within a stretch of time, by the date that their rule counts from."""
        within: Mask = (days[0] <= self.starts[at]) & (self.starts[at] <= days[1]) & (self._ends[at] <= days[1])
        return within

    def select(self, node: Node, at: Numbers) -> Numbers:
        """Return the occurrences that pass a filter, ascending."""
        if isinstance(node, Or):
            passes = np.zeros(len(self.owner), bool)
            for part in node.parts:
                passes[self.select(part, at)] = True
            return np.flatnonzero(passes)
        if isinstance(node, And):
            for part in node.parts:
                at = self.select(part, at) if len(at) else at
            return at
        return at[self._touch(node.window, at) if isinstance(node, On) else self._compare(node, at)]

    def drop_status(self, statuses: tuple[str, ...], at: Numbers) -> Numbers:
        """Return the occurrences of items that have none of these statuses."""
        codes, samples = self._group("status")
        passes: Mask = np.array([not has_status(item.properties, statuses) for item in samples])
        selected: Numbers = at[passes[codes[self.owner[at]]]]
        return selected

    def keep_items(self, at: Numbers, passing: Numbers) -> Numbers:
        """Return the occurrences of items that have at least one occurrence that passes."""
        return at[self._mark_items(passing)[self.owner[at]]]

    def choose(self, at: Numbers, preferred: Sequence[Mask]) -> Numbers:
        """Return one occurrence of each item: the first one in the first mask that has any, or else its first."""
        chosen = np.full(len(self._known), -1, np.int64)
        for numbers in (at, *(at[mask] for mask in reversed(preferred))):
            backwards = numbers[::-1]
            chosen[self.owner[backwards]] = backwards  # of several values the last is kept
        return chosen[chosen >= 0]

    def count_others(self, passing: Numbers, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return for each place how many passing occurrences of the same item come before it, and how many after."""
        owner = self.owner[passing]
        place = np.zeros(len(self._known), np.int64)
        place[self.owner[places]] = places
        sides = (passing < place[owner], passing > place[owner])
        before, after = (np.bincount(owner[side], minlength=len(self._known))[self.owner[places]] for side in sides)
        return before, after

    def get_stored(self, at: int) -> Item:
        """Return an occurrence's item, as it is stored."""
        return self._known[int(self.owner[at])].item

    def show(self, at: int) -> Item:
        """Return an occurrence's item, with its dates."""
        own = int(self.owner[at])
        each = self._known[own]
        actual, ruled = each.places[at - int(self._firsts[own])]
        return show_occurrence(each.item, make_occurrence(each.repeat, ruled, actual).dates)

    def _mark_items(self, at: Numbers) -> Mask:
        marked = np.zeros(len(self._known), bool)
        marked[self.owner[at]] = True
        return marked

    def _group(self, key: str) -> tuple[Numbers, list[Item]]:
        """Return a number for each item, the same for those with the same value, and an item for each number."""
        if key not in self._columns:
            texts = [repr(get_value(each.item, key)) for each in self._known]
            samples = {text: each.item for text, each in zip(texts, self._known, strict=True)}
            numbers = {text: n for n, text in enumerate(samples)}
            self._columns[key] = np.array([numbers[text] for text in texts]), [*samples.values()]
        return self._columns[key]

    def _ask_items(self, node: Node, key: str, at: Numbers) -> Mask:
        """Return which of these occurrences belong to items whose stored property passes a condition."""
        codes, samples = self._group(key)
        passing = np.array([matches(node, item) for item in samples])
        mask: Mask = passing[codes[self.owner[at]]]
        return mask

    def _compare(self, node: Compare, at: Numbers) -> Mask:
        n = DATE_KEYS.index(node.key) if node.key in DATE_KEYS else 0
        if node.key not in DATE_KEYS or not self._has[n].any():
            return self._ask_items(node, node.key, at)
        if not all(isinstance(operand, DateOperand) for operand in node.operands):
            return np.array([matches(node, self.show(each)) for each in at.tolist()], bool)
        has = self._has[n][self.owner[at]]
        if node.op in ("$ne", "$nin"):  # which ask all occurrences of an item
            every = np.arange(len(self.owner))
            mask = ~self._mark_items(every[self._compare_dates(node, n, every)])[self.owner[at]]
        else:
            mask = self._compare_dates(node, n, at)
        return mask if has.all() else np.where(has, mask, self._ask_items(node, node.key, at))

    def _compare_dates(self, node: Compare, n: int, at: Numbers) -> Mask:
        passing = self._has[n][self.owner[at]]
        start, stop = self._starts[n][at], self._stops[n][at]
        within: Mask = passing & np.logical_or.reduce([_order(node.op, start, stop, bound) for bound in node.operands])
        return within

    def _touch(self, window: DateOperand, at: Numbers) -> Mask:
        owner = self.owner[at]
        own, start, stop = self._others
        others = np.zeros(len(self._known), bool)
        if len(own):
            others[own[_touches(start, stop, window)]] = True
        touching: Mask = others[owner]
        for first, last, has in self._stretches:
            start, stop = self._starts[first][at], self._stops[last][at]
            touching |= has[owner] & (start <= stop) & _touches(start, stop, window)
        return touching


def _has_other_dates(each: Expansion) -> bool:
    """Return whether an item may pass a filter on days by a date that belongs to none of its occurrences."""
    moving = {key.name for key in each.repeat.keys}
    return bool(each.others) or any(key in each.item.properties and key not in moving for key in DATE_KEYS)


def _measure(local: datetime, repeat: Repeat, *, is_day: bool) -> Span:
    if is_day:
        return get_day_span(local.date(), repeat.zone)
    start = to_micros(local.replace(tzinfo=repeat.zone))
    return start, start + 1


def _order(op: str, start: Numbers, stop: Numbers, bound: object) -> Mask:
    assert isinstance(bound, DateOperand)
    before, after = _compare_spans(start, stop, bound)
    if op in ORDER:
        return {"$gt": after, "$gte": ~before, "$lt": before, "$lte": ~after}[op]
    return ~before & ~after & (start >= bound.start) & (stop <= bound.end)


def _compare_spans(start: Numbers, stop: Numbers, bound: DateOperand) -> tuple[Mask, Mask]:
    """Return which spans are wholly before a bound, and which after."""
    return (stop <= bound.start) & (start < bound.end), (start >= bound.end) & (stop > bound.start)


def _touches(start: Numbers, stop: Numbers, window: DateOperand) -> Mask:
    before, after = _compare_spans(start, stop, window)
    return ~before & ~after
