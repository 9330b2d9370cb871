"""Routines in the form for the command and the page, and the suggested ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ana.memory.item import Item
from ana.output import tell, write_line
from ana.reminders.routines import find_next
from ana.spending.total import recorded_cost
from ana.translation import _, show_number
from app.routines.offers import OFFERS
from app.routines.running import list_routines, name_conversation
from app.show.tables import show_table
from app.show.text import shorten, show_moment

if TYPE_CHECKING:
    from ana.handles import DataHandles


@dataclass(frozen=True)
class ShownRoutine:
    """A routine in a list; unknown fields are empty.

    Args:
        thread: The conversation in which it is asked.
    """

    id: str
    content: str
    following: str
    last: str
    cost: str
    thread: str


def show_routines(handles: "DataHandles") -> None:
    """Print the routines, each with its next and last time and the cost of the last run, and the suggested ones."""
    items = list_routines(handles)
    routines = [describe_routine(handles, item) for item in items]
    rows = [(each.id, shorten(each.content), each.following, each.last, each.cost) for each in routines]
    if rows:
        show_table(("id", "routine", "next", "last", "cost"), rows, fixed=("id", "next", "last"))
    else:
        tell("There is no routine.")
    offers = list_offers(items)
    if offers:
        write_line("Suggested, each with the command that starts it in a shell:")
    for name, at, content in offers:
        write_line(f"ana routines start {name:8} {at}  {content}")


def list_offers(items: Sequence[Item]) -> list[tuple[str, str, str]]:
    """Return the name, the time and the text of each suggested routine that is not among these."""
    started = {item.content for item in items}
    offered = ((name, at, _(content)) for name, (content, _rule, at) in OFFERS.items())
    return [each for each in offered if each[2] not in started]


def describe_routine(handles: "DataHandles", item: Item) -> ShownRoutine:
    """Return the next and the last time of a routine, and the cost of the last run."""
    clock = handles.clock
    following = find_next(item, clock.now(), clock.zone)
    thread = handles.workspace.open_threads().resolve(name_conversation(item))
    moment = show_moment(following.isoformat(), clock) if following else ""
    return ShownRoutine(item.id, item.content, moment, *_find_last(handles, thread), thread)


def _find_last(handles: "DataHandles", thread: str) -> tuple[str, str]:
    """Return the last time of a routine and its cost; empty if it was never asked, or the cost is unknown."""
    records = handles.traces.read(thread)[-1:] if thread in handles.traces.ids() else []
    if not records:
        return "", ""
    cost = recorded_cost(records[0], handles.settings)
    return show_moment(records[0]["ts"], handles.clock), "" if cost is None else f"{show_number(cost, 4)} USD"
