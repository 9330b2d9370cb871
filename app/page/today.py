"""Today: items by their times, overdue and unmarked items, and the next days."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from starlette.responses import PlainTextResponse, Response

from ana.errors import UserError
from ana.handles import DataHandles
from ana.memory.item import Item
from ana.memory.status import CLOSED, has_status
from ana.output import escape_controls
from ana.time.dates import day_of, show_day
from ana.time.repeats import may_repeat
from ana.translation import _
from app.adding import describe_task, read_task
from app.answering import mark_done
from app.dated import tell_time
from app.due import WEEK, group_due_locally, name_group
from app.following import list_calendar_news
from app.page.marking import DAY, find_missed, list_labels, move, read_day
from app.page.shell import HEADERS
from app.page.visits import Page, Visit, keep_here
from app.show.items import localize_matches, show_date, tell_elsewhere
from app.show.text import shorten

SHOWN, OF_ONE_DAY = 20, 80
"""Items of a group among several, and of a day alone."""


@dataclass(frozen=True)
class ShownItem:
    """An item on a day.

    Args:
        item: The item in the form for people.
        id: Its id.
        content: Its text, cut to the available room.
        date: The date by which it was found, as written; empty if it has none.
        time: Its time of day; on a page of several days, the day.
        repeats: Whether it repeats.
        labels: Its project and its tags.
        is_done: Whether it is done or cancelled.
        missed: The number of its past unmarked dates.
    """

    item: Item
    id: str
    content: str
    date: str
    time: str
    repeats: bool
    labels: Sequence[str] = ()
    is_done: bool = False
    missed: int = 0


@dataclass(frozen=True)
class Group:
    """Items under a title, the number of items not shown, and the day that an item gets if it is dropped there."""

    title: str
    items: Sequence[ShownItem]
    more: int
    kind: str = ""
    day: date | None = None


def show(visit: Visit) -> Page:
    """GET /app/today, ?day=2026-12-03 for another."""
    handles, today = visit.handles, visit.today
    chosen, is_whole = read_day(visit.ask("day") or str(today), today), not visit.ask("day")
    return Page(
        "today.html",
        today=today,
        chosen=chosen,
        before=chosen - DAY,
        after=chosen + DAY,
        days=list_days(today),
        groups=_read_groups(handles) if is_whole else _read_day(handles, chosen),
        news=list_calendar_news(handles)[:SHOWN] if is_whole else (),
        is_new=handles.memory.count() == 0,
    )


def finish(visit: Visit) -> str:
    """POST /app/items/{id}/done: {date, next}; with {missed} all its unmarked dates."""
    handles, id = visit.handles, visit.find("id")
    if visit.read("missed"):
        for each in find_missed(handles, handles.memory.get(id)):  # what cannot be marked leaves those before it marked
            handles.memory.update(id, properties={"status": "done", "done_for": each}, cause=visit.by)
    else:
        handles.memory.change_all([id], mark_done(handles, visit.read("date")), visit.by)
    return visit.go_back("/today")


def choose_day(visit: Visit) -> Page:
    """GET /app/items/{id}/move?date=DATE&next=PLACE: the days to which it can be moved."""
    item, today = visit.handles.memory.get(visit.find("id")), visit.today
    there = keep_here(visit.ask("next"), "/today")
    return Page("move.html", item=item, date=visit.ask("date"), next=there, days=list_days(today), today=today)


def list_days(today: date) -> dict[str, date]:
    """Return the days that an item can be moved to, by name."""
    return {_("Today"): today, _("Tomorrow"): today + DAY, _("Next week"): today + timedelta(7 - today.weekday())}


def put_off(visit: Visit) -> str:
    """POST /app/items/{id}/move: {date, day, next}; the day may have a time, or be words such as next tuesday."""
    mark = move(visit.handles, visit.read("day"), visit.read("date"))
    visit.handles.memory.change_all([visit.find("id")], mark, visit.by)
    return visit.go_back("/today")


def preview(visit: Visit) -> Response:
    """GET /app/understood?content=WORDS&day=DAY: the task that would be added, in words."""
    handles, content = visit.handles, visit.ask("content")
    day = read_day(visit.ask("day"), handles.clock.now().date())
    told = describe_task(handles, content, day) if content else ""
    return PlainTextResponse(escape_controls(told), headers=HEADERS)


def add(visit: Visit) -> str:
    """POST /app/today: {content, day, next}: a task for the day that its words name, else for this day."""
    handles, content = visit.handles, visit.read("content")
    day = read_day(visit.read("day"), handles.clock.now().date())
    if not content:
        raise UserError("There is nothing to add.", "Write what it is.")
    handles.memory.create(content, read_task(handles, content, day), visit.by, copy=False)
    return visit.go_back("/today")


def _read_groups(handles: DataHandles) -> list[Group]:
    """Return the groups: today, overdue and unmarked items, and each of the next days that has items."""
    groups, now = group_due_locally(handles, SHOWN), handles.clock.now()
    told = []
    for name in ("today", "overdue", "unmarked"):
        found = groups[name]
        shown = [show_item(item, now.year) for item in found.items]
        items = sort_by_time(found.items, now.date()) if name == "today" else shown
        if name == "unmarked":
            items = [replace(item, missed=len(find_missed(handles, found.stored[item.id]))) for item in items]
        day = now.date() if name == "today" else None
        told.append(Group(name_group(name, found.total), items, found.total - len(items), name, day))
    week, days = groups["week"], defaultdict[date, list[Item]](list)
    for item in week.items:
        if day := day_of(item.date):
            days[day].append(item)
    for each, of_day in sorted(days.items()):
        told.append(Group(f"{show_day(each, now.year)} ({len(of_day)})", sort_by_time(of_day, each), 0, day=each))
    left, last = week.total - len(week.items), now.date() + WEEK
    return [*told, *([Group(_("Later, until {day}").format(day=show_day(last, now.year)), [], left)] if left else [])]


def _read_day(handles: DataHandles, day: date) -> list[Group]:
    matches = localize_matches(handles.memory.find(None, {"$on": str(day)}, OF_ONE_DAY), handles.clock.zone)
    return [Group("", sort_by_time(matches.items, day), matches.total - len(matches.items))]


def sort_by_time(items: Sequence[Item], day: date) -> list[ShownItem]:
    """Return the items of a day by their times; items without a time come last."""
    return sorted((show_item(item, day=day) for item in items), key=lambda shown: shown.time or "~")


def show_item(item: Item, year: int | None = None, day: date = date.min) -> ShownItem:
    """Return an item with its time on a day; if a year to omit is given, with its day instead."""
    time = tell_time(item, day) + tell_elsewhere(item) if year is None else show_date(item, year)
    return ShownItem(
        item,
        item.id,
        shorten(item.content, 160),
        item.date or "",
        time,
        may_repeat(item.properties),
        list_labels(item.properties),
        has_status(item.properties, CLOSED),
    )
