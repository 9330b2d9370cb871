"""Open items: overdue, not marked, today's and the next days', in tables or on one screen; all, open ones first."""

import shutil
import sys
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any, Literal

from ana.handles import DataHandles
from ana.memory.few_words import show_value, tell_more
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.memory.search.result import QueryResult
from ana.memory.status import CLOSED
from ana.output import tell, write_line
from ana.time.dates import day_of, show_day
from ana.time.repeats import may_repeat
from ana.time.taking_place import takes_place
from ana.translation import _, mark_text
from ana.values import Json
from app.dated import list_dated, tell_time
from app.following import list_calendar_news
from app.show.items import localize_matches, show_items, tell_elsewhere, tell_status
from app.show.text import say, shorten

Due = Literal["overdue", "unmarked", "today", "week"]
TITLES: dict[Due, str] = mark_text(
    {
        "overdue": "Overdue",
        "unmarked": "Not marked",
        "today": "Today",
        "week": "Next seven days",
    }
)
"""What each group is called. What repeats and was not marked as done is not overdue: nobody knows."""

MOST = 1000
"""How many items are shown of each kind."""

GREETING = 5
"""How many items of each kind the REPL opens with."""

LATE = 3
"""What part of a screen, at most, is for what is overdue, or not marked: a third each, because today must be seen."""

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def group_due(handles: DataHandles, limit: int = MOST) -> dict[Due, QueryResult]:
    """Return open items by when they are due or take place.

    A repeating item is listed for each earlier date that was not marked, and for today. In the coming days a task is
    listed once, on its next date, and an event on each of its dates.
    """
    now = handles.clock.now()
    late = handles.memory.find_overdue(MOST)
    unmarked = {item.id: item for item in late.items if _has_several_dates(item)}
    overdue = {item.id: item for item in late.items if item.id not in unmarked}
    dated, is_cut = list_dated(handles, now.date(), now.date() + WEEK)
    today: list[Item] = []
    week: list[Item] = []
    listed: set[str] = set()
    for each in sorted(dated, key=lambda each: each.day):
        if not each.belongs_to_days or each.item.id in overdue:
            continue
        if each.day == now.date():
            is_past = each.is_over(now) and (each.first < each.day or each.item.id in unmarked)
            today += [] if is_past else [each.item]
        elif each.first == each.day and (each.item.id not in listed or takes_place(each.item.properties)):
            week.append(each.item)
        listed.add(each.item.id)
    groups: dict[Due, list[Item]] = {
        "overdue": [*overdue.values()],
        "unmarked": [*unmarked.values()],
        "today": today,
        "week": week,
    }
    return {
        name: QueryResult(items[:limit], len(items), is_cut or len(items) > limit, stored=late.stored)
        for name, items in groups.items()
    }


def _has_several_dates(item: Item) -> bool:
    """Return whether an item can have several unmarked dates: it repeats, and not only counted from the day it was
    done.
    """
    return may_repeat(item.properties) and item.properties.get("repeat_from") != "done"


def group_due_locally(handles: DataHandles, limit: int = MOST) -> dict[Due, QueryResult]:
    """Return the groups in the form for people, with moments in their zone."""
    return {name: localize_matches(matches, handles.clock.zone) for name, matches in group_due(handles, limit).items()}


def describe_groups(groups: dict[Due, QueryResult]) -> dict[str, Any]:
    """Return the items of each group as JSON."""
    return {name: [to_json(item) for item in matches.items] for name, matches in groups.items()}


def list_open_first(memory: Memory, limit: int, *where: Json) -> QueryResult:
    """Return items, open ones before done or cancelled ones, by date, then newest first; `where` narrows them."""
    open_ = memory.find(None, {"$and": [{"status": {"$nin": [*CLOSED]}}, *where]}, limit)
    closed = memory.find(None, {"$and": [{"status": {"$in": [*CLOSED]}}, *where]}, limit)
    total = open_.total + closed.total
    explain = str if total else open_.explain
    return QueryResult([*open_.items, *closed.items][:limit], total, total > limit, explain=explain)


def show_due(groups: dict[Due, QueryResult], *, year: int | None = None, ids: bool = True) -> None:
    """Print a table for each group that has items.

    Args:
        year: The year to omit from days.
    """
    names = [name for name, matches in groups.items() if matches.items]
    for name in names:
        if name != names[0]:
            write_line()
        say(name_group(name, groups[name].total), style="bold red" if name == "overdue" else "bold")
        show_items(groups[name].items, year=year, ids=ids)
    tell_if_none(groups)


def name_group(name: Due, count: int) -> str:
    """Return the heading of a group: its name, and its number of items."""
    return f"{_(TITLES[name])} ({count})"


def tell_if_none(groups: dict[Due, QueryResult]) -> None:
    """Say so if no group has an item; not on standard output, because cron sends a mail for anything printed there."""
    if not any(matches.items for matches in groups.values()):
        tell(_("Nothing is due in the next seven days."))


def show_today(handles: DataHandles) -> None:
    """Print overdue items, today's and the next days' items, one line each; in a terminal on one screen."""
    groups, screen = group_due_locally(handles), shutil.get_terminal_size()
    room = screen.lines - 2 if sys.stdout.isatty() else 2 * MOST * len(groups)
    news = list_calendar_news(handles)[: room // LATE]
    for line in list_today(groups, room - len(news), screen.columns, handles.clock.now().date()):
        write_line(line)
    for line in [_("From your calendars"), *news] if news else []:
        write_line(shorten(line, screen.columns))
    tell_if_none(groups)


def list_today(groups: dict[Due, QueryResult], room: int, width: int, day: date) -> list[str]:
    """Return a title for each day that has items, and the items below it, within a number of lines and columns."""
    first: list[str] = []
    for name in ("overdue", "unmarked"):
        late = groups[name]
        listed = _list_items(
            name_group(name, late.total), [(_name_since(name, item), item) for item in late.items], width
        )
        first += _cut(listed, late.total, room // LATE)
    today, week = groups["today"], groups["week"]
    days = [(name_group("today", today.total), today.items)]
    days += [(day, [*items]) for day, items in groupby(week.items, _name_day)]
    days = days if any(items for _, items in days) else []
    rest: list[str] = []
    for title, items in days:
        rows = ((f"{tell_time(item, day if title == days[0][0] else date.min):5}", item) for item in items)
        timed = sorted(rows, key=lambda pair: pair[0].strip() or "~")
        rest += _list_items(title, timed, width) or [title]  # also of today, where nothing is left
    return first + _cut(rest, today.total + week.total, room - len(first))


def summarize_due(handles: DataHandles) -> list[str]:
    """Return a few lines about items that are overdue, due today and soon; no line without such items."""
    lines, now = [], handles.clock.now()
    for which, matches in group_due_locally(handles, GREETING).items():
        lines += [f"{name_group(which, matches.total)}:"] if matches.items else []
        lines += [
            f"  {shorten(item.content, 160)}{_format_when(item, which, now)}{tell_elsewhere(item)}"
            for item in matches.items[:GREETING]
        ]
        lines += [f"  {tell_more(matches.total - GREETING)}: /due"] if matches.total > GREETING else []
    return lines


def _format_when(item: Item, which: Due, now: datetime) -> str:
    when = show_value(item.date, now.year) if which != "today" else tell_time(item, now.date())
    told = _("since {day}").format(day=when) if which in ("overdue", "unmarked") else when
    return f" ({told})" if when else ""


def _name_since(which: Due, item: Item) -> str:
    """Return the date since which an item is overdue; for an unmarked one with its time, because a day may have
    several.
    """
    time = (item.date or "")[11:16] if which == "unmarked" else ""
    return f"{_name_day(item):>10}{time and f' {time}'}"


def _list_items(title: str, items: Sequence[tuple[str, Item]], width: int) -> list[str]:
    lines = [
        f"  {when}  {shorten(item.content + tell_status(item) + tell_elsewhere(item), max(width - len(when) - 4, 20))}"
        for when, item in items
    ]
    return [title, *lines] if lines else []


def _cut(lines: list[str], total: int, room: int) -> list[str]:
    """Return as many lines as there is room for; if items are left out, the last line says how many."""
    if len(lines) <= room and _count_items(lines) == total:
        return lines
    head = lines[: max(room - 1, 0)]
    while head and not _count_items(head[-1:]):  # a day without its items
        head.pop()
    return [*head, f"  {tell_more(total - _count_items(head))}: ana due"]


def _count_items(lines: list[str]) -> int:
    return sum(line.startswith(" ") for line in lines)


def _name_day(item: Item) -> str:
    day = day_of(item.date)
    return show_day(day, day.year) if day else ""
