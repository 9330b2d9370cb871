"""Routines among the items: what is asked at its times, and is nothing that somebody has to do."""

from ana.memory.item import Item

ROUTINE = "routine"
"""The type of an item whose content is asked at its times."""


def is_routine(item: Item | None) -> bool:
    """Return whether an item is asked at its times."""
    return item is not None and item.properties.get("type") == ROUTINE
