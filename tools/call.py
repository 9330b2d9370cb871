"""What a tool is handed beside its arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from langchain_core.tools import InjectedToolArg

from ana.clock import Clock
from ana.plain import plain
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
    """

    memory: Memory
    clock: Clock
    cause: Cause | None = None
    shown: Mapping[int, str] | None = field(default=None)

    def show(self, item: Item) -> Json:
        """An item as the model is shown it."""
        return plain(to_json(item, self.clock.zone))


Injected: TypeAlias = Annotated[Call, InjectedToolArg]

Result: TypeAlias = tuple[Any, dict[str, Any] | None]
"""What the model is told, and the receipt of a write."""


def receipt(change: Change) -> dict[str, Any]:
    """What a write really did, as people are shown it: op, kind, id, and the record before and after."""
    return {
        "op": change.op,
        "kind": change.kind,
        "id": change.id,
        "before": change.before and plain(to_json(change.before)),
        "after": change.after and plain(to_json(change.after)),
    }
