"""Deleted items: they lie in the journal until they are purged."""

import secrets
from dataclasses import dataclass

from ana.errors import UserError
from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.memory import Memory


@dataclass(frozen=True)
class Deleted:
    """An item that was deleted.

    Args:
        ts: When, ISO 8601 in UTC.
        item: What it was.
    """

    ts: str
    item: Item


def deleted(memory: Memory) -> list[Deleted]:
    """Every item that was deleted and is not there again, the one deleted last first."""
    found: dict[str, Deleted] = {}
    for entry in memory.history():
        change = entry.change
        if change.kind == "item" and change.before and not change.after and change.id not in found:
            found[change.id] = Deleted(entry.ts, change.before)
    return [each for id, each in found.items() if not memory.items.has(id)]


def restore(memory: Memory, id: str) -> Change:
    """Bring a deleted item back as it was.

    Raises:
        UserError: No such item lies in the trash.
    """
    found = next((each for each in deleted(memory) if each.item.id == id), None)
    if found is None:
        raise UserError(f"No item {id} lies in the trash.", "`ana trash` shows what does.")
    change = Change("item", id, None, found.item)
    memory.put_back([change], f"restore-{id}-{secrets.token_hex(4)}")
    return change


def purge(memory: Memory, before: str) -> list[Deleted]:
    """Forget for ever what was deleted before a moment; what was forgotten.

    Args:
        memory: Items and journal.
        before: ISO 8601 in UTC.
    """
    gone = [each for each in deleted(memory) if each.ts < before]
    for each in gone:
        memory.erase(each.item.id)
    return gone
