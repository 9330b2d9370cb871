"""The day at a glance: what is overdue, today with its times, then the next days, on one screen."""

import shutil
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ana.memory.search.found import Found
from ana.output import write_line
from ana.time.dates import day_of
from app.due import MOST, TITLES, Due, group_due, tell_if_none
from app.show.text import shorten

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.item import Item

LATE = 3
"""What part of a screen, at most, is for what is overdue: a third, because today must be seen."""


def show_today(handles: "DataHandles") -> None:
    """Print what is overdue, today's items and the next days', a line each; in a terminal on one screen."""
    groups, screen = group_due(handles), shutil.get_terminal_size()
    room = screen.lines - 2 if sys.stdout.isatty() else 2 * MOST * len(groups)
    for line in list_today(groups, room, screen.columns):
        write_line(line)
    tell_if_none(groups)


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


def _name_day(item: "Item") -> str:
    day = day_of(item.date)
    return f"{day:%a} {day.day} {day:%b}" if day else ""


def _find_time(item: "Item") -> str:
    return (item.date or "")[11:16]
