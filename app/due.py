"""Open items: overdue, not marked, today's and the next days', in tables or on one screen; all, open ones first."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from ana.memory.few_words import show_value
from ana.memory.search.found import Found
from ana.memory.status import CLOSED
from ana.output import tell, write_line
from ana.time.dates import day_of
from ana.time.repeats import may_repeat
from ana.values import Json
from app.following import list_calendar_news
from app.show.items import localize_found, show_items, tell_elsewhere
from app.show.text import say, shorten

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.item import Item
    from ana.memory.memory import Memory

Due = Literal["overdue", "unmarked", "today", "week"]
TITLES: dict[Due, str] = {
    "overdue": "Overdue",
    "unmarked": "Not marked",
    "today": "Today",
    "week": "Next seven days",
}
"""What each group is called. What repeats and was not marked as done is not overdue: nobody knows."""

MOST = 1000
"""How many items are shown of each kind."""

GREETING = 5
"""How many items of each kind the REPL opens with."""

LATE = 3
"""What part of a screen, at most, is for what is overdue, or not marked: a third each, because today must be seen."""

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def group_due(handles: "DataHandles", limit: int = MOST) -> dict[Due, Found]:
    """Return open items by when they are due or take place; no item is in two groups."""
    memory, today = handles.memory, handles.clock.now().date()
    late = memory.find_overdue(MOST)
    overdue = _pick(late, [item for item in late.items if not may_repeat(item.properties)])
    unmarked = _pick(late, [item for item in late.items if may_repeat(item.properties)])
    running, now = memory.find(None, _make_running_filter(today), MOST), memory.due(today, today, MOST)
    rest = _leave_out(now, [*late.items, *running.items])
    current = replace(rest, items=[*running.items, *rest.items], total=rest.total + running.total)
    week = _leave_out(memory.due(today + DAY, today + WEEK, MOST), [*late.items, *current.items])
    groups: dict[Due, Found] = {"overdue": overdue, "unmarked": unmarked, "today": current, "week": week}
    return {name: replace(found, items=found.items[:limit]) for name, found in groups.items()}


def _make_running_filter(today: date) -> dict[str, Json]:
    """Return the filter of what began before a day and lasts into it, or longer."""
    begun: list[Json] = [{name: {"$lt": str(today)}} for name in ("start_date", "date")]
    return {"due_date": None, "end_date": {"$gte": str(today)}, "status": {"$nin": [*CLOSED]}, "$or": begun}


def group_due_locally(handles: "DataHandles", limit: int = MOST) -> dict[Due, Found]:
    """Return the same as people are shown it: moments in their zone."""
    return {name: localize_found(found, handles.clock.zone) for name, found in group_due(handles, limit).items()}


def _pick(found: Found, items: list["Item"]) -> Found:
    """Return what is found with some of the items alone."""
    return replace(found, items=items, total=len(items), reasons=())


def _leave_out(found: Found, earlier: Sequence["Item"]) -> Found:
    """Return what is found without the items that an earlier group has."""
    ids = {item.id for item in earlier}
    left = [item for item in found.items if item.id not in ids]
    return replace(found, items=left, total=found.total - (len(found.items) - len(left)), reasons=())


def list_open_first(memory: "Memory", limit: int) -> Found:
    """Return all items, by date, then newest: open ones, and after them those that are done or cancelled."""
    open_ = memory.find(None, {"status": {"$nin": [*CLOSED]}}, limit)
    closed = memory.find(None, {"status": {"$in": [*CLOSED]}}, limit)
    total = open_.total + closed.total
    return Found([*open_.items, *closed.items][:limit], total, total > limit)


def show_due(groups: dict[Due, Found], *, year: int | None = None, ids: bool = True) -> None:
    """Print a table for each group that has items.

    Args:
        year: The year that days are shown without.
    """
    shown = [name for name, found in groups.items() if found.items]
    for name in shown:
        if name != shown[0]:
            write_line()
        say(name_group(name, groups[name].total), style="bold red" if name == "overdue" else "bold")
        show_items(groups[name].items, year=year, ids=ids)
    tell_if_none(groups)


def name_group(name: Due, count: int) -> str:
    """Return the heading of a group: what it is called, with how many items it has."""
    return f"{TITLES[name]} ({count})"


def tell_if_none(groups: dict[Due, Found]) -> None:
    """Say so if no group has an item; not on standard output: cron sends a mail for whatever is printed there."""
    if not any(found.items for found in groups.values()):
        tell("Nothing is due in the next seven days.")


def show_today(handles: "DataHandles") -> None:
    """Print what is overdue, today's items and the next days', a line each; in a terminal on one screen."""
    groups, screen = group_due_locally(handles), shutil.get_terminal_size()
    room = screen.lines - 2 if sys.stdout.isatty() else 2 * MOST * len(groups)
    news = list_calendar_news(handles)[: room // LATE]
    for line in list_today(groups, room - len(news), screen.columns):
        write_line(line)
    for line in ["From your calendars", *news] if news else []:
        write_line(shorten(line, screen.columns))
    tell_if_none(groups)


def list_today(groups: dict[Due, Found], room: int, width: int) -> list[str]:
    """Return at most so many lines of so many columns: a title for each day that has items, and the items below it."""
    first: list[str] = []
    for name in ("overdue", "unmarked"):
        late = groups[name]
        listed = _list_items(
            name_group(name, late.total), [(f"{_name_day(item):>10}", item) for item in late.items], width
        )
        first += _cut(listed, late.total, room // LATE)
    today, week = groups["today"], groups["week"]
    days = [(name_group("today", today.total), today.items)]
    days += [(day, [*items]) for day, items in groupby(week.items, _name_day)]
    rest = []
    for title, items in days:
        timed = sorted(((f"{_find_time(item):5}", item) for item in items), key=lambda pair: pair[0].strip() or "~")
        rest += _list_items(title, timed, width)
    return first + _cut(rest, today.total + week.total, room - len(first))


def summarize_due(handles: "DataHandles") -> list[str]:
    """Return a few lines about items that are overdue, due today and soon; no line without such items."""
    lines, year = [], handles.clock.now().year
    for which, found in group_due_locally(handles, GREETING).items():
        lines += [f"{name_group(which, found.total)}:"] if found.items else []
        lines += [
            f"  {shorten(item.content, 160)}{_format_when(item, which, year)}{tell_elsewhere(item)}"
            for item in found.items[:GREETING]
        ]
        lines += [f"  and {found.total - GREETING} more: /due"] if found.total > GREETING else []
    return lines


def _format_when(item: "Item", which: Due, year: int) -> str:
    when = show_value(item.date, year) if which != "today" else _find_time(item)
    return f" ({'since ' if which in ('overdue', 'unmarked') else ''}{when})" if when else ""


def _list_items(title: str, items: Sequence[tuple[str, "Item"]], width: int) -> list[str]:
    lines = [
        f"  {when}  {shorten(item.content + tell_elsewhere(item), max(width - len(when) - 4, 20))}"
        for when, item in items
    ]
    return [title, *lines] if lines else []


def _cut(lines: list[str], total: int, room: int) -> list[str]:
    """Return the lines that there is room for; if some of the items are left out, the last says how many."""
    if len(lines) <= room and _count_items(lines) == total:
        return lines
    kept = lines[: max(room - 1, 0)]
    while kept and not _count_items(kept[-1:]):  # a day without its items
        kept.pop()
    return [*kept, f"  and {total - _count_items(kept)} more: ana due"]


def _count_items(lines: list[str]) -> int:
    return sum(line.startswith(" ") for line in lines)


def _name_day(item: "Item") -> str:
    day = day_of(item.date)
    return f"{day:%a} {day.day} {day:%b}" if day else ""


def _find_time(item: "Item") -> str:
    return (item.date or "")[11:16]
