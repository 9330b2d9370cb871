"""Routines as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ana.memory.item import Item
from ana.output import tell, write_line
from ana.reminders.routines import find_next
from ana.spending.total import recorded_cost
from app.routines.offers import OFFERS
from app.routines.running import name_conversation
from app.show.tables import show_table
from app.show.text import shorten

if TYPE_CHECKING:
    from ana.handles import DataHandles


def show_routines(handles: "DataHandles", items: Sequence[Item]) -> None:
    """Print the routines, each with its next and last time and what that cost, and those that may be started."""
    rows = [_make_row(handles, item) for item in items]
    if rows:
        show_table(("id", "routine", "next", "last", "cost"), rows, fixed=("id", "next", "last"))
    else:
        tell("There is no routine.")
    started = {item.content for item in items}
    for name, (content, _, at) in OFFERS.items():
        if content not in started:
            write_line(f"ana routines start {name:8} {at}  {content}")


def _make_row(handles: "DataHandles", item: Item) -> tuple[str, ...]:
    clock = handles.clock
    following = find_next(item, clock.now(), clock.zone)
    last = _find_last(handles, item)
    return (item.id, shorten(item.content), clock.minute(following.isoformat()) if following else "", *last)


def _find_last(handles: "DataHandles", item: Item) -> tuple[str, str]:
    """Return when a routine was asked last, and what that cost; empty where it was not, or nobody knows."""
    thread = handles.workspace.open_threads().resolve(name_conversation(item))
    records = handles.traces.read(thread)[-1:] if thread in handles.traces.ids() else []
    if not records:
        return "", ""
    cost = recorded_cost(records[0], handles.settings)
    return handles.clock.minute(records[0]["ts"]), "" if cost is None else f"{cost:.4f} USD"
