"""Repeating items in a query: the items that pass, each with one of its occurrences.

An item passes if the whole filter holds for one of its occurrences; the answer has the dates of that one. $ne and $nin
have to hold for all, as the opposites of $eq and $in. An item that takes place is never overdue: occurrences before
today count only if the query names a first day. A query without days finds an item at its present occurrence.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice

import numpy as np

from ana.memory.filters import And, Compare, DateOperand, Node, On, Or, iter_conditions
from ana.memory.item import Item
from ana.memory.search.occurring import FAR, NO_NUMBERS, Expansion, Mask, Numbers, Occurrences, Place
from ana.memory.search.query import Query
from ana.memory.search.result import OtherDates
from ana.memory.search.words import find_members
from ana.memory.travel import read_item_repeat
from ana.time.repeats import DATE_KEYS, Repeat, iter_places, look_ahead
from ana.time.repeats.occurring import MOST
from ana.time.spans import Span, get_day_span, get_days_span, to_micros

DAY = timedelta(days=1)
BEFORE, AFTER, SPARE = timedelta(days=31), timedelta(days=62), timedelta(days=31)
"""How far around the present occurrences are always known, and how much farther when they are worked out."""

_BEGIN = ("$gt", "$gte", "$eq", "$in", "$contains")
"""Operators that say from when on."""
_END = ("$lt", "$lte", "$eq", "$in", "$contains")

WIDE = timedelta(days=366 * 3)
"""Those of a longer stretch are not kept, as a question about many years would keep very many."""

_MOST_MICROS = 10**16
"""In some 300 years."""


@dataclass(frozen=True)
class SeriesHits:
    """The repeating items that pass a query.

    Args:
        rows: Their rows, ascending.
        starts: The beginning of the occurrence by which each passes, in microseconds since 1970 in UTC.
        on_day: Whether it is on a day that the query's text names.
        others: The numbers of its passing occurrences before that one and after it; 0 unless the query has a first
            and a last day.
        places: Which occurrence that is.
        of: All occurrences; None in a store without repeating items.
    """

    rows: Numbers
    starts: Numbers
    on_day: Mask
    others: tuple[Numbers, Numbers]
    places: Numbers
    of: Occurrences | None

    def show(self, rows: Sequence[int]) -> dict[int, Item]:
        """Return the items of the rows that pass, by row, with the dates of their occurrence."""
        return {row: self._show_at(at) for row, at in self._find_places(rows)}

    def count_others(self, rows: Sequence[int]) -> dict[str, OtherDates]:
        """Return by id how many other occurrences of an item pass, for the rows that have any."""
        before, after = self.others
        counts = {at: OtherDates(int(before[at]), int(after[at])) for _, at in self._find_places(rows)}
        return {self._show_at(at).id: count for at, count in counts.items() if any(count)}

    def list_stored(self, rows: Sequence[int]) -> dict[str, Item]:
        """Return the stored items of the rows that pass, by id."""
        items = [self.of.get_stored(int(self.places[at])) for _, at in self._find_places(rows)] if self.of else []
        return {item.id: item for item in items}

    def find_earliest(self, limit: int) -> list[tuple[int, int, Item]]:
        """Return the rows whose occurrences are the earliest, when they begin, and their items; of equal ones the
        newest, then the first by id.
        """
        if not self.of:
            return []
        first = np.lexsort((self.of.ranks[self.places], self.starts))[:limit]
        earliest = zip(self.rows[first].tolist(), self.starts[first].tolist(), first.tolist(), strict=True)
        return [(row, start, self._show_at(at)) for row, start, at in earliest]

    def _find_places(self, rows: Sequence[int]) -> Iterable[tuple[int, int]]:
        known = np.array(rows, np.int64)
        passing = known[find_members(self.rows, known)]
        return zip(passing.tolist(), np.searchsorted(self.rows, passing).tolist(), strict=True)

    def _show_at(self, at: int) -> Item:
        assert self.of
        return self.of.show(int(self.places[at]))


NO_SERIES = SeriesHits(NO_NUMBERS, NO_NUMBERS, np.empty(0, bool), (NO_NUMBERS, NO_NUMBERS), NO_NUMBERS, None)
"""Of a store where nothing repeats."""


def read_series(item: Item, zone: tzinfo) -> tuple[Repeat, Place] | None:
    """Return the rule of an item and its first occurrence; None if it does not repeat, or has no occurrence."""
    repeat = read_item_repeat(item, zone)
    if repeat is None:
        return None
    begin = min([repeat.begin, *repeat.moved.values()])
    first = next(iter_places(repeat, begin, look_ahead(repeat, repeat.first)), None)
    return first and (repeat, first)


class Series:
    """The items of one store that repeat, in one zone."""

    def __init__(self, zone: tzinfo, items: Iterable[tuple[int, Item]] = ()) -> None:
        self.zone = zone
        self._repeats: dict[int, tuple[Item, Repeat, Place]] = {}
        self._known: dict[int, Expansion] = {}
        self._window = (datetime.max, datetime.min)
        self._occurrences: Occurrences | None = None
        for row, item in items:
            self.put(row, item)

    @property
    def rows(self) -> Set[int]:
        """Return the rows of all that repeat."""
        return self._repeats.keys()

    def put(self, row: int, item: Item) -> None:
        """Enter an item, replacing the row; an item without any occurrence is left out."""
        self.remove(row)
        if series := read_series(item, self.zone):
            self._repeats[row] = item, *series
            self._occurrences = None

    def remove(self, row: int) -> None:
        if self._repeats.pop(row, None):
            self._occurrences = None
            self._known.pop(row, None)

    def find(self, query: Query) -> SeriesHits:
        """Return the items that pass a query."""
        if not self._repeats:
            return NO_SERIES
        of = self._expand(query)
        now, mentions = to_micros(query.now), query.text.mentions if query.text else ()
        days = [get_days_span(mention.first, mention.last, self.zone) for mention in mentions]
        today = get_day_span(query.now.astimezone(self.zone).date(), self.zone)[0]
        begin, end = _find_stretch(query.where)  # each occurrence touches it that passes
        if query.due:
            due = get_days_span(*query.due, self.zone)
            begin, end = max(begin, due[0] if query.due[0] > date.min else -FAR), min(end, due[1])
        passing = self._find_passing(query, of, (begin, end), now, today)
        pool = passing
        if not (query.due or _asks_days(query.where)):
            pool = of.find_present(now)
            if days:
                pool = np.unique(np.concatenate([pool, *(of.find_touching(*each) for each in days)]))
            pool = of.keep_items(pool, passing)
        on_day = np.zeros(len(pool), bool)
        for each in days:
            on_day |= of.is_within(pool, each)
        present = of.is_present(pool, now)
        named = [on_day & present, on_day] if days else []
        places = of.choose(pool, [*named, present])
        none = np.zeros(len(places), np.int64)
        others = of.count_others(passing, places) if begin > -FAR and end < FAR else (none, none)
        on_day = on_day[np.searchsorted(pool, places)]
        return SeriesHits(of.rows[of.owner[places]], of.starts[places], on_day, others, places, of)

    def _find_passing(self, query: Query, of: Occurrences, stretch: Span, now: int, today: int) -> Numbers:
        asks_days = bool(query.due) or _asks_days(query.where)
        names_dates = any(isinstance(each, On) or each.key in DATE_KEYS for each in iter_conditions(query.where))
        at = of.find_touching(*stretch) if names_dates or asks_days else of.find_present(now)
        if asks_days and not (_says_from_when(query.where) or (query.due and query.due[0] > date.min)):
            at = at[of.is_present(at, today)]
        if query.excluded:
            at = of.drop_status(query.excluded, at)
        at = of.select(query.where, at)
        return at[of.is_within(at, get_days_span(*query.due, self.zone))] if query.due else at

    def _expand(self, query: Query) -> Occurrences:
        """Return all occurrences that a query may ask for."""
        now = query.now.astimezone(self.zone).replace(tzinfo=None)
        bounds = [now - BEFORE, now + AFTER, *(_to_local(bound, self.zone) for bound in _iter_bounds(query))]
        # what keeps another zone has its days at most one earlier or later
        first, last = min(bounds) - DAY, max(bounds) + DAY
        begin, end = self._window
        if first < begin or last > end or end - begin > WIDE:
            self._window = first - SPARE, last + SPARE
            self._known.clear()
            self._occurrences = None
        if self._occurrences is None:
            for row, (item, repeat, place) in self._repeats.items():
                if row not in self._known:
                    self._known[row] = Expansion.make(
                        item, repeat, [*_iter_known(repeat, place, *self._window)], self.zone
                    )
            self._occurrences = Occurrences({row: self._known[row] for row in sorted(self._known)})
        return self._occurrences


def _to_local(bound: int, zone: tzinfo) -> datetime:
    within = max(min(bound, _MOST_MICROS), -_MOST_MICROS)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=within)
    return moment.astimezone(zone).replace(tzinfo=None)


def _iter_bounds(query: Query) -> Iterator[int]:
    for each in (operand for node in iter_conditions(query.where) for operand in _list_dates(node)):
        yield from (bound for bound in (each.start, each.end) if abs(bound) < FAR)
    days = [query.due] if query.due else []
    days += [(mention.first, mention.last) for mention in query.text.mentions] if query.text else []
    for first, last in days:
        begin, end = get_days_span(max(first, date(1900, 1, 1)), last, query.zone)
        yield from (begin, end) if first > date.min else (end,)


def _iter_known(repeat: Repeat, first: Place, since: datetime, last: datetime) -> Iterator[Place]:
    """Yield the first occurrence, those of a window, and the next after it."""
    if first[0] < since:
        yield first
    for place in islice(iter_places(repeat, since, look_ahead(repeat, last)), MOST):
        if place != first or first[0] >= since:
            yield place
        if place[0] > last:
            return


def _asks_days(node: Node) -> bool:
    """Return whether a filter asks for days of repeated items; a filter that only excludes days does not."""
    return any(
        isinstance(each, On) or (each.op not in ("$ne", "$nin") and _list_dates(each)) for each in iter_conditions(node)
    )


def _says_from_when(node: Node) -> bool:
    return any(
        each.window.start > -FAR if isinstance(each, On) else each.op in _BEGIN and _list_dates(each)
        for each in iter_conditions(node)
    )


def _find_stretch(node: Node) -> Span:
    """Return a stretch of time that every occurrence passing a filter touches."""
    if isinstance(node, And | Or):
        begins, ends = zip(*map(_find_stretch, node.parts), strict=True) if node.parts else ((-FAR,), (FAR,))
        return (max(begins), min(ends)) if isinstance(node, And) else (min(begins), max(ends))
    if isinstance(node, On):
        return max(node.window.start, -FAR), min(node.window.end, FAR)
    dates = _list_dates(node)
    if len(dates) < len(node.operands) or not dates:
        return -FAR, FAR
    begin = min(date.start for date in dates) if node.op in _BEGIN else -FAR
    return begin, max(date.end for date in dates) if node.op in _END else FAR


def _list_dates(node: Compare | On) -> list[DateOperand]:
    """Return the dates that a condition asks of occurrences."""
    if isinstance(node, On):
        return [node.window]
    return [each for each in node.operands if isinstance(each, DateOperand)] if node.key in DATE_KEYS else []
