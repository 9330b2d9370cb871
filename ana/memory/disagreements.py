"""Differences between the journal and the records."""

from collections.abc import Iterable

from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item


def find_disagreements(kind: Kind, records: Iterable[Item], latest: Iterable[Entry]) -> list[Change]:
    """Return a change for each record that differs from the journal: before is the journal's, after the record's.

    Args:
        kind: The kind of the records.
        records: All of them.
        latest: The last entry of every record.
    """
    known = {entry.change.id: entry.change.after for entry in latest}
    stored = {record.id: record for record in records}
    return [
        Change(kind, id, known.get(id), stored.get(id))
        for id in sorted(known.keys() | stored.keys())
        if known.get(id) != stored.get(id)
    ]
