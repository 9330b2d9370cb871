"""Deleted records, which stay in the journal until they are purged."""

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ana.errors import UserError
from ana.memory.backend import RecordKey, to_key
from ana.memory.changes import Cause, Change, Entry, Kind
from ana.memory.item import Item
from ana.memory.memory import Memory


@dataclass(frozen=True)
class DeletedRecord:
    """An item or a Global Context line in its last state, deleted at `ts` (ISO 8601 in UTC)."""

    ts: str
    kind: Kind
    item: Item

    @property
    def name(self) -> str:
        """Return its name for people: an item's id, or "line 3"."""
        return self.item.id if self.kind == "item" else f"line {self.item.id}"

    @property
    def key(self) -> RecordKey:
        return self.kind, self.item.id


def list_deleted(memory: Memory) -> list[DeletedRecord]:
    """Return every deleted record that was not restored, the last deleted first."""
    return _to_records(memory.backend.deletions())


def find_deleted(memory: Memory, name: str) -> DeletedRecord | None:
    """Return a deleted record by its name, an item's id or "line 3"; None if it is not in the trash."""
    return next(iter(_to_records(memory.backend.deletions(to_key(name)))), None)


def restore(memory: Memory, name: str, cause: Cause | None = None) -> Change:
    """Bring a deleted record, an item's id or "line 3", back unchanged. Raises UserError if it is not in the trash.

    If the same call has already brought it back, the earlier change is returned.
    """
    record = find_deleted(memory, name)
    if record is None:
        if cause and (earlier := memory.backend.find_change(cause.key)):
            return earlier
        raise UserError(f"{name} is not in the trash.", "`ana trash` lists what is in it.")
    change = Change(record.kind, record.item.id, None, record.item)
    origin = cause or Cause("", "", f"restore-{record.item.id}-{secrets.token_hex(4)}")
    return memory.put_back([change], origin)[0]


def purge(memory: Memory, before: str, only: Collection[RecordKey] | None = None) -> list[DeletedRecord]:
    """Delete records that were deleted before a moment (ISO 8601 in UTC) permanently, and return them.

    Afterwards no file holds them. `only` names the records that may be purged; None for all.
    """
    with memory.backend.alone():  # nobody restores a record between the list and the erasure
        purged = [
            deleted for deleted in list_deleted(memory) if deleted.ts < before and (only is None or deleted.key in only)
        ]
        memory.backend.erase([deleted.key for deleted in purged])
    return purged


def _to_records(deletions: Iterable[Entry]) -> list[DeletedRecord]:
    changes = ((entry.ts, entry.change) for entry in deletions)
    return [DeletedRecord(ts, change.kind, change.before) for ts, change in changes if change.before]
