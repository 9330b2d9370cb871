"""`ana history`: list changes, with their time and turn."""

from datetime import UTC, datetime, time
from typing import Annotated

import typer

from ana.errors import UserError
from ana.handles import open_data
from ana.memory.authors import find_author
from ana.memory.changes import Entry
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.sources import PERSON, is_others
from ana.output import write_json
from ana.time.clock import Clock
from ana.time.when import resolve
from ana.workspace import Workspace
from app.show.tables import show_table
from app.show.text import say, shorten
from app.startup import start


def history(
    item: Annotated[str | None, typer.Option(help="Only changes of this item or line (its id or number).")] = None,
    since: Annotated[
        str | None, typer.Option(help="Only since this day: 2026-01-13, or in words: last Monday.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number.")] = 100,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Show all changes with their time and turn, newest first."""
    workspace = start()
    entries = find_entries(workspace, item, since, limit)
    if json_:
        for entry in entries:
            about = {"ts": entry.ts, "thread": entry.thread, "turn": entry.turn}
            by = find_author(entry.turn)
            source = {"source": entry.source} if is_others(entry.source) else {}
            write_json(about | ({"by": by} if by else {}) | source | make_receipt(entry.change))
    else:
        show_entries(entries, workspace.make_clock())


def find_entries(workspace: Workspace, id: str | None, since: str | None, limit: int = 100) -> list[Entry]:
    """Return entries of the journal, newest first: of an item or a line, since a day in ISO format or in words.

    Raises:
        UserError: `since` does not name a day.
    """
    with open_data(workspace, "ana history") as handles:
        beginning = parse_since(since, handles.clock) if since else ""
        return handles.memory.history(id=id, since=beginning, limit=limit)


def show_entries(entries: list[Entry], clock: Clock) -> None:
    """Print a table of times, changes and turns."""
    others = any(is_others(entry.source) for entry in entries)
    rows = [
        (
            *(clock.minute(entry.ts), describe_change(make_receipt(entry.change, clock.zone))),
            *(("" if entry.source == PERSON else entry.source,) if others else ()),
            shorten(entry.turn, 200),
        )
        for entry in entries
    ]
    if rows:
        show_table(("when", "what", *(("from",) if others else ()), "turn"), rows, fixed=("when",), first=1)
    else:
        say("Nothing has been changed.")


def parse_since(since: str, clock: Clock) -> str:
    """Return the beginning of a day in the journal's format.

    Raises:
        UserError: `since` does not name a day.
    """
    today = clock.now().date()
    days = resolve(since, today)
    if days and days[0].first > today:
        # Elsewhere a bare Monday is the coming one; history is about the one that was.
        days = resolve(f"last {since}", today) or days
    if not days:
        raise UserError(f"{since!r} does not name a day.", "Write it as 2026-01-13 or yesterday.")
    try:
        beginning = datetime.combine(days[0].first, time(), clock.zone).astimezone(UTC)
    except OverflowError:  # 0001-01-01 east of Greenwich begins before the first moment datetime knows
        return ""
    return beginning.isoformat(timespec="microseconds")
