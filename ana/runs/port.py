"""The port for carrying out a server's runs: this process is one implementation, a queue with workers another."""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

Status = Literal["pending", "running", "success", "error", "interrupted"]

Strategy = Literal["enqueue", "reject", "interrupt"]
"""What becomes of the runs of a thread that have not ended when another begins there."""

ACTIVE: tuple[Status, ...] = ("pending", "running")


@dataclass
class StartedRun:
    """A run, in the form for its followers.

    Args:
        id: A UUID; the message that begins the run gets the same id, if the client gave it none.
        thread: The id of its thread; the thread is not stored if `is_persistent` is false.
        order: The client's request.
        created_at: When it was started.
        is_persistent: Whether its thread stays after its end.
        size: The number of bytes of the request.
        status: The run's status.
        updated_at: The time of the last change of the status.
        error: Why it failed; None if it did not fail.
        attempt: The number of times it was begun, because another worker may go on with it.
    """

    id: str
    thread: str
    order: dict[str, Any]
    created_at: datetime
    is_persistent: bool = True
    size: int = 0
    status: Status = "pending"
    updated_at: datetime = field(init=False)
    error: str | None = None
    attempt: int = 1

    def __post_init__(self) -> None:
        self.updated_at = self.created_at

    @property
    def is_active(self) -> bool:
        """Whether it is waiting or at work."""
        return self.status in ACTIVE


@dataclass(frozen=True)
class Event:
    """An event of a run.

    Args:
        position: Its number in the run, from 1 on.
        name: Its kind, as in the LangGraph API: metadata, values, messages, updates, custom, error ...
        data: JSON.
    """

    position: int
    name: str
    data: bytes


class Runs(Protocol):
    """One person's runs. Those of a thread work one after another, in the order in which they were started."""

    async def start(self, run: StartedRun, strategy: Strategy) -> None:
        """Take on a run.

        Raises:
            RunRejected: Another run of its thread has not ended, and the strategy is to reject; or too many of the
                person's runs have not ended.
        """

    async def find(self, id: str) -> StartedRun | None:
        """Return a run; None if there is none, or it ended too long ago."""

    async def list(self, thread: str) -> list[StartedRun]:
        """Return the runs of a thread that are remembered, the one started last first."""

    async def find_newest(self, threads: Collection[str]) -> dict[str, StartedRun]:
        """Return for each thread the active run, or else the one started last, without its request."""

    async def position(self, id: str) -> int:
        """Return the number of the last event of a run; 0 if it has sent none."""

    def follow(self, id: str, after: int = 0) -> AsyncIterator[Event]:
        """Yield a run's events from a position on, until it has ended; none if the run is no longer known."""

    async def join(self, id: str) -> None:
        """Wait until a run has ended and none of its code is running."""

    async def cancel(self, id: str) -> None:
        """Stop a run; nothing if it has ended."""

    async def forget(self, id: str) -> None:
        """Remove an ended run from all lists."""
