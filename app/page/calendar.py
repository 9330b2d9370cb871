"""The calendar: a month, and a week by its hours."""

from calendar import Calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ana.handles import DataHandles
from app.dated import Dated, list_dated, tell_time
from app.page.marking import DAY, read_day
from app.page.today import ShownItem, show_item
from app.page.visits import Page, Visit

OF_A_DAY = 3
"""Items of a day in a month, and of a day in a week that have no hour."""

LANES = 3
"""Items beside each other at the same time."""

QUARTERS = 4
"""Of an hour: what a week counts in."""

HOURS = range(7, 21)
"""The hours of a week; earlier and later ones where something is."""

Times = tuple[int, int]
"""From when to when something takes place, in quarters of an hour since midnight."""


@dataclass(frozen=True)
class Placed:
    """An item among the hours of a day.

    Args:
        at: Its beginning, in quarters of an hour since midnight.
        long: Its duration, in quarters of an hour.
        lane: Its place among items at the same time, from 0.
        lanes: The number of items beside each other.
    """

    item: ShownItem
    at: int
    long: int
    lane: int
    lanes: int = 1


@dataclass(frozen=True)
class ShownDay:
    """A day in a month or a week, with its shown items and the number of others; `placed` are those with an hour."""

    day: date
    items: Sequence[ShownItem]
    placed: Sequence[Placed]
    more: int


def show(visit: Visit) -> Page:
    """GET /app/calendar?month=2026-12, or ?week=2026-12-03 for the week of that day."""
    today, week = visit.today, visit.ask("week")
    month = visit.ask("month") or f"{today:%Y-%m}"
    day = read_day(week or f"{month}-01", today)
    dates = [day + (n - day.weekday()) * DAY for n in range(7)] if week else _list_month(day)
    days, is_cut = _read_days(visit.handles, dates, bool(week))
    placed = [each for day in days for each in day.placed]
    return Page(
        "calendar.html",
        is_week=bool(week),
        chosen=day,
        before=dates[0] - 7 * DAY,
        after=dates[-1] + DAY,
        days=days,
        today=today,
        first_hour=min([HOURS.start, *(each.at // QUARTERS for each in placed)]),
        last_hour=max([HOURS.stop, *(-(-(each.at + each.long) // QUARTERS) for each in placed)]),
        is_new=visit.handles.memory.count() == 0,
        is_cut=is_cut,
    )


def _list_month(first: date) -> list[date]:
    """Return the days of a month, with the days before and after that complete its first and last week."""
    return [day for week in Calendar().monthdatescalendar(first.year, first.month) for day in week]


def _read_days(handles: DataHandles, dates: Sequence[date], has_hours: bool) -> tuple[list[ShownDay], bool]:
    """Return days with their items, and whether there are more items than are read."""
    by_day: defaultdict[date, list[Dated]] = defaultdict(list)
    dated, is_cut = list_dated(handles, dates[0], dates[-1])
    for each in dated:
        by_day[each.day].append(each)
    return [_show_day(day, by_day[day], has_hours) for day in dates], is_cut


def _show_day(day: date, dated: Sequence[Dated], has_hours: bool) -> ShownDay:
    known = [(each.shown, _find_times(each) if has_hours else None) for each in dated]
    rest = sorted((item for item, times in known if times is None), key=lambda item: tell_time(item, day) or "~")
    placed = [*_place((show_item(item, day=day), times) for item, times in known if times)]
    seen = [each for each in placed if each.lane < LANES]
    more = max(len(rest) - OF_A_DAY, 0) + len(placed) - len(seen)
    return ShownDay(day, [show_item(item, day=day) for item in rest[:OF_A_DAY]], seen, more)


def _find_times(dated: Dated) -> Times | None:
    """Return the times of an item on a day; None if it has no hour there. An item without an end takes an hour."""
    begin, end = dated.shown.date or "", str(dated.shown.properties.get("end_date") or "")
    if not begin[11:16] or dated.first < dated.day:
        return None
    at = _count_quarters(begin)
    if "due_date" in dated.shown.properties or not end[11:16]:
        return at, at + QUARTERS
    return at, max(_count_quarters(end) if end[:10] == begin[:10] else 24 * QUARTERS, at + QUARTERS // 2)


def _count_quarters(written: str) -> int:
    """Return the number of quarters of an hour from midnight to a moment."""
    return int(written[11:13]) * QUARTERS + int(written[14:16]) // 15


def _place(timed: Iterable[tuple[ShownItem, Times]]) -> Iterator[Placed]:
    """Yield items by their times, in lanes beside other items at the same time."""
    ends: list[int] = []  # when each lane is free again
    beside: list[Placed] = []
    for item, (at, end) in sorted(timed, key=lambda pair: pair[1]):
        if at >= max(ends, default=0):
            yield from (replace(each, lanes=min(len(ends), LANES)) for each in beside)
            ends, beside = [], []
        lane = next((n for n, free in enumerate(ends) if free <= at), len(ends))
        ends[lane : lane + 1] = [end]
        beside.append(Placed(item, at, end - at, lane))
    yield from (replace(each, lanes=min(len(ends), LANES)) for each in beside)
