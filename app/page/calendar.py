"""The calendar: a month, and a week by its hours."""

import math
from calendar import Calendar
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ana.errors import UserError
from ana.handles import DataHandles
from ana.memory.views import localize
from ana.time.dates import name_day, name_month
from ana.translation import _
from app.dated import Dated, list_dated, tell_time
from app.page.marking import read_day
from app.page.shell import render
from app.page.today import ShownItem, show_item
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool

OF_A_DAY = 3
"""Items of a day in a month, and of a day in a week that have no hour."""

LANES = 3
"""Items beside each other at the same time."""

QUARTERS = 4
"""Of an hour: what a week counts in."""

HOURS = range(7, 21)
"""The hours of a week; earlier and later ones where something is."""

LAST = "~"
"""Sorts after every time, which begins with a digit."""

Times = tuple[int, int]
"""From when to when something takes place, in quarters of an hour since midnight."""


@dataclass(frozen=True)
class Placed:
    """An item among the hours of a day.

    Args:
        at: When it begins, in quarters of an hour since midnight.
        long: How long it takes, in quarters of an hour.
        lane: Its place among what is at the same time, from 0.
        lanes: How many there are beside each other.
    """

    item: ShownItem
    at: int
    long: int
    lane: int
    lanes: int = 1

    @property
    def first_hour(self) -> int:
        """The hour in which it begins."""
        return self.at // QUARTERS

    @property
    def last_hour(self) -> int:
        """The full hour by which it has ended."""
        return math.ceil((self.at + self.long) / QUARTERS)


@dataclass(frozen=True)
class ShownDay:
    """A day in a month or a week, with what is shown of it and how many items more there are; `placed` has an hour."""

    day: date
    items: Sequence[ShownItem]
    placed: Sequence[Placed]
    more: int


@dataclass(frozen=True)
class Span:
    """The days that are shown.

    Args:
        kind: `week` or `month`.
        title: What they are called.
        dates: The days, in a month with those that fill its first and its last week.
        before: What stands in the address of the span before.
        after: And of the one after.
        other: The query of the other kind around the same days.
    """

    kind: str
    title: str
    dates: Sequence[date]
    before: str
    after: str
    other: str


async def show(request: Request) -> Response:
    """GET /app/calendar?month=2026-12, or ?week=2026-12-03 for the week of that day."""
    handles, query = (await find_workspace(request)).handles, request.query_params
    today, week = handles.clock.now().date(), query.get("week")
    span = _find_week(read_day(week, today)) if week else _find_month(query.get("month"), today)
    days, is_cut = await run_in_threadpool(_read_days, handles, span.dates, bool(week))
    placed = [each for day in days for each in day.placed]
    return await render(
        request,
        "calendar.html",
        **vars(span),
        days=days,
        today=today,
        month=span.dates[len(span.dates) // 2].month,
        first_hour=min([HOURS.start, *(each.first_hour for each in placed)]),
        last_hour=max([HOURS.stop, *(each.last_hour for each in placed)]),
        is_new=await run_in_threadpool(handles.memory.count) == 0,
        is_cut=is_cut,
    )


def _find_week(day: date) -> Span:
    first = day - timedelta(day.weekday())
    last, week = first + timedelta(6), timedelta(7)
    title = f"{name_day(first, first.year)} – {name_day(last)}"
    dates = [first + timedelta(n) for n in range(7)]
    return Span("week", title, dates, str(first - week), str(first + week), f"month={day:%Y-%m}")


def _find_month(written: str | None, today: date) -> Span:
    """Return a month, this one if none is written. Raises UserError if it is none, or of another age."""
    try:
        first = datetime.strptime(written or f"{today:%Y-%m}", "%Y-%m").date()
    except ValueError as exc:
        message = _("{value} is no month.").format(value=f"{written!r:.40}")
        raise UserError(message, _("A month looks like 2026-12.")) from exc
    first = read_day(str(first), today)
    dates = [day for week in Calendar().monthdatescalendar(first.year, first.month) for day in week]
    before, after = (f"{first + timedelta(days):%Y-%m}" for days in (-1, 32))
    week = today if f"{today:%Y-%m}" == f"{first:%Y-%m}" else first
    return Span("month", name_month(first), dates, before, after, f"week={week}")


def _read_days(handles: DataHandles, dates: Sequence[date], has_hours: bool) -> tuple[list[ShownDay], bool]:
    """Return days with what is on them, and whether there are more items than are read."""
    by_day: defaultdict[date, list[Dated]] = defaultdict(list)
    dated, is_cut = list_dated(handles, dates[0], dates[-1])
    for each in dated:
        by_day[each.day].append(replace(each, item=localize(each.item, handles.clock.zone)))
    return [_show_day(day, by_day[day], has_hours) for day in dates], is_cut


def _show_day(day: date, dated: Sequence[Dated], has_hours: bool) -> ShownDay:
    known = [(each.item, _find_times(each) if has_hours else None) for each in dated]
    without_hour = [item for item, times in known if times is None]
    without_hour.sort(key=lambda item: tell_time(item, day) or LAST)
    placed = list(_place((show_item(item, day=day), times) for item, times in known if times))
    visible = [each for each in placed if each.lane < LANES]
    hidden = max(len(without_hour) - OF_A_DAY, 0) + len(placed) - len(visible)
    return ShownDay(day, [show_item(item, day=day) for item in without_hour[:OF_A_DAY]], visible, hidden)


def _find_times(dated: Dated) -> Times | None:
    """Return when an item is on a day; None where it has no hour there: what has no end takes an hour."""
    begin, end = dated.item.date or "", str(dated.item.properties.get("end_date") or "")
    if not begin[11:16] or dated.first < dated.day:
        return None
    at = _count_quarters(begin)
    if "due_date" in dated.item.properties or not end[11:16]:
        return at, at + QUARTERS
    return at, max(_count_quarters(end) if end[:10] == begin[:10] else 24 * QUARTERS, at + QUARTERS // 2)


def _count_quarters(written: str) -> int:
    """Return the quarters of an hour from midnight to the time of a moment."""
    return int(written[11:13]) * QUARTERS + int(written[14:16]) // 15


def _place(timed: Iterable[tuple[ShownItem, Times]]) -> Iterator[Placed]:
    """Yield items by their times, each beside those with which it shares one."""
    ends: list[int] = []
    """When each lane is free again."""
    beside: list[Placed] = []
    """Items that overlap, directly or through others: all of them get lanes of the same width."""
    for item, (begin, end) in sorted(timed, key=lambda pair: pair[1]):
        if all(free <= begin for free in ends):
            yield from _share_width(beside, len(ends))
            ends, beside = [], []
        lane = next((n for n, free in enumerate(ends) if free <= begin), None)
        if lane is None:
            lane = len(ends)
            ends.append(end)
        else:
            ends[lane] = end
        beside.append(Placed(item, begin, end - begin, lane))
    yield from _share_width(beside, len(ends))


def _share_width(beside: Iterable[Placed], lanes: int) -> Iterator[Placed]:
    return (replace(each, lanes=min(lanes, LANES)) for each in beside)
