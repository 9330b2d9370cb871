"""Overdue items: still to be done, and past their due_date. One filter decides it, for every door.

An overdue item has an open status and a due_date that has passed; a day has passed at its end. Not overdue, but past,
are items that take place at a time, and items without a status or a due_date. An item that repeats and waits until it
is marked needs no status.
"""

from datetime import datetime

from ana.memory.routines import ROUTINE
from ana.memory.status import CLOSED, has_status
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS, REPEATING, TO_DO, may_repeat
from ana.time.taking_place import TAKES_PLACE, takes_place
from ana.values import Json, Properties

ROUTINE_DATE = "routine: asked by itself at its times, while ana runs"
NO_STATUS = "dated; without a status it is never overdue"


def make_overdue_filter(now: datetime, since: datetime | None = None) -> dict[str, Json]:
    """Return the filter for items that are overdue at a moment.

    Args:
        now: The moment, aware.
        since: An earlier moment; items that were overdue then are left out.
    """
    passed: dict[str, Json] = {"$lt": now.isoformat(), **({"$gte": since.isoformat()} if since else {})}
    repeats: list[Json] = [{name: {"$ne": None}} for name in REPEATING]
    waits: list[Json] = [{"missed": "waits"}, {"repeat_from": "done"}, {"type": {"$in": [*TO_DO]}}]
    is_open: list[Json] = [{"status": {"$ne": None}}, {"$and": [{"$or": repeats}, {"$or": waits}]}]
    return {
        "due_date": passed,
        "status": {"$nin": [*CLOSED]},
        "type": {"$nin": [*TAKES_PLACE, ROUTINE]},
        "missed": {"$ne": "passes"},
        "$or": is_open,
    }


def describe_date(properties: Properties) -> str:
    """Return the meaning of an item's date: `due`, `takes place`, or a date that nobody has to meet."""
    if has_status(properties, CLOSED) or not any(day_of(properties.get(key)) for key in DATE_KEYS):
        return ""
    if properties.get("type") == ROUTINE:
        return ROUTINE_DATE
    if takes_place(properties):
        return "takes place"
    is_to_do = isinstance(properties.get("status"), str) or may_repeat(properties)
    return "due" if is_to_do else NO_STATUS
