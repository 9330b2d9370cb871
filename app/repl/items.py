"""`/items`: what is kept, in the REPL."""

from ana.handles import DataHandles
from ana.translation import _
from app.due import list_open_first
from app.show.items import localize_found, show_found
from app.show.text import say

ITEMS, MOST_ITEMS = 20, 1000
"""How many items are listed, and how many where all are asked for."""


def show_items(handles: DataHandles, words: str) -> None:
    """Print a table of the items that words find; of all, what is open first, for the word `all` or none."""
    is_all = words.lower() == "all"
    limit = MOST_ITEMS if is_all else ITEMS
    found = list_open_first(handles.memory, limit) if is_all or not words else handles.memory.find(words, limit=limit)
    show_found(localize_found(found, handles.clock.zone), year=handles.clock.now().year, ids=False)
    if found.truncated and not words:
        say(_("/items all shows them all."), style="dim")
