"""A LangGraph saver as conversations need it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from langgraph.checkpoint.base import BaseCheckpointSaver


class ThreadSaver(BaseCheckpointSaver[str], ABC):
    """A saver whose newest checkpoint is the one that was saved last, whatever the clock said then.

    It keeps the checkpoints of a thread's last turns, and those at which a request waits. It deletes those of runs, and
    prunes, as the base class says. Methods that begin with `a` are for a program with an event loop.
    """

    @abstractmethod
    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        """Return the ids of the two checkpoints that were saved last, the last one first, each with its parent's."""

    @abstractmethod
    def mark_stopped(self, run_id: str) -> None:
        """Remember that a person stopped a run, which otherwise looks as if it had been cut short."""

    @abstractmethod
    def was_stopped(self, run_id: str) -> bool:
        """Return whether a person stopped a run."""

    async def amark_stopped(self, run_id: str) -> None:
        """Do what `mark_stopped` does, in a program with an event loop; as in langgraph, other savers have it not."""
        raise NotImplementedError
