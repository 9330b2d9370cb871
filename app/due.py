"""Open items that are overdue, due today and due in the next seven days."""

from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from ana.memory.search.found import Found
from ana.output import tell
from ana.time.dates import day_of, weekday
from ana.time.repeats import may_repeat, waits
from ana.time.spans import date_span
from app.show.items import show_items
from app.show.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    # all of them, because what repeats has a date in several groups and stands in the first
    earlier, now = due(date.min, today - DAY, MOST), due(today, today, MOST)
    over = [item for item in now.items if _is_over(item, handles.clock)]
    overdue = _add(earlier, [item for item in over if not _passes(item)])
    current = _leave_out(now, [*overdue.items, *over])
    week = _leave_out(due(today + DAY, today + WEEK, MOST), [*overdue.items, *current.items])
    groups: dict[Due, Found] = {"overdue": overdue, "today": current, "week": week}
    return {name: replace(found, items=found.items[:limit]) for name, found in groups.items()}


def _add(found: Found, passed: "Sequence[Item]") -> Found:
    more = _leave_out(Found([*passed], len(passed), False), found.items)
    return replace(found, items=[*found.items, *more.items], total=found.total + more.total)


def _leave_out(found: Found, earlier: "Sequence[Item]") -> Found:
    """Return what is found without the items that an earlier group has."""
    ids = {item.id for item in earlier}
    left = [item for item in found.items if item.id not in ids]
    return replace(found, items=left, total=found.total - (len(found.items) - len(left)), reasons=())


def show_due(groups: dict[Due, Found]) -> None:
    """Print a table for each group that has items."""
    for name, found in groups.items():
        if found.items:
            show_items(found.items, title=TITLES[name])
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


def _passes(item: "Item") -> bool:
    """Return whether an item repeats and passes by itself: it is never overdue."""
    return may_repeat(item.properties) and not waits(item.properties)


def _is_over(item: "Item", clock: "Clock") -> bool:
    """Return whether the moment or the whole day that an item is due has passed, as in the question what is overdue."""
    minute = clock.now().isoformat(timespec="minutes")
    span, now = date_span(item.date, clock.zone), date_span(minute, clock.zone)
    return span is not None and now is not None and span[1] <= now[0]


def _format_when(item: "Item", which: Due) -> str:
    day, time = day_of(item.date), (item.date or "")[11:16]
    named = f"{weekday(day)} {day}" if day and which != "today" else ""
    when = ", ".join(filter(None, (named, time)))
    return f" ({'since ' if which == 'overdue' else ''}{when})" if when else ""
