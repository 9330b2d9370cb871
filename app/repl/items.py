"""`/items`: the stored items, in the REPL."""

from ana.handles import DataHandles
from ana.translation import _
from app.due import list_open_first
from app.show.items import localize_matches, show_matches
from app.show.text import say

ITEMS, MOST_ITEMS = 20, 1000
"""How many items are listed, and how many where all are asked for."""


def show_items(handles: DataHandles, words: str) -> None:
    """Print a table of the items that words find; for `all`, or without words, of all items, open ones first."""
    is_all = words.lower() == "all"
    limit = MOST_ITEMS if is_all else ITEMS
    matches = list_open_first(handles.memory, limit) if is_all or not words else handles.memory.find(words, limit=limit)
    show_matches(localize_matches(matches, handles.clock.zone), year=handles.clock.now().year, ids=False)
    if matches.truncated and not words:
        say(_("/items all shows them all."), style="dim")
