"""Items that repeat: which pass a query, and by which of their occurrences.

An item passes if the whole filter holds for one of its occurrences, whose dates it has in the answer. $ne and $nin ask
all of them, as the opposites of $eq and $in. What passes by itself is not overdue: occurrences before today count only
if the query says from when on. An item that is asked for no day is at its present occurrence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice
from typing import TypeAlias

import numpy as np

from ana.memory.item import Item
from ana.memory.search.occurring import Mask, Numbers, Occurrences, asks_days, iter_bounds, says_from_when
from ana.memory.search.query import Query
from ana.memory.search.scoring import days_span
from ana.memory.status import has_status
from ana.time.repeats import DATE_KEYS, Repeat, iter_places, look_ahead, make_occurrence, may_repeat, read_repeat
from ana.time.spans import Span, day_span, to_micros

BEFORE, AFTER, SPARE = timedelta(days=31), timedelta(days=62), timedelta(days=31)
"""How far around the present occurrences are always known, and how much farther when they are worked out."""

WIDE = timedelta(days=366 * 3)
"""Those of a longer stretch are not kept, as a question about many years would keep very many."""

_MOST_MICROS = 10**16
"""In some 300 years."""

MOST = 5000
"""Occurrences of one item that a query looks at."""

Places: TypeAlias = list[tuple[datetime, datetime]]
"""When occurrences begin, in local time, each with the moment that its rule gives it."""


@dataclass(frozen=True)
class SeriesHits:
    """Which items that repeat pass a query.

    Args:
        every: The rows of all that repeat, whether they pass or not.
        rows: Those that pass, ascending.
        starts: When the occurrence begins by which each passes, in microseconds since 1970 in UTC.
        on_day: Whether it is on a day that the query's text names.
        places: Which occurrence that is.
        show: Returns the item at an occurrence, with its dates.
        stored: Returns it as it is stored.
    """

    every: list[int]
    rows: Numbers
    starts: Numbers
    on_day: Mask
    places: Numbers
    show: Callable[[int], Item]
    stored: Callable[[int], Item]

    def show_row(self, row: int) -> Item:
        """Return the item of a row that passes."""
        return self.show(int(self.places[np.searchsorted(self.rows, row)]))

    def get_start(self, row: int) -> int:
        """Return when the occurrence of a row that passes begins."""
        return int(self.starts[np.searchsorted(self.rows, row)])

    def find_earliest(self, limit: int) -> list[int]:
        """Return the rows whose occurrence is among the earliest; of equal ones the newest, then the first by id."""
        bar = np.partition(self.starts, limit - 1)[limit - 1] if len(self.rows) > limit else np.inf
        found = np.flatnonzero(self.starts <= bar)
        if len(found) > limit:  # ties, which are not shown for this: that would take longer than the query
            level = sorted(found.tolist(), key=lambda at: self.stored(int(self.places[at])).id)
            level.sort(key=lambda at: self.stored(int(self.places[at])).created_at, reverse=True)
            found = np.array(sorted(level, key=lambda at: int(self.starts[at]))[:limit])
        return [int(row) for row in self.rows[found]]


def _show_none(at: int) -> Item:
    raise IndexError(at)


_NONE = np.empty(0, np.int64)
NO_SERIES = SeriesHits([], _NONE, _NONE, np.empty(0, bool), _NONE, _show_none, _show_none)
"""Of a store where nothing repeats."""


class Series:
    """The items of one store that repeat, in one zone."""

    def __init__(self, zone: tzinfo, items: Iterable[tuple[int, Item]] = ()) -> None:
        self.zone = zone
        self._repeats: dict[int, tuple[Item, Repeat]] = {}
        self._places: dict[int, Places] = {}
        self._window = (datetime.max, datetime.min)
        self._known: _Known | None = None
        for row, item in items:
            self.put(row, item)

    def put(self, row: int, item: Item) -> None:
        """Enter an item, in place of what the row had; one that does not repeat is left out."""
        self.remove(row)
        if may_repeat(item.properties) and (repeat := read_repeat(item.properties, self.zone)):
            self._repeats[row] = item, repeat

    def remove(self, row: int) -> None:
        if self._repeats.pop(row, None):
            self._known = None
            self._places.pop(row, None)

    def find(self, query: Query) -> SeriesHits:
        """Return which items pass a query."""
        if not self._repeats:
            return NO_SERIES
        known = self._know(query)
        of, now = known.of, to_micros(query.now)
        asked = bool(query.due) or asks_days(query.where)
        alive = np.ones(len(of.owner), bool)
        if asked and not (says_from_when(query.where) or (query.due and query.due[0] > date.min)):
            alive = known.waits | (known.stops > day_span(query.now.astimezone(self.zone).date(), self.zone)[0])
        if query.excluded:
            alive = of.ask_items(lambda item: not has_status(item.properties, query.excluded), alive)
        passing = of.test(query.where, alive) & alive
        passing = passing & known.is_within(days_span(*query.due, self.zone)) if query.due else passing
        on_day = np.zeros(len(passing), bool)
        for mention in query.text.mentions if query.text else ():
            on_day |= known.is_within(days_span(mention.first, mention.last, self.zone))
        pool = passing if asked else of.find_owners(passing)
        present = pool & (known.waits | (known.stops > now))
        places = _choose(of, [pool & on_day & present, pool & on_day, present, pool])
        rows = np.array(known.rows, np.int64)[of.owner[places]]
        return SeriesHits(known.rows, rows, known.starts[places], on_day[places], places, of.show, of.get_stored)

    def _know(self, query: Query) -> "_Known":
        """Return all occurrences that a query may ask for."""
        now = query.now.astimezone(self.zone).replace(tzinfo=None)
        bounds = [now - BEFORE, now + AFTER, *(self._to_local(bound) for bound in _iter_asked(query))]
        first, last = min(bounds), max(bounds)
        begin, end = self._window
        if first < begin or last > end or end - begin > WIDE:
            self._window = first - SPARE, last + SPARE
            self._places.clear()
            self._known = None
        if self._known is None:
            self._known = self._list_known()
        return self._known

    def _list_known(self) -> "_Known":
        for row, (_, repeat) in self._repeats.items():
            if row not in self._places:
                self._places[row] = [*_iter_known(repeat, *self._window)]
        rows = sorted(row for row in self._repeats if self._places[row])
        return _Known.make(rows, [self._repeats[row] for row in rows], [self._places[row] for row in rows])

    def _to_local(self, bound: int) -> datetime:
        within = max(min(bound, _MOST_MICROS), -_MOST_MICROS)
        return (
            (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=within))
            .astimezone(self.zone)
            .replace(tzinfo=None)
        )


@dataclass(frozen=True)
class _Known:
    """The occurrences that are known.

    Args:
        rows: The items' rows.
        of: The occurrences.
        starts: When the date begins that their rule counts from.
        ends: When it ends.
        stops: When all of it is over.
        waits: Whether it stays until it is done.
    """

    rows: list[int]
    of: Occurrences
    starts: Numbers
    ends: Numbers
    stops: Numbers
    waits: Mask

    @classmethod
    def make(cls, rows: list[int], known: list[tuple[Item, Repeat]], places: list[Places]) -> "_Known":
        flat = [(at, place) for at, each in enumerate(places) for place in each]
        count = len(flat)
        owner = np.array([at for at, _ in flat], np.int64)
        starts, stops = ({key: np.zeros(count, np.int64) for key in DATE_KEYS} for _ in "ab")
        has = {key: np.zeros(count, bool) for key in DATE_KEYS}
        lead = np.zeros((3, count), np.int64)
        for at, (own, (actual, _)) in enumerate(flat):
            repeat = known[own][1]
            for n, key in enumerate(repeat.keys):
                start, stop = _measure(actual + key.distance, repeat, is_day=key.form == "day")
                starts[key.name][at], stops[key.name][at], has[key.name][at] = start, stop, True
                if n == 0:
                    lead[:2, at] = start, stop
                lead[2, at] = max(lead[2, at], stop)

        def show(at: int) -> Item:
            own, (actual, ruled) = flat[at]
            item, repeat = known[own]
            return show_occurrence(item, make_occurrence(repeat, ruled, actual).dates)

        waits = np.array([known[own][1].waits for own, _ in flat], bool)
        return cls(
            rows,
            Occurrences([item for item, _ in known], owner, starts, stops, has, show),
            lead[0],
            lead[1],
            lead[2],
            waits,
        )

    def is_within(self, days: Span) -> Mask:
        """Return which are wholly within a stretch of time."""
        return (days[0] <= self.starts) & (self.starts <= days[1]) & (self.ends <= days[1])


def show_occurrence(item: Item, dates: Mapping[str, str]) -> Item:
    """Return an item with the dates of an occurrence, of which the first is its own date."""
    lead = {key: value for key, value in dates.items() if key == next(iter(dates)) and key != "due_date"}
    return replace(item, properties={**lead, **item.properties, **dates})


def _iter_asked(query: Query) -> Iterator[int]:
    yield from iter_bounds(query.where)
    days = [query.due] if query.due else []
    days += [(mention.first, mention.last) for mention in query.text.mentions] if query.text else []
    for first, last in days:
        begin, end = days_span(max(first, date(1900, 1, 1)), last, query.zone)
        yield from (begin, end) if first > date.min else (end,)


def _iter_known(repeat: Repeat, since: datetime, last: datetime) -> Iterator[tuple[datetime, datetime]]:
    """Yield the first occurrence, those of a window, and the next after it."""
    first = next(iter_places(repeat, min([repeat.first, *repeat.moved.values()]), look_ahead(repeat, since)), None)
    if first and first[0] < since:
        yield first
    for place in islice(iter_places(repeat, since, look_ahead(repeat, last)), MOST):
        if place != first or first[0] >= since:
            yield place
        if place[0] > last:
            return


def _measure(local: datetime, repeat: Repeat, *, is_day: bool) -> Span:
    if is_day:
        return day_span(local.date(), repeat.zone)
    start = to_micros(local.replace(tzinfo=repeat.zone))
    return start, start + 1


def _choose(of: Occurrences, preferred: Sequence[Mask]) -> Numbers:
    """Return one occurrence of each item, the first of the first of these masks that has any of it."""
    chosen = np.full(len(of.items), -1, np.int64)
    for mask in reversed(preferred):
        found = np.flatnonzero(mask)
        owners = of.owner[found]
        is_first = np.diff(owners, prepend=-1) > 0
        chosen[owners[is_first]] = found[is_first]
    return chosen[chosen >= 0]
