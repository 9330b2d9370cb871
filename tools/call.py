"""The context of a tool call: the objects that a tool gets besides its arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, TypeAlias

from langchain_core.tools import InjectedToolArg

from ana.memory.changes import Cause
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.views import MOST_CHARACTERS, show_item, to_local
from ana.time.clock import Clock
from ana.values import Json, plain
from tools.artifacts import Artifact


@dataclass(frozen=True)
class CallContext:
    """The assistant's parts that a call may use, and its cause."""

    memory: Memory
    clock: Clock
    cause: Cause | None = None
    line_digests: Mapping[int, str] | None = None
    """Digests of the Global Context lines that the model saw, by number."""
    allow_copy: bool = False
    """Whether an item is stored although another says the same."""
    message: str = ""
    """What the person said."""
    rings_by: Sequence[str] = ()
    """Where reminders ring, without anything secret."""

    @property
    def today(self) -> date:
        return self.clock.now().date()

    def show(self, item: Item, stamps: bool = False, longest: int = MOST_CHARACTERS) -> dict[str, Json]:
        """Return an item as the model sees it: at most `longest` characters; `stamps` adds when it was written."""
        row = plain(show_item(item, self.clock.zone, stamps=stamps, longest=longest))
        assert isinstance(row, dict)
        return row

    def tell_recorded(self, record: Item) -> dict[str, Json]:
        """Return under `recorded` the day, in the person's zone, on which a record's text was last changed."""
        return {"recorded": to_local(self.memory.get_recorded_at(record), self.clock.zone)[: len("2026-01-13")]}


Injected: TypeAlias = Annotated[CallContext, InjectedToolArg]
"""Langchain leaves such a parameter out of the schema that models are shown."""

Result: TypeAlias = tuple[Any, Artifact]
"""The JSON that the model is given, and the artifact that it is not."""
