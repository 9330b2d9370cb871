"""Other assistants of a person: their writes, by day, and their rights."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta

from ana.errors import UserError
from ana.memory.few_words import show_value
from ana.memory.memory import Memory
from ana.memory.receipts import make_receipt, word_change
from ana.memory.sources import find_source
from ana.memory.undo import find_all_undone, undo
from ana.time.clock import Clock
from ana.translation import _, mark_text
from ana.values import read_json
from ana.workspace import Workspace

RIGHTS: Mapping[str, str] = mark_text(
    {
        "all": "reads, writes and deletes",
        "write": "reads and writes, and deletes nothing",
        "read": "only reads",
    }
)
"""What an assistant may do, as people are told it."""

OTHERS = "others"
"""Stands for those of whom nothing is said."""

DAYS = 30
"""Days of which is told what they wrote."""


@dataclass(frozen=True)
class Written:
    """The turns in which an assistant wrote on a day.

    Args:
        name: The assistant.
        day: The day in ISO 8601, in the person's zone.
        turns: Its turns, the newest first, without those that were taken back.
        lines: Each change in words, with its time, the newest first.
    """

    name: str
    day: str
    turns: list[str]
    lines: list[str]


def list_written(memory: Memory, clock: Clock) -> list[Written]:
    """Return the writes of assistants in the last days, the newest first."""
    since = (clock.now() - timedelta(days=DAYS)).astimezone(UTC).isoformat(timespec="microseconds")
    undone, groups = find_all_undone(memory), dict[tuple[str, str], Written]()
    for entry in memory.history(since=since):
        kind, _, name = find_source(entry.turn).partition(" ")
        if kind != "assistant" or entry.turn in undone:
            continue
        day, _, at = clock.minute(entry.ts).partition(" ")
        written = groups.setdefault((name, day), Written(name, day, [], []))
        if entry.turn not in written.turns:
            written.turns.append(entry.turn)
        written.lines.append(f"{at} {word_change(make_receipt(entry.change, clock.zone))}")
    return [*groups.values()]


def undo_day(memory: Memory, clock: Clock, name: str, day: str) -> str:
    """Undo an assistant's writes of a day, the last first, but not records changed since. Return a sentence."""
    written = next((each for each in list_written(memory, clock) if (each.name, each.day) == (name, day)), None)
    if written is None:
        raise UserError(_("{name} wrote nothing on {day} that can be taken back.").format(name=name, day=day))
    stuck = [turn for turn in written.turns if undo(memory, turn).conflicts]
    sentence = _("Taken back: {back} of {all} acts of {name} on {day}.").format(
        back=len(written.turns) - len(stuck), all=len(written.turns), name=name, day=show_value(day, clock.now().year)
    )
    if not stuck:
        return sentence
    rest = _("{n} left, because of what was changed since; the history of each item shows it.")
    return f"{sentence} {rest.format(n=len(stuck))}"


def list_rights(workspace: Workspace, names: Iterable[str] = ()) -> dict[str, str]:
    """Return the rights of assistants: of the named ones, and of all that have a right of their own."""
    try:
        value = read_json(workspace.note("assistants").read() or "{}")
    except ValueError:
        value = None
    # if it is damaged, nobody knows who may write
    known = value if isinstance(value, dict) else {OTHERS: "read"}
    rights = dict.fromkeys(names, known.get(OTHERS, "all")) | known
    return {name: str(right) if str(right) in RIGHTS else "read" for name, right in sorted(rights.items())}


def save_right(workspace: Workspace, name: str, right: str) -> None:
    """Save an assistant's right. Raises UserError if there is no such right."""
    if right not in RIGHTS:
        raise UserError(f"There is no right {right!r:.40}.", f"There are {', '.join(RIGHTS)}.")
    workspace.note("assistants").write(json.dumps({**list_rights(workspace), name: right}))
