"""Ids that no item has: which item may be meant."""

from difflib import get_close_matches

from ana.errors import NoSuchItem
from ana.memory.item import Item
from ana.output import shorten
from ana.values import plain_text
from tools.call import CallContext

SHORT = 120
"""Characters of a similar item's content."""


def explain_missing(call: CallContext, id: str) -> NoSuchItem:
    """Return the error for an id that no item has, with the item that may be meant."""
    if any(entry.change.after is None for entry in call.memory.history(id=id, limit=1)):
        return NoSuchItem(id, f"It was deleted; undo with turn={id!r} brings it back.")
    nearest = _find_nearest(call, id)
    hint = "Use the id of the similar one if it is meant; else look with query_items."
    return NoSuchItem(id, hint, [show_similar(nearest)]) if nearest else NoSuchItem(id)


def show_similar(item: Item) -> dict[str, str]:
    """Return an item in a few words, with the id to call it by."""
    return {"id": item.id, "content": plain_text(shorten(item.content, SHORT))}


def _find_nearest(call: CallContext, id: str) -> Item | None:
    """Return the item whose id is spelled nearly so; else the nearest in meaning, as models also send names."""
    known = [str(value) for value, _ in call.memory.backend.list_values("id")]
    if spelled := get_close_matches(id.strip().lower(), known, 1, 0.7):
        return call.memory.record("item", spelled[0])
    return next(iter(call.memory.find(id, limit=1).items), None)
