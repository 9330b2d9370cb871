"""The runs of langchain that turns were, each with all below it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.tracers import Run
    from langchain_core.tracers.run_collector import RunCollectorCallbackHandler

_collecting: "ContextVar[RunCollectorCallbackHandler | None]" = ContextVar("_collecting", default=None)


@contextmanager
def collect_trees() -> "Iterator[list[Run]]":
    """Yield a list of the runs without a parent, which grows while the context is open."""
    from langchain_core.tracers.run_collector import RunCollectorCallbackHandler

    _hook_in()
    collector = RunCollectorCallbackHandler()
    token = _collecting.set(collector)
    try:
        yield collector.traced_runs
    finally:
        _collecting.reset(token)


@cache
def _hook_in() -> None:
    """Once in a process. langchain's own `collect_runs` is not told what runs below a node."""
    from langchain_core.tracers.context import register_configure_hook

    register_configure_hook(_collecting, inheritable=True)
