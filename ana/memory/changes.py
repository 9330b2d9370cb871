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


def net(changes: Iterable[Change]) -> list[Change]:
    """From what to what several changes take each record, in the order each was first met; `changes` the oldest first.

    A record that ends as it began is left out.
    """
    spans: dict[tuple[str, str], Change] = {}
    for change in changes:
        first = spans.get((change.kind, change.id), change)
        spans[change.kind, change.id] = Change(change.kind, change.id, first.before, change.after)
    return [span for span in spans.values() if span.before != span.after]
