"""Stopping: a run, or long work such as an import, can be stopped while it waits, and can report its progress."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from ana.errors import TurnStopped, WorkStopped

STOPPED = "The turn was stopped."
"""Why a turn has no answer that a person, or whoever works for them, has stopped."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of texts or records done, and of all."""


class Stoppable:
    """Work that any thread may stop, while other threads carry it out."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._stopped = False
        self._waiting: list[Callable[[], object]] = []
        """What ends the waiting of those who work for it."""

    def stop(self) -> None:
        """End all waiting, and let nothing further begin."""
        with self._changing:
            self._stopped = True
            waiting = [*self._waiting]
        for end in waiting:
            end()

    def check(self) -> None:
        """Raise TurnStopped if it was stopped: nobody will see the result."""
        if self._stopped:
            raise TurnStopped(STOPPED)

    def report(self, done: int, total: int) -> None:
        """Note the progress. Errors as of `check`."""
        self.check()

    @contextmanager
    def when_stopped(self, end: Callable[[], object]) -> Iterator[None]:
        """Call a function if the work is stopped meanwhile, or was stopped before.

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


class Work(Stoppable):
    """Long work, which can be stopped as long as none of it is written.

    Args:
        tell: Called with the progress, by the working thread.
    """

    def __init__(self, tell: Progress = lambda *_: None) -> None:
        super().__init__()
        self._tell = tell

    def check(self) -> None:
        """Raise WorkStopped if it was stopped."""
        if self._stopped:
            raise WorkStopped

    def report(self, done: int, total: int) -> None:
        """Report the progress. Errors as of `check`."""
        self.check()
        self._tell(done, total)


present: ContextVar[Stoppable | None] = ContextVar("present", default=None)
"""What this code works for; None at doors that run the graph themselves, where Ctrl-C stops it."""


@contextmanager
def working(work: Stoppable) -> Iterator[None]:
    """Make the code in the context a part of this work."""
    token = present.set(work)
    try:
        yield
    finally:
        present.reset(token)


def report(done: int, total: int) -> None:
    """Report the progress of the present work, if there is one. Errors as of `check_stopped`."""
    if work := present.get():
        work.report(done, total)


def check_stopped() -> None:
    """Raise TurnStopped if the present run was stopped, WorkStopped if it is other work."""
    if work := present.get():
        work.check()


@contextmanager
def when_stopped(end: Callable[[], object]) -> Iterator[None]:
    """Call a function if the present run is stopped meanwhile. Arguments as of `Stoppable.when_stopped`."""
    with (present.get() or Stoppable()).when_stopped(end):
        yield
