"""The author of a turn in the journal that did not begin with a message: its id begins with a word for the author."""

from ana.memory.sources import find_source
from ana.memory.undo import PREFIX

REMINDER = "reminder"
"""The kind of what was done with a reminder, where it rang."""

_BY_HAND = ("edit-", f"{REMINDER}-", "import-", PREFIX)
"""How the turns begin that are no message; each is named without its dash."""


def name_turn_of(client: str, act: str) -> str:
    """Return the id of the turn in which another assistant does something; `act` tells it from every other one."""
    return f"mcp-{client}-{act}"


def find_author(turn: str) -> str:
    """Return the author of a turn: edit, reminder, import, undo, or another assistant's name; empty for a message."""
    kind, _, name = find_source(turn).partition(" ")
    if kind == "assistant":
        return name
    return next((begin.rstrip("-") for begin in _BY_HAND if turn.startswith(begin)), "")
