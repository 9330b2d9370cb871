"""Taking a turn back: everything it wrote, items and Global Context alike, becomes what it was.

What took a turn back is itself a turn, named `undo-XXXXXXXX-of-TURN`, and can be taken back. A record that something
else has changed since is a conflict: nothing at all is taken back then, unless that is wanted.
"""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from ana.errors import UserError
from ana.store.item import Item
from ana.store.journal import Cause, Change, Entry
from ana.store.memory import Memory

_UNDO = re.compile(r"undo-[0-9a-f]{8}-of-(?P<turn>.+)")


@dataclass(frozen=True)
class Conflict:
    """A record that was changed since.

    Args:
        left: What the turn left it as; None for deleted.
        now: What it is now; None for not there.
    """

    left: Item | None
    now: Item | None


@dataclass(frozen=True)
class Undone:
    """What came of taking a turn back.

    Args:
        turn: The turn.
        changes: What was changed for it, the last first.
        conflicts: What stood in the way; where there are any and none was to be overridden, nothing was changed.
    """

    turn: str
    changes: list[Change]
    conflicts: list[Conflict]


def last_turn(memory: Memory) -> str:
    """The newest turn that wrote something and stands.

    Raises:
        UserError: There is none.
    """
    turns = list(dict.fromkeys(entry.turn for entry in memory.history()))
    found = next((turn for turn in turns if not _UNDO.fullmatch(turn) and _stands(turn, turns)), None)
    if found is None:
        raise UserError("There is nothing to take back.")
    return found


def undo(memory: Memory, turn: str, *, override: bool = False) -> Undone:
    """Take a turn back.

    Args:
        memory: Items and Global Context.
        turn: The turn's id, from `last_turn` or the history.
        override: Whether what was changed since is put back all the same.

    Raises:
        UserError: There is no such turn, or it has been taken back already.
    """
    for entry in memory.history(turn=turn):
        if entry.change.kind == "item" and (old := entry.change.before):
            memory.items.embed_ahead(old.content, old.properties)
    with memory.folder.hold():  # nobody changes a record between the look at it and the write
        return _undone(memory, turn, override)


def _undone(memory: Memory, turn: str, override: bool) -> Undone:
    entries = memory.history(turn=turn)
    if not entries:
        raise UserError(f"No turn {turn} has written anything.", "`ana history` shows the turns.")
    if not _stands(turn, dict.fromkeys(entry.turn for entry in memory.history())):
        raise UserError(f"The turn {turn} has been taken back already.", "Take back what took it back.")
    spans = _spans(entries)
    found = [(span, memory.record(span.kind, span.id)) for span in spans]
    conflicts = [Conflict(span.after, now) for span, now in found if now not in (span.after, span.before)]
    if conflicts and not override:
        return Undone(turn, [], conflicts)
    name = f"undo-{secrets.token_hex(4)}-of-{turn}"
    changes = []
    for span, now in found:
        if now != span.before:
            cause = Cause(f"{name}/{span.kind}/{span.id}", entries[0].thread, name)
            changes.append(memory.put_back(Change(span.kind, span.id, now, span.before), cause))
    return Undone(turn, changes, conflicts)


def _spans(entries: Iterable[Entry]) -> list[Change]:
    """From what to what a turn took each record, the one written last first; one that is as it was is left out."""
    spans: dict[tuple[str, str], Change] = {}
    for entry in entries:  # the newest first
        change = entry.change
        last = spans.get((change.kind, change.id), change)
        spans[change.kind, change.id] = Change(change.kind, change.id, change.before, last.after)
    return [span for span in spans.values() if span.before != span.after]


def _stands(turn: str, turns: Iterable[str]) -> bool:
    """Whether a turn has not been taken back, or what took it back has been."""
    every = list(turns)
    return not any(
        _stands(other, every) for other in every if (match := _UNDO.fullmatch(other)) and match["turn"] == turn
    )
