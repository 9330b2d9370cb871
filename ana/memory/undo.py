"""Undo of a turn: every item and line of Global Context that it wrote gets its earlier state back.

An undo is itself a turn, named `undo-XXXXXXXX-of-TURN`, and can be undone. A record that something else has changed
afterwards is a conflict: then nothing is undone, unless the caller overrides it.
"""

import re
import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ana.errors import UserError
from ana.memory.backend import RecordKey, get_records, retry_on_change
from ana.memory.changes import READING, Cause, Change, Entry, net
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import PERSON

PREFIX = "undo-"
"""The name of every undo begins with it."""

FEW = 20
"""So many turns are looked at before all are: the one that is meant is nearly always among them."""

_UNDO = re.compile(rf"{PREFIX}(?P<mark>[0-9a-f]{{8}})-of-(?P<turn>.+)")


@dataclass(frozen=True)
class Conflict:
    """A record that was changed after the turn: its state after the turn and its present one; None if it does not
    exist.
    """

    after: Item | None
    now: Item | None


@dataclass(frozen=True)
class Undone:
    """The outcome of an undo of `turn`; `name` is the turn that undid it, empty if nothing was changed.

    The changes are its own, the last first. The conflicts are records that were changed after the turn; nothing was
    undone unless they were overridden.
    """

    turn: str
    name: str
    changes: list[Change]
    conflicts: list[Conflict]


def find_undone_turn(name: str) -> str | None:
    """Return the turn that was undone by a turn of this name, or None if it is not an undo."""
    match = _UNDO.fullmatch(name)
    return match["turn"] if match else None


def find_undoable(memory: Memory, thread: str | None = None, *, running: str | None = None) -> str:
    """Return the newest turn, of a thread or of all, that wrote something and was not undone, other than the running
    one.

    Raises UserError if there is none.
    """
    with memory.backend.reading():
        undone = find_all_undone(memory)
        candidates = (
            turn
            for turn in _iter_newest(memory, thread)
            if turn != running and turn not in undone and not find_undone_turn(turn) and not turn.startswith(READING)
        )
        newest = next((turn for turn in candidates if _net_newest_first(memory.history(turn=turn))), None)
    if newest is None:
        raise UserError(f"There is nothing to take back{_name_elsewhere(memory, running) if thread else ''}.")
    return newest


def _name_elsewhere(memory: Memory, running: str | None) -> str:
    """Return a sentence on where else a turn can be undone, to follow a sentence that refuses an undo here; empty if
    nowhere.
    """
    try:
        turn = find_undoable(memory, running=running)
    except UserError:
        return ""
    thread = memory.history(turn=turn, limit=1)[0].thread
    place = f"in conversation {thread}, where “undo” takes it back" if thread else "by hand: `ana undo` takes it back"
    return f" in this conversation. The last change was made {place}"


def undo(
    memory: Memory, turn: str, *, override: bool | Collection[Conflict] = False, mark: str = "", source: str = PERSON
) -> Undone:
    """Undo a turn. Errors as of `plan_undo`.

    Args:
        turn: The turn's id, from `find_undoable` or the history.
        override: Whether records that were changed afterwards are put back as well; or only these conflicts.
        mark: 8 hexadecimal digits, the same if the same undo is asked for again; default: random.
        source: The source of the undo; the records get their earlier sources back.
    """
    name = f"{PREFIX}{mark or secrets.token_hex(4)}-of-{turn}"

    def attempt() -> Undone:
        earlier = find_undone(memory, mark) if mark else None
        return earlier or _undo(memory, turn, override, name, source)

    return retry_on_change(memory.backend, attempt)


def find_undone(memory: Memory, mark: str) -> Undone | None:
    """Return the undo that was made under this mark, if there was one."""
    for name in memory.turns(prefix=f"{PREFIX}{mark}-of-"):
        if match := _UNDO.fullmatch(name):
            return Undone(match["turn"], name, [entry.change for entry in memory.history(turn=name)], [])
    return None


def plan_undo(memory: Memory, turn: str) -> tuple[list[Change], list[Conflict]]:
    """Return the changes that would undo a turn, the last first, and the records that were changed after the turn.

    Raises UserError if there is no such turn, or it has been undone already.
    """
    entries = memory.history(turn=turn)
    if not entries:
        raise UserError(f"No turn {turn} has written anything.", "`ana history` shows the turns.")
    if turn in find_all_undone(memory):
        raise UserError(f"The turn {turn} has been taken back already.", "Take back what took it back.")
    # a turn's own writes in between do not matter, only what it found and left
    spans = _net_newest_first(entries)
    records = get_records(memory.backend, [span.key for span in spans])
    states = [(span, records.get(span.key)) for span in spans]
    meddled = _find_meddled(entries)
    conflicts = [
        Conflict(span.after, now)
        for span, now in states
        # a record that is as it was before needs no undo and is not a conflict
        if now not in (span.after, span.before) or (now != span.before and span.key in meddled)
    ]
    return [Change(span.kind, span.id, now, span.before) for span, now in states if now != span.before], conflicts


def _undo(memory: Memory, turn: str, override: bool | Collection[Conflict], name: str, source: str) -> Undone:
    with memory.backend.reading():
        changes, conflicts = plan_undo(memory, turn)
        thread = memory.turns(prefix=turn)[turn]
    accepted = conflicts if override is True else override or []
    if any(conflict not in accepted for conflict in conflicts):
        return Undone(turn, "", [], conflicts)
    if changes:
        memory.put_back(changes, Cause("", thread, name, source))
    return Undone(turn, name if changes else "", changes, conflicts)


def _net_newest_first(entries: Sequence[Entry]) -> list[Change]:
    """Return the net change of each record, the one written last first; `entries` the newest first."""
    return net(entry.change for entry in reversed(entries))[::-1]


def _find_meddled(entries: Sequence[Entry]) -> set[RecordKey]:
    """Return the records that something else changed between two writes of a turn; `entries` the newest first."""
    last: dict[RecordKey, Item | None] = {}
    keys = set()
    for change in (entry.change for entry in reversed(entries)):
        if change.key in last and last[change.key] != change.before:
            keys.add(change.key)
        last[change.key] = change.after
    return keys


def find_all_undone(memory: Memory) -> set[str]:
    """Return the turns that were undone, by undos that were not undone themselves."""
    undone: set[str] = set()
    for name in sorted(memory.turns(prefix=PREFIX), key=len, reverse=True):  # an undo's name is longer than its turn's
        if name not in undone and (turn := find_undone_turn(name)):
            undone.add(turn)
    return undone


def _iter_newest(memory: Memory, thread: str | None) -> Iterator[str]:
    """Yield the turns of a thread, or of all, the newest first."""
    few = memory.turns(thread=thread, limit=FEW)
    yield from few
    if len(few) == FEW:
        yield from (turn for turn in memory.turns(thread=thread) if turn not in few)
