"""The meaning of an item's status: open, done or cancelled. Words are compared without case."""

from ana.values import Properties

DONE = ("done", "completed", "complete", "finished", "closed")
CANCELLED = ("cancelled", "canceled")
CLOSED = (*DONE, *CANCELLED)
"""Statuses of items that need no more action; any other status, and none, is open."""


def has_status(properties: Properties, statuses: tuple[str, ...]) -> bool:
    """Return whether the status among an item's properties is one of these words."""
    status = properties.get("status")
    return isinstance(status, str) and status.lower() in statuses
