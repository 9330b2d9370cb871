"""Undoing a turn in a terminal, which asks if a record has changed since; and its result in words, for every door."""

from ana.errors import UserError
from ana.memory.memory import Memory
from ana.memory.receipts import describe_change, describe_difference, make_receipt
from ana.memory.undo import Conflict, Undone, find_all_undone, find_undoable, find_undone_turn, undo
from ana.translation import _
from app.show.answers import show_changes
from app.show.confirm import can_ask, confirm
from app.show.text import say


def undo_turn(
    memory: Memory,
    turn: str | None,
    *,
    thread: str | None = None,
    here: bool = False,
    override: bool | list[Conflict] = False,
    user: str = "",
) -> bool:
    """Undo a turn and print the changes. Return False if a conflict prevented it.

    Args:
        turn: The turn; None for the last one that can be undone.
        thread: The conversation whose last turn is undone; None for the last turn of all.
        here: Whether this is the REPL, where /redo brings the turn back.
        override: Whether to undo also records that were changed since, or the conflicts to override.
        user: The option by which a command names the person.

    Raises:
        UserError: There is nothing to undo, or no such turn.
    """
    done = undo(memory, find_undoable(memory, thread) if turn is None else turn, override=override)
    is_redo, is_stuck = find_undone_turn(done.turn) is not None, bool(done.conflicts) and not done.name
    first, *lines = describe_undo(done)
    say(first)
    show_changes(lines)
    if is_stuck and can_ask() and confirm(_("Do it all the same?")):
        # only the conflicts that were shown: another change may come while the person reads
        return undo_turn(memory, done.turn, here=here, override=done.conflicts, user=user)
    if here and done.changes and not is_redo:
        say(f"  {_('/redo brings it back.')}", style="dim")
    elif is_stuck and not here:
        say(f"{_('To do it all the same')}: ana undo --turn {done.turn} --force{user}")
    elif done.changes and not here:
        say(f"{_('To take this back')}: ana undo{'' if is_redo else ' --redo'}{user}")
    return not is_stuck


def describe_undo(done: Undone) -> list[str]:
    """Return what an undo changed, or what has been changed since and prevented it: a heading, and a line for each."""
    is_redo = find_undone_turn(done.turn) is not None
    if done.conflicts and not done.name:
        kept = _("Nothing was taken back: this was changed since.")
        heading = _("Nothing was brought back: this was changed since.") if is_redo else kept
        return [heading, *(describe_difference(each.after, each.now) for each in done.conflicts)]
    if not done.changes:
        return [_("Everything was already as it had been before that turn.")]
    heading = _("Brought back:") if is_redo else _("Taken back:")
    return [heading, *(describe_change(make_receipt(change)) for change in done.changes)]


def find_last_undo(memory: Memory, thread: str | None = None) -> str:
    """Return the newest turn, of a conversation or of all, that undid another one and was not undone itself.

    Raises:
        UserError: There is none.
    """
    with memory.backend.reading():
        undone = find_all_undone(memory)
        for name in memory.turns(thread=thread):
            turn = find_undone_turn(name)
            if turn and not find_undone_turn(turn) and name not in undone:
                return name
    raise UserError("There is nothing to bring back.")
