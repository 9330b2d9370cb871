"""Recent results computed from a person's words, kept with their workspace and so available to nobody else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Recent:
    """The last results of functions, and the last values that were checked, in a person's conversations."""

    def __init__(self) -> None:
        self.checked: dict[Any, Any] = {}
        self._functions: dict[Callable[..., Any], Callable[..., Any]] = {}

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Keep the results of this code, and of code that it calls, here."""
        before = current.set(self)
        try:
            yield
        finally:
            current.reset(before)

    def remember(self, function: Callable[P, T], most: int) -> Callable[P, T]:
        """Return a function that remembers its last results here."""
        if function not in self._functions:
            self._functions[function] = lru_cache(maxsize=most)(function)
        return self._functions[function]


_PROCESS = Recent()
"""Of a process that enters none: a command is one person's."""

current: ContextVar[Recent] = ContextVar("recent", default=_PROCESS)
"""Where results are kept now."""


def keep_recent(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that keeps the last results of a pure function of hashable arguments with the present person.

    Args:
        most: The number of results to keep.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return current.get().remember(function, most)(*args, **kwargs)

        return call

    return decorate
