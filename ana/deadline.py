"""The time left for a turn: code that runs a part of it sets the deadline, code that waits for a network asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

_end: ContextVar[float | None] = ContextVar("end", default=None)
"""When the present turn has had its time; None where nothing belongs to a turn."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Limit the time of the code in the context, from now on; no limit if the number is not positive."""
    token = _end.set(monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(token)


def get_remaining_seconds() -> float | None:
    """Return the seconds that the present turn has left, at least 0; None outside of a turn."""
    end = _end.get()
    return None if end is None else max(end - monotonic(), 0.0)
