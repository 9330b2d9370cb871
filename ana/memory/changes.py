"""Changes of records: from what to what, why, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ana.memory.item import Item

Kind = Literal["item", "line"]


@dataclass(frozen=True)
class Cause:
    """Which call wanted a write.

    Args:
        key: The same for the same call run again, different for every other.
        thread: The conversation.
        turn: The turn in it.
    """

    key: str
    thread: str
    turn: str


@dataclass(frozen=True)
class Origin:
    """Why a record reads as it does.

    Args:
        ts: When it was last written, ISO 8601 in UTC.
        cause: The call that wanted it; None when the person wrote it.
    """

    ts: str
    cause: Cause | None


@dataclass(frozen=True)
class Change:
    """One record from what it was to what it is to be; None is absent."""

    kind: Kind
    id: str
    before: Item | None
    after: Item | None

    @property
    def key(self) -> tuple[Kind, str]:
        """Which record it is of."""
        return self.kind, self.id

    @property
    def op(self) -> Literal["create", "update", "delete"]:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "update"


@dataclass(frozen=True)
class Entry:
    """One write.

    Args:
        ts: When, ISO 8601 in UTC.
        thread: The conversation; empty when there was none.
        turn: What it was part of: a turn, an edit by hand, an undo, an import.
        change: From what to what.
        key: Finds it again: the same for the same call run again. None where nothing will ask.
        seq: Its number, growing; 0 for one that is not written down yet.
    """

    ts: str
    thread: str
    turn: str
    change: Change
    key: str | None = None
    seq: int = 0

    @property
    def origin(self) -> Origin:
        """Why the record reads as it does since then."""
        return Origin(self.ts, Cause(self.key, self.thread, self.turn) if self.key else None)


def combine(changes: Iterable[Change]) -> list[Change]:
    """Return one change a record, from what the first to what the last makes of it, in the order each was first met.

    Args:
        changes: The oldest first.
    """
    spans: dict[tuple[Kind, str], Change] = {}
    for change in changes:
        first = spans.get(change.key, change)
        spans[change.key] = Change(change.kind, change.id, first.before, change.after)
    return list(spans.values())


def net(changes: Iterable[Change]) -> list[Change]:
    """Return `combine` without the records that end as they began."""
    return [change for change in combine(changes) if change.before != change.after]
