"""`ana history`, `ana undo` and `/undo`: what was changed, and taking it back."""

import sys
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

import click

from ana.errors import UserError
from ana.handles import opened
from ana.memory.receipts import receipt
from ana.settings import Settings
from app.show.tables import show_table
from app.show.text import change_line, say, short

if TYPE_CHECKING:
    from ana.memory.changes import Entry
    from ana.memory.item import Item
    from ana.memory.memory import Memory
    from ana.memory.undo import Conflict
    from ana.time.clock import Clock


def entries(settings: Settings, id: str | None, since: str | None, limit: int = 100) -> "list[Entry]":
    """What `ana history` shows, the newest first.

    Args:
        settings: Where the data lies.
        id: Only what was done to this item or line.
        since: Only from this day on, ISO or in words.
        limit: How many at most.

    Raises:
        UserError: `since` names no day.
    """
    with opened(settings, "ana history") as handles:
        return handles.memory.history(id=id, since=_moment(since, handles.clock) if since else "", limit=limit)


def show_entries(found: "list[Entry]") -> None:
    """Print a table: when, what, and the turn it was part of."""
    rows = [
        (entry.ts[:16].replace("T", " "), change_line(receipt(entry.change)), short(entry.turn, 200)) for entry in found
    ]
    if rows:
        show_table(("when (UTC)", "what", "turn"), rows, fixed=("when (UTC)",), first=1)
    else:
        say("Nothing has been changed.")


def undone(settings: Settings, turn: str | None, override: bool) -> bool:
    """Take a turn back, and say so; whether it was."""
    with opened(settings, "ana undo") as handles:
        return take_back(handles.memory, turn, override=override)


def take_back(
    memory: "Memory",
    turn: str | None,
    *,
    thread: str | None = None,
    again: str = "ana undo --turn",
    override: "bool | list[Conflict]" = False,
) -> bool:
    """Take a turn back, or the last one that stands, and say what that changed; whether it was taken back.

    What something else changed since is shown, and in a terminal asked about.

    Args:
        memory: Items and Global Context.
        turn: The turn, or None for the last.
        thread: Where it is to be the last of one conversation.
        again: The command that takes this back, without the name of the turn.
        override: Whether to take back also what something else changed since, or which of it.

    Raises:
        UserError: There is nothing to take back, or no such turn.
    """
    from ana.memory.undo import last_turn, undo

    done = undo(memory, last_turn(memory, thread) if turn is None else turn, override=override)
    if done.conflicts and not done.name:
        say(f"Nothing was taken back: since the turn {done.turn} this was changed.")
        for conflict in done.conflicts:
            say(f"  {_told(conflict.left)} -> {_told(conflict.now)}")
        if sys.stdin.isatty() and _confirmed("Take it back all the same?"):
            return take_back(memory, done.turn, again=again, override=done.conflicts)
        say(f"To take it back all the same: ana undo --turn {done.turn} --force")
        return False
    say("Taken back:" if done.changes else "Everything was as it had been before that turn.")
    for change in done.changes:
        say(f"  {change_line(receipt(change))}")
    if done.changes:
        say(f"To bring it back: {again} {done.name}")
    return True


def _confirmed(question: str) -> bool:
    try:
        return click.confirm(question)
    except click.Abort:  # Ctrl-C, Ctrl-D
        return False


def _told(item: "Item | None") -> str:
    return f"“{short(item.content, 50)}”" if item else "(deleted)"


def _moment(since: str, clock: "Clock") -> str:
    """The beginning of a day, as moments are stored."""
    from ana.time.when import resolve

    today = clock.now().date()
    days = resolve(since, today)
    if days and days[0].first > today:  # on a Sunday, Monday is the one that was
        days = resolve(f"last {since}", today) or days
    if not days:
        raise UserError(f"{since!r} names no day.", "Say it as 2026-01-13 or yesterday.")
    try:
        beginning = datetime.combine(days[0].first, time(), clock.zone).astimezone(UTC)
    except OverflowError:  # the first day there is, east of Greenwich
        return ""
    return beginning.isoformat(timespec="microseconds")
