"""Long work that tells how far it is, and that whoever waits for it may stop as long as nothing of it is written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from ana.errors import WorkStopped

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of texts or records done, and of all."""


class Work:
    """Work that is told of and may be stopped, by whichever thread.

    Args:
        tell: Told how far it is; it is called by the thread that works.
    """

    def __init__(self, tell: Progress = lambda *_: None) -> None:
        self._tell = tell
        self._is_stopped = False

    def stop(self) -> None:
        """End it at its next step."""
        self._is_stopped = True

    def report(self, done: int, total: int) -> None:
        """Tell how far it is. Raises WorkStopped if it was stopped."""
        self.check()
        self._tell(done, total)

    def check(self) -> None:
        """Raise WorkStopped if it was stopped."""
        if self._is_stopped:
            raise WorkStopped


_present: ContextVar[Work | None] = ContextVar("present work", default=None)


@contextmanager
def working(work: Work) -> Iterator[None]:
    """Have what is done in the context be part of a work."""
    token = _present.set(work)
    try:
        yield
    finally:
        _present.reset(token)


def report(done: int, total: int) -> None:
    """Tell how far the present work is, if there is one. Raises WorkStopped if it was stopped."""
    if work := _present.get():
        work.report(done, total)


def check_stopped() -> None:
    """Raise WorkStopped if the present work was stopped."""
    if work := _present.get():
        work.check()
