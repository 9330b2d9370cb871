"""Undoing a turn, for `ana undo` and `/undo`: it asks if a record has changed since."""

from ana.errors import UserError
from ana.memory.memory import Memory
from ana.memory.receipts import describe_change, describe_difference, make_receipt
from ana.memory.undo import Conflict, find_all_undone, find_undoable, find_undone_turn, undo
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
    is_redo = find_undone_turn(done.turn) is not None
    if done.conflicts and not done.name:
        kept = _("Nothing was taken back: this was changed since.")
        say(_("Nothing was brought back: this was changed since.") if is_redo else kept)
        for conflict in done.conflicts:
            say(f"  {describe_difference(conflict.after, conflict.now)}")
        if can_ask() and confirm(_("Bring it back all the same?") if is_redo else _("Take it back all the same?")):
            # only the conflicts that were shown: another change may come while the person reads
            return undo_turn(memory, done.turn, here=here, override=done.conflicts, user=user)
        if not here:
            how = _("To bring it back all the same") if is_redo else _("To take it back all the same")
            say(f"{how}: ana undo --turn {done.turn} --force{user}")
        return False
    if not done.changes:
        say(_("Everything was already as it had been before that turn."))
        return True
    say(_("Brought back:") if is_redo else _("Taken back:"))
    show_changes(describe_change(make_receipt(change)) for change in done.changes)
    if not here:
        say(f"{_('To bring it back')}: ana undo --turn {done.name}{user}")
    elif not is_redo:
        say(f"  {_('/redo brings it back.')}", style="dim")
    return True


def find_last_undo(memory: Memory, thread: str) -> str:
    """Return the newest turn of a conversation that undid another one and was not undone itself.

    Raises:
        UserError: There is none.
    """
    with memory.backend.reading():
        undone = find_all_undone(memory)
        for name in memory.turns(thread=thread):
            turn = find_undone_turn(name)
            if turn and not find_undone_turn(turn) and name not in undone:
                return name
    raise UserError("There is nothing to bring back.", "/redo takes back an undo of this conversation.")
