"""What a tool is handed beside its arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias

from langchain_core.tools import InjectedToolArg

from ana.memory.changes import Cause
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.values import Json, plain
from tools.artifacts import Artifact


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

Result: TypeAlias = tuple[Any, Artifact]
"""The JSON that the model is given, and the artifact that it is not."""
