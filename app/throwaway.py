"""Temporary assistants: each has a store of its own, and nothing of it stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.language_models import BaseChatModel

from ana.handles import Handles
from ana.memory.backend import Backend
from ana.memory.memory import Memory
from ana.settings import Settings
from ana.spending.total import NoSpending, Spending
from ana.time.clock import Clock
from ana.tracing.port import InMemoryTraces
from ana.workspace import Workspace
from app.turn import Assistant, open_assistant

NOWHERE = Path("/nonexistent/ana-replay")
"""The folders of a turn that writes no file."""


def make_throwaway(
    settings: Settings,
    model: BaseChatModel,
    backend: Backend,
    clock: Clock | None = None,
    spending: Spending | None = None,
    folder: Path | None = None,
) -> Handles:
    """Return handles that touch none of the person's data; their costs are counted only if `spending` is given.

    Args:
        settings: The settings; their folders and their log are left alone.
        clock: The clock; None for the one of the settings.
        spending: The place where the cost of the model is counted.
        folder: The folder of conversations and traces; None for no file at all, with the traces in memory.
    """
    own = Workspace(settings).move(folder or NOWHERE)
    clock, traces = clock or own.make_clock(), own.open_traces() if folder else InMemoryTraces()
    return Handles(own, clock, Memory(backend, clock), traces, model, spending or NoSpending())


@contextmanager
def open_throwaway(
    settings: Settings,
    model: BaseChatModel,
    backend: Backend,
    clock: Clock | None = None,
    spending: Spending | None = None,
) -> Iterator[Assistant]:
    """Open an assistant in a folder that is deleted when it is closed. Arguments and errors as of `make_throwaway` and
    `open_assistant`."""
    with TemporaryDirectory(prefix="ana-") as folder:
        handles = make_throwaway(settings, model, backend, clock, spending, Path(folder))
        with open_assistant(handles) as assistant:
            yield assistant
