"""Who made a turn of the journal that is no message of a person's: its id begins with the word for it."""

from collections.abc import Sequence

from ana.memory.changes import Entry
from ana.memory.sources import find_source
from ana.memory.undo import PREFIX
from ana.values import iter_texts

_BY_HAND = ("edit-", "import-", PREFIX)
"""How the turns begin that are no message; each is named without its dash."""

MOST_TOLD = 160
"""Characters of a text that a person tells; a longer one may be somebody else's, pasted."""


def name_turn_of(client: str, act: str) -> str:
    """Return the id of the turn in which another assistant does something; `act` tells it from every other one."""
    return f"mcp-{client}-{act}"


def find_author(turn: str) -> str:
    """Return what made a turn: edit, import, undo, or another assistant by its name; empty for a message."""
    kind, _, name = find_source(turn).partition(" ")
    if kind == "assistant":
        return name
    return next((begin.rstrip("-") for begin in _BY_HAND if turn.startswith(begin)), "")


def is_told(entries: Sequence[Entry]) -> bool:
    """Return whether all texts that a record ever had come from what the person said, in few words.

    Args:
        entries: All writes of the record, the newest first.
    """
    begins = bool(entries) and entries[-1].change.before is None
    records = (entry.change.after for entry in entries)
    texts = (text for each in records if each for text in iter_texts([each.content, each.properties]))
    return begins and all(map(_is_by_person, entries)) and all(len(text) <= MOST_TOLD for text in texts)


def _is_by_person(entry: Entry) -> bool:
    author, change = find_author(entry.turn), entry.change
    if author == "edit" and change.before and change.after:  # marked on the page, say
        return change.before.content == change.after.content
    return author == "undo" or bool(entry.thread and entry.turn and not author)
