"""Open items that are overdue, due today and due in the next seven days."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from ana.memory.search.found import Found
from ana.output import tell, write_line
from ana.time.dates import day_of, weekday
from ana.time.spans import date_span
from app.show.items import show_items
from app.show.text import shorten

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.item import Item
    from ana.time.clock import Clock

Due = Literal["overdue", "today", "week"]
TITLES: dict[Due, str] = {"overdue": "Overdue", "today": "Today", "week": "Next seven days"}
NAMES: dict[Due, str] = {"overdue": "overdue", "today": "due today", "week": "due in the next seven days"}
MOST = 1000
"""How many items are shown of each kind."""

GREETING = 5
"""How many items of each kind the REPL opens with."""

LATE = 3
"""What part of a screen, at most, is for what is overdue: a third, because today must be seen."""

DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def find_due(handles: "DataHandles", which: Due, limit: int = MOST) -> Found:
    """Return open items that are overdue, still due today, or due from now to the end of the seventh day from today."""
    groups = group_due(handles, limit)
    found = [groups[name] for name in (("today", "week") if which == "week" else (which,))]
    total = sum(each.total for each in found)
    why = "" if total else _explain_none(which, groups)
    return Found([item for each in found for item in each.items][:limit], total, total > limit, why_none=why)


def group_due(handles: "DataHandles", limit: int = MOST) -> dict[Due, Found]:
    """Return open items by when they are due. Unlike in `find_due`, week leaves today out: no item is in two groups."""
    today, due = handles.clock.now().date(), handles.memory.due
    earlier, now = due(date.min, today - DAY, limit), due(today, today, MOST)
    passed = [item for item in now.items if _is_over(item, handles.clock)]
    left = [item for item in now.items if item not in passed]
    overdue = replace(earlier, items=[*earlier.items, *passed], total=earlier.total + len(passed))
    return {
        "overdue": overdue,
        "today": replace(now, items=left, total=now.total - len(passed)),
        "week": due(today + DAY, today + WEEK, limit),
    }


def show_due(groups: dict[Due, Found]) -> None:
    """Print a table for each group that has items."""
    for name, found in groups.items():
        if found.items:
            show_items(found.items, title=TITLES[name])
    _tell_if_none(groups)


def show_today(handles: "DataHandles") -> None:
    """Print what is overdue, today's items and the next days', a line each; in a terminal on one screen."""
    groups, screen = group_due(handles), shutil.get_terminal_size()
    room = screen.lines - 2 if sys.stdout.isatty() else 2 * MOST * len(groups)
    for line in list_today(groups, room, screen.columns):
        write_line(line)
    _tell_if_none(groups)


def list_today(groups: dict[Due, Found], room: int, width: int) -> list[str]:
    """Return at most so many lines of so many columns: a title for each day that has items, and the items below it."""
    late, today, week = groups["overdue"], groups["today"], groups["week"]
    first = _list_items(TITLES["overdue"], [(f"{_name_day(item):>10}", item) for item in late.items], width)
    first = _cut(first, late.total, room // LATE)
    days = [(TITLES["today"], today.items), *((day, [*items]) for day, items in groupby(week.items, _name_day))]
    rest = []
    for title, items in days:
        timed = sorted(((f"{_find_time(item):5}", item) for item in items), key=lambda pair: pair[0].strip() or "~")
        rest += _list_items(title, timed, width)
    return first + _cut(rest, today.total + week.total, room - len(first))


def _list_items(title: str, items: Sequence[tuple[str, "Item"]], width: int) -> list[str]:
    lines = [f"  {when}  {shorten(item.content, max(width - len(when) - 4, 20))}" for when, item in items]
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


def _tell_if_none(groups: dict[Due, Found]) -> None:
    if not any(found.items for found in groups.values()):
        # not on standard output: cron sends a mail for whatever is printed there
        tell("Nothing is due in the next seven days.")


def summarize_due(handles: "DataHandles") -> list[str]:
    """Return a few lines about items that are overdue, due today and soon; no line without such items."""
    lines = []
    for which, found in group_due(handles, GREETING).items():
        lines += [f"{TITLES[which]}:"] if found.items else []
        lines += [f"  {shorten(item.content, 60)}{_format_when(item, which)}" for item in found.items[:GREETING]]
        lines += [f"  and {found.total - GREETING} more: /due"] if found.total > GREETING else []
    return lines


def _explain_none(which: Due, groups: dict[Due, Found]) -> str:
    others = ", ".join(f"{found.total} {NAMES[name]}" for name, found in groups.items() if found.total)
    return f"No open item is {NAMES[which]}{f', but {others}' if others else ''}."


def _is_over(item: "Item", clock: "Clock") -> bool:
    """Return whether the moment or the whole day that an item is due has passed, as in the question what is overdue."""
    minute = clock.now().isoformat(timespec="minutes")
    span, now = date_span(item.date, clock.zone), date_span(minute, clock.zone)
    return span is not None and now is not None and span[1] <= now[0]


def _name_day(item: "Item") -> str:
    day = day_of(item.date)
    return f"{day:%a} {day.day} {day:%b}" if day else ""


def _find_time(item: "Item") -> str:
    return (item.date or "")[11:16]


def _format_when(item: "Item", which: Due) -> str:
    day, time = day_of(item.date), _find_time(item)
    named = f"{weekday(day)} {day}" if day and which != "today" else ""
    when = ", ".join(filter(None, (named, time)))
    return f" ({'since ' if which == 'overdue' else ''}{when})" if when else ""
