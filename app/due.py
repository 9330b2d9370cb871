"""Open items that are overdue, due today and due later this week."""

from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from ana.memory.search.found import Found
from ana.output import tell
from ana.time.dates import day_of, weekday
from app.show.items import show_items
from app.show.text import shorten

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.item import Item

Due = Literal["overdue", "today", "week"]
DUE: tuple[Due, ...] = ("overdue", "today", "week")
TITLES: dict[Due, str] = {"overdue": "Overdue", "today": "Today", "week": "Later this week"}
MOST = 1000
"""How many items are shown of each kind."""

GREETING = 5
"""How many items of each kind the REPL opens with."""

DAY = timedelta(days=1)
NOTHING = Found([], 0, False)


def find_due(handles: "DataHandles", which: Due, limit: int = MOST) -> Found:
    """Return open items that are overdue, due today, or due this week, today included; a week ends on Sunday."""
    today = handles.clock.now().date()
    days = {"overdue": (date.min, today - DAY), "today": (today, today), "week": (today, _sunday(today))}
    return handles.memory.due(*days[which], limit)


def group_due(handles: "DataHandles") -> dict[Due, Found]:
    """Return open items by when they are due. Unlike in `find_due`, week leaves today out: no item is in two groups."""
    today = handles.clock.now().date()
    later = handles.memory.due(today + DAY, _sunday(today), MOST) if today < _sunday(today) else NOTHING
    return {"overdue": find_due(handles, "overdue"), "today": find_due(handles, "today"), "week": later}


def show_due(groups: dict[Due, Found]) -> None:
    """Print a table for each group that has items."""
    for name, found in groups.items():
        if found.items:
            show_items(found.items, title=TITLES[name])
    if not any(found.items for found in groups.values()):
        # not on standard output: cron sends a mail for whatever is printed there
        tell("Nothing is due this week.")


def summarize_due(handles: "DataHandles") -> list[str]:
    """Return a few lines about items that are overdue and due today; no line without such items."""
    lines = []
    for which in ("overdue", "today"):
        found = find_due(handles, which, GREETING)
        lines += [f"{TITLES[which]}:"] if found.items else []
        lines += [f"  {shorten(item.content, 60)}{_format_when(item, which)}" for item in found.items]
        lines += [f"  and {found.total - len(found.items)} more: /due"] if found.truncated else []
    return lines


def _sunday(today: date) -> date:
    return today + (6 - today.weekday()) * DAY


def _format_when(item: "Item", which: Due) -> str:
    day, time = day_of(item.date), (item.date or "")[11:16]
    if which == "overdue" and day:
        return f" (since {weekday(day)} {day})"
    return f" ({time})" if time else ""
