"""Routines that a person may start by name."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.memory.changes import Cause, Change, make_edit
from ana.memory.routines import ROUTINE
from ana.translation import _, mark_text

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.values import Properties

SUNDAY = 6

OFFERS: dict[str, tuple[str, str, str]] = {
    mark_text("morning"): (mark_text("My day: appointments, what is due, what to prepare."), "FREQ=DAILY", "07:00"),
    mark_text("evening"): (
        mark_text("What did I get done today, and what is still open for tomorrow?"),
        "FREQ=DAILY",
        "20:00",
    ),
    mark_text("sunday"): (
        mark_text("My week: what did I get done, and what is stuck?"),
        "FREQ=WEEKLY;BYDAY=SU",
        "18:00",
    ),
}
"""Routines that a person may start by name: what is asked, how it repeats, and when."""


def start_offer(handles: "DataHandles", name: str, at: str = "", by: "Cause | None" = None) -> "Change":
    """Store one of the suggested routines.

    Args:
        at: Another time of day, such as 06:30.

    Raises:
        UserError: No routine has this name, or the time cannot be read.
    """
    if name not in OFFERS:
        raise UserError(f"No routine called {name!r:.60} is offered.", f"Those that are: {', '.join(OFFERS)}.")
    content, repeats, usual = OFFERS[name]
    try:
        time = datetime.strptime(at or usual, "%H:%M").time()
    except ValueError as exc:
        raise UserError(f"{at!r:.20} is no time of the day.", "Write it as 06:30.") from exc
    today = handles.clock.now().date()
    # a rule that names days has to begin on one of them
    day = today + timedelta(days=(SUNDAY - today.weekday()) % 7) if "BYDAY=SU" in repeats else today
    due = datetime.combine(day, time).isoformat(timespec="minutes")
    properties: Properties = {"type": ROUTINE, "repeats": repeats, "due_date": due}
    return handles.memory.create(_(content), properties, by or make_edit(), copy=False)
