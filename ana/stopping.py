"""Stopping: a run may be stopped by a person while it waits for something."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ana.errors import TurnStopped

STOPPED = "The turn was stopped."
"""Why a turn has no answer that a person, or whoever works for them, has stopped."""


class Stoppable:
    """What may be stopped, by whichever thread, while others work for it."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._stopped = False
        self._waiting: list[Callable[[], object]] = []
        """What ends the waiting of those who work for it."""

    def stop(self) -> None:
        """End what waits, and let nothing further begin."""
        with self._changing:
            self._stopped = True
            waiting = [*self._waiting]
        for end in waiting:
            end()

    def check(self) -> None:
        """Raise TurnStopped if it was stopped: nobody will see what is done from now on."""
        if self._stopped:
            raise TurnStopped(STOPPED)

    @contextmanager
    def when_stopped(self, end: Callable[[], object]) -> Iterator[None]:
        """Have something called if it is stopped meanwhile, or was before.

        Args:
            end: Ends a waiting. It is called by another thread, and must not wait itself.
        """
        with self._changing:
            self._waiting.append(end)
            was_stopped = self._stopped
        try:
            if was_stopped:
                end()
            yield
        finally:
            with self._changing:
                self._waiting.remove(end)


present: ContextVar[Stoppable | None] = ContextVar("present", default=None)
"""The run that this code works for; None at doors that run the graph themselves, where Ctrl-C stops it."""


def check_stopped() -> None:
    """Raise TurnStopped if the present run was stopped."""
    if run := present.get():
        run.check()


@contextmanager
def when_stopped(end: Callable[[], object]) -> Iterator[None]:
    """Have something called if the present run is stopped meanwhile. Arguments as of `Stoppable.when_stopped`."""
    with (present.get() or Stoppable()).when_stopped(end):
        yield
