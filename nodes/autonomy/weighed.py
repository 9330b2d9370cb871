"""Memory as a call was weighed: the call writes over nothing else."""

from collections.abc import Sequence
from dataclasses import replace

from ana.memory.changes import Kind
from ana.memory.item import Item
from ana.memory.memory import Memory
from nodes.autonomy.writes import Touched
from tools.call import CallContext


class ChangedSinceWeighed(Exception):
    """A record is not as it was when the call was weighed. Nothing was written."""


def bind(context: CallContext, touched: Sequence[Touched]) -> CallContext:
    """Return a call's context in which a record that it touches must be as it was weighed."""
    return replace(context, memory=_WeighedMemory(context, touched)) if touched else context


class _WeighedMemory(Memory):
    """Compares what a write reads; the backend refuses a write over anything that its writer did not read."""

    def __init__(self, context: CallContext, touched: Sequence[Touched]) -> None:
        super().__init__(context.memory.backend, context.clock)
        self._weighed = {(each.kind, each.id): each.now for each in touched}
        self._turn = context.cause.turn if context.cause else None

    def record(self, kind: Kind, id: str) -> Item | None:
        """Return an item or a line, or None.

        Raises:
            ChangedSinceWeighed: Somebody else has changed it.
        """
        now = super().record(kind, id)
        if self._weighed.get((kind, id), now) != now and not self._changed_it_itself(id):
            raise ChangedSinceWeighed(id)
        return now

    def _changed_it_itself(self, id: str) -> bool:
        """Whether the last change is one of this turn: of an earlier call in the batch, which was weighed with it."""
        return any(entry.turn == self._turn for entry in self.history(id=id, limit=1))
