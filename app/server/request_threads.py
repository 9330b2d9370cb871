"""Threads for requests: each person has their own, so that slow requests of one person do not hold up others."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

MOST = 16
"""Threads in which requests of one person work at once; more requests wait for those."""

P = ParamSpec("P")
T = TypeVar("T")

own: ContextVar[CapacityLimiter | None] = ContextVar("own", default=None)
"""The threads of the person whose request it is; None for those that all share."""


async def run_in_threadpool(do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in a thread of the requesting person, and return its result."""
    return await to_thread.run_sync(partial(do, *args, **kwargs), limiter=own.get())
