"""Changes of records: before, after, why and when."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from ana.memory.item import Item
from ana.memory.sources import PERSON

Kind = Literal["item", "line"]
READING = "calendar-"
"""What turns are called that the reading of a calendar made: nobody did it, so it is never the last that was done."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Cause:
    """The call that caused a write; its key is the same if the same call runs again, and different for every other
    call.

    The source says who wrote the text; see ana.memory.sources.
    """

    key: str
    thread: str
    turn: str
    source: str = PERSON


def make_edit(thread: str = "", source: str = PERSON, kind: str = "edit") -> Cause:
    """Return the cause of a change that the person makes by hand: a separate turn, so that it can be undone.

    Args:
        kind: The place where it is made, in the words of history (see ana.memory.authors).
    """
    return Cause("", thread, f"{kind}-{secrets.token_hex(4)}", source)


def get_source(cause: Cause | None) -> str:
    """Return the source of a write; the person if none is named."""
    return cause.source if cause else PERSON


@dataclass(frozen=True)
class Change:
    """One record before and after; None means that it did not exist."""

    kind: Kind
    id: str
    before: Item | None
    after: Item | None

    @property
    def key(self) -> tuple[Kind, str]:
        """Return the key of the changed record."""
        return self.kind, self.id

    @property
    def op(self) -> Literal["create", "update", "delete"]:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "update"


@dataclass(frozen=True)
class Entry:
    """One write in the journal.

    Args:
        ts: The time, ISO 8601 in UTC.
        thread: The conversation; empty without one.
        turn: The turn, edit by hand, undo or import to which it belongs.
        change: The record before and after.
        key: The same if the same call runs again; None if it was not made by a call.
        seq: Its number, from 1, without gaps and in the order of the changes, so that a reader who has read up to a
            number misses no later entry; 0 before it is in the journal. Erased numbers are not given again.
        source: The source of the written text.
    """

    ts: str
    thread: str
    turn: str
    change: Change
    key: str | None = None
    seq: int = 0
    source: str = PERSON

    @property
    def position(self) -> tuple[int, str]:
        """Return the position of a journal that ends with this entry."""
        return self.seq, self.ts


def combine(changes: Iterable[Change]) -> list[Change]:
    """Return one change for each record, from its first `before` to its last `after`; `changes` the oldest first."""
    spans: dict[tuple[Kind, str], Change] = {}
    for change in changes:
        first = spans.get(change.key, change)
        spans[change.key] = Change(change.kind, change.id, first.before, change.after)  # a known key keeps its place
    return list(spans.values())


def net(changes: Iterable[Change]) -> list[Change]:
    """Return `combine` without the records that are the same at the end as at the beginning."""
    return [change for change in combine(changes) if change.before != change.after]


def find_disagreements(kind: Kind, records: Iterable[Item], latest: Iterable[Entry]) -> list[Change]:
    """Return a change for each record that differs from the journal: before is the journal's, after the record's.

    Give all records of the kind, and the last entry of each from the journal.
    """
    known = {entry.change.id: entry.change.after for entry in latest}
    stored = {record.id: record for record in records}
    return [
        Change(kind, id, known.get(id), stored.get(id))
        for id in sorted(known.keys() | stored.keys())
        if known.get(id) != stored.get(id)
    ]
