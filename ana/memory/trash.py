"""Deleted items, which stay in the journal until they are purged."""

import secrets
from dataclasses import dataclass

from ana.errors import UserError
from ana.memory.changes import Cause, Change
from ana.memory.item import Item
from ana.memory.memory import Memory


@dataclass(frozen=True)
class DeletedItem:
    """An item that was deleted.

    Args:
        ts: When, ISO 8601 in UTC.
        item: The item as it was.
    """

    ts: str
    item: Item


def list_deleted(memory: Memory) -> list[DeletedItem]:
    """Return every deleted item that was not restored, the one deleted last first."""
    found: dict[str, DeletedItem] = {}
    for entry in memory.history():
        change = entry.change
        if change.kind == "item" and change.before and not change.after and change.id not in found:
            found[change.id] = DeletedItem(entry.ts, change.before)
    existing = memory.backend.get_many("item", list(found))
    return [deleted for id, deleted in found.items() if id not in existing]


def restore(memory: Memory, id: str, cause: Cause | None = None) -> Change:
    """Bring a deleted item back as it was.

    Args:
        memory: Items and journal.
        id: The item's.
        cause: The call that wants it; one that already did gets the change of that time.

    Raises:
        UserError: The item is not in the trash.
    """
    if cause and (earlier := memory.backend.find_change(cause.key)):
        return earlier
    found = next((deleted for deleted in list_deleted(memory) if deleted.item.id == id), None)
    if found is None:
        raise UserError(f"The item {id} is not in the trash.", "`ana trash` lists the items in it.")
    change = Change("item", id, None, found.item)
    by = cause or Cause("", "", f"restore-{id}-{secrets.token_hex(4)}")
    memory.put_back([change], by.turn, by.thread, by.key or None)
    return change


def purge(memory: Memory, before: str) -> list[DeletedItem]:
    """Remove items that were deleted before a moment from the journal, permanently, and return them.

    Args:
        memory: Items and journal.
        before: ISO 8601 in UTC.
    """
    with memory.backend.snapshot():  # nobody restores an item between the list and the erasure
        purged = [deleted for deleted in list_deleted(memory) if deleted.ts < before]
        for deleted in purged:
            memory.backend.erase("item", deleted.item.id)
    return purged
