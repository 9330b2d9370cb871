"""What is overdue, due today and due later this week."""

import sys
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from ana.memory.found import Found
from ana.time.dates import day_of, weekday
from app.show.text import short

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.item import Item

Due = Literal["overdue", "today", "week"]
DUE: tuple[Due, ...] = ("overdue", "today", "week")
TITLES: dict[Due, str] = {"overdue": "Overdue", "today": "Today", "week": "Later this week"}
MOST = 1000
"""How many items are shown of each kind."""

DAY = timedelta(days=1)
NOTHING = Found([], 0, False)

WAITING = 5
"""How many the REPL opens with, of each kind."""


def due_then(handles: "DataHandles", which: Due, limit: int) -> "Found":
    """Open items that are overdue, due today or due this week, today included; it ends on Sunday."""
    today = handles.clock.now().date()
    days = {"overdue": (date.min, today - DAY), "today": (today, today), "week": (today, _sunday(today))}
    return handles.memory.items.due(*days[which], limit)


def due(handles: "DataHandles") -> "dict[Due, Found]":
    """Open items that are overdue, due today, and due later this week."""
    today = handles.clock.now().date()
    later = handles.memory.items.due(today + DAY, _sunday(today), MOST) if today < _sunday(today) else NOTHING
    return {"overdue": due_then(handles, "overdue", MOST), "today": due_then(handles, "today", MOST), "week": later}


def show_due(found: "dict[Due, Found]") -> None:
    """A table of each kind that there is; where there is none, that goes to standard error, for cron's sake."""
    from app.cli.items import show_items

    for name, each in found.items():
        if each.items:
            show_items(each.items, title=TITLES[name])
    if not any(each.items for each in found.values()):
        print("Nothing is due this week.", file=sys.stderr)


def waiting(handles: "DataHandles") -> list[str]:
    """What is overdue and due today, in a few lines; none where nothing is."""
    lines = []
    for which in ("overdue", "today"):
        found = due_then(handles, which, WAITING)
        lines += [f"{TITLES[which]}:"] if found.items else []
        lines += [f"  {short(item.content, 60)}{_when(item, which)}" for item in found.items]
        lines += [f"  and {found.total - len(found.items)} more: /due"] if found.truncated else []
    return lines


def _sunday(today: date) -> date:
    return today + (6 - today.weekday()) * DAY


def _when(item: "Item", which: Due) -> str:
    day, time = day_of(item.date), (item.date or "")[11:16]
    if which == "overdue" and day:
        return f" (since {weekday(day)} {day})"
    return f" ({time})" if time else ""
