"""Undoing a turn, as `ana undo` and `/undo` do it: with a question where something else has changed since."""

from typing import TYPE_CHECKING

from ana.memory.receipts import describe_change, describe_difference, make_receipt
from app.show.confirm import can_ask, confirm
from app.show.text import say

if TYPE_CHECKING:
    from ana.memory.memory import Memory
    from ana.memory.undo import Conflict


def undo_turn(
    memory: "Memory",
    turn: str | None,
    *,
    thread: str | None = None,
    command: str = "ana undo --turn",
    override: "bool | list[Conflict]" = False,
) -> bool:
    """Undo a turn and print what that changed. Return False if a conflict prevented it.

    Args:
        memory: Items and Global Context.
        turn: The turn; None for the last one that can be undone.
        thread: The conversation of which the last turn is meant; None for any.
        command: The command that undoes this again, without the name of the turn.
        override: Whether to undo also what something else changed since, or the conflicts to override.

    Raises:
        UserError: There is nothing to undo, or no such turn.
    """
    from ana.memory.undo import last_turn, undo

    done = undo(memory, last_turn(memory, thread) if turn is None else turn, override=override)
    if done.conflicts and not done.name:
        _show_conflicts(done.turn, done.conflicts)
        if can_ask() and confirm("Take it back all the same?"):
            # only the conflicts that were shown: another change may come while the person reads
            return undo_turn(memory, done.turn, command=command, override=done.conflicts)
        say(f"To take it back all the same: ana undo --turn {done.turn} --force")
        return False
    say("Taken back:" if done.changes else "Everything was already as it had been before that turn.")
    for change in done.changes:
        say(f"  {describe_change(make_receipt(change))}")
    if done.changes:
        say(f"To bring it back: {command} {done.name}")
    return True


def _show_conflicts(turn: str, conflicts: "list[Conflict]") -> None:
    say(f"Nothing was taken back: since the turn {turn} this was changed.")
    for conflict in conflicts:
        say(f"  {describe_difference(conflict.left, conflict.now)}")
