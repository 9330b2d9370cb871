"""What a tool is handed beside its arguments."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, TypeAlias

from langchain_core.tools import InjectedToolArg

from ana.clock import Clock
from ana.plain import plain
from ana.store.base import Found, Reason
from ana.store.item import Item, Json, to_json
from ana.store.journal import Cause, Change
from ana.store.memory import Memory


@dataclass(frozen=True)
class Call:
    """One call of a tool: what it may touch, and what caused it.

    Args:
        memory: Items and Global Context.
        clock: The person's clock.
        cause: The call's key, thread and turn.
        shown: Digests of the Global Context lines that the model saw, by number.
        copy: Whether an item is to be kept also where another says the same already.
    """

    memory: Memory
    clock: Clock
    cause: Cause | None = None
    shown: Mapping[int, str] | None = field(default=None)
    copy: bool = False

    def show(self, item: Item) -> Json:
        """An item as the model is shown it."""
        return plain(to_json(item, self.clock.zone))


Injected: TypeAlias = Annotated[Call, InjectedToolArg]

Result: TypeAlias = tuple[Any, dict[str, Any] | None]
"""What the model is told, and what only people are: the receipt of a write, {op, kind, id, before, after}, or why a
query found what it found, {why}."""


def why(found: Found) -> dict[str, Any]:
    """Why each item was found, for the trace."""
    return {"why": [{"id": item.id} | told(reason) for item, reason in zip(found.items, found.reasons, strict=True)]}


def told(reason: Reason) -> dict[str, Any]:
    """What speaks for an item, without what does not."""
    vector = {} if reason.vector is None else {"vector": round(reason.vector, 3)}
    return vector | {name: value for name, value in asdict(reason).items() if value and name != "vector"}


def receipt(change: Change) -> dict[str, Any]:
    """What a write really did, as people are shown it: op, kind, id, and the record before and after."""
    return {
        "op": change.op,
        "kind": change.kind,
        "id": change.id,
        "before": change.before and plain(to_json(change.before)),
        "after": change.after and plain(to_json(change.after)),
    }
