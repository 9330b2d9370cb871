"""The meaning of an item's status: open, done or cancelled. Words are compared without case."""

from ana.memory.item import Item

DONE = ("done", "completed", "complete", "finished", "closed")
CANCELLED = ("cancelled", "canceled")
CLOSED = (*DONE, *CANCELLED)
"""Statuses of items that need no more action; any other status, and none, is open."""


def has_status(item: Item, statuses: tuple[str, ...]) -> bool:
    """Return whether an item's status is one of these words."""
    status = item.properties.get("status")
    return isinstance(status, str) and status.lower() in statuses
