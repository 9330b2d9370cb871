"""Runs of a server: each owns its thread, and may be stopped."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ana.errors import StoreBusy
from ana.leases import work_under
from ana.stopping import Stoppable, present
from ana.threads.ports import ThreadLock

_POLL_SECONDS = 0.01
_LONGEST_POLL_SECONDS = 0.1


class Run(Stoppable):
    """A run and its hold on its thread, from before the checkpoint is read until the last of its nodes has ended.

    Langgraph cannot stop a node that has begun: when a run is cancelled, the node's thread goes on beside the next run.
    So the last of the two, the run or its node, releases the thread, and a stopped node begins no further call.

    Args:
        lock: The lock of its thread, without a time-out; None if nobody else can work in the thread.
        is_persistent: Whether the thread outlives the run.
        goes_on: Whether another process has begun the run and left it unfinished.
    """

    def __init__(
        self, lock: ThreadLock | None, thread: str = "", *, is_persistent: bool = True, goes_on: bool = False
    ) -> None:
        super().__init__()
        self.thread = thread
        self.goes_on = goes_on
        self._lock = lock
        self.is_persistent = is_persistent and lock is not None
        """Whether the thread outlives the run."""
        self._is_owner = False
        self._closed = False
        self._nodes = 0

    async def acquire(self, patience: float) -> None:
        """Wait for the thread, for a number of seconds, without blocking the event loop.

        Raises:
            StoreBusy: It was not released in time; the message names its owner.
            TurnStopped: The run was stopped.
        """
        until, pause = time.monotonic() + patience, _POLL_SECONDS
        while busy := await asyncio.to_thread(self._try):
            if time.monotonic() > until:
                raise busy
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_POLL_SECONDS)
        self.check()
        if self._lock:
            work_under(self._lock.token)

    def close(self) -> None:
        """End the run: release the thread, or let its last node do so."""
        self.stop()
        with self._changing:
            self._closed = True
            self._release_if_last()

    @contextmanager
    def node(self) -> Iterator[None]:
        """Keep the thread while a node works. Raises TurnStopped if the run has ended."""
        with self._changing:
            self.check()
            self._nodes += 1
        try:
            yield
        finally:
            with self._changing:
                self._nodes -= 1
                self._release_if_last()

    def _try(self) -> StoreBusy | None:
        """Take the thread if it is free and the run has not ended meanwhile; otherwise return the reason why not."""
        with self._changing:
            if self._stopped:
                return None
            try:
                if self._lock:
                    self._lock.acquire()
                self._is_owner = True
            except StoreBusy as exc:
                return exc
            return None

    def _release_if_last(self) -> None:
        if not (self._closed and self._is_owner) or self._nodes:
            return
        self._is_owner = False
        if self._lock and self.is_persistent:
            self._lock.release()
        elif self._lock:
            self._lock.discard()


def find_run() -> Run | None:
    """Return the run that this code works for; None at doors that own the thread while they run the graph."""
    run = present.get()
    return run if isinstance(run, Run) else None


@contextmanager
def work() -> Iterator[None]:
    """Keep the thread of the present run while a node works. Raises TurnStopped if the run has ended."""
    if run := find_run():
        with run.node():
            yield
    else:
        yield
