"""Threads in which requests work: each person has some, so that nobody's slow requests hold up another's."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

from ana.runs.slots import Slots

MOST = 16
"""Threads in which requests of one person work at once; more requests wait for those."""

ALL = 640
"""Threads in which requests work at once."""

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """The threads of everybody's requests."""

    def __init__(self) -> None:
        self._slots = Slots(each=MOST, all=ALL)
        self._limiter = CapacityLimiter(ALL)

    async def run(self, person: str | None, work: Callable[[], T]) -> T:
        """Return what something returns that blocks, as soon as there is a thread for this person."""
        async with self._slots.take(person or ""):
            return await to_thread.run_sync(work, limiter=self._limiter)


own: ContextVar[tuple[Threads, str | None] | None] = ContextVar("own", default=None)
"""The threads, and the person whose request it is; None for threads that all share."""


async def run_in_threadpool(do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what something returns that blocks; it runs in a thread of the person whose request it is."""
    work = partial(do, *args, **kwargs)
    if (share := own.get()) is None:
        return await to_thread.run_sync(work)
    threads, person = share
    return await threads.run(person, work)
