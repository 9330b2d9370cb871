"""Routines among the items: questions that ana asks itself at set times; nobody has to do them."""

from ana.memory.item import Item

ROUTINE = "routine"
"""The type of an item whose content is asked at its times."""


def is_routine(item: Item | None) -> bool:
    """Return whether an item is a routine."""
    return item is not None and item.properties.get("type") == ROUTINE
