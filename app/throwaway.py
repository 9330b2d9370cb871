"""Assistants that are thrown away: on a store of their own, and nothing of what they keep stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.language_models import BaseChatModel

from ana.handles import Handles
from ana.logs import secrets_of
from ana.memory.backend import Backend
from ana.memory.memory import Memory
from ana.settings import Settings
from ana.spending import NoSpending, Spending
from ana.time.clock import Clock, local_zone
from ana.tracing.schema import Record
from ana.tracing.traces import Traces
from app.turn import Assistant, open_assistant

NOWHERE = Path("/nonexistent/ana-replay")
"""The folders of a turn that writes no file."""


class KeptTraces(Traces):
    """Traces that keep their records in memory."""

    def __init__(self) -> None:
        super().__init__(NOWHERE)
        self.records: list[Record] = []

    def write(self, record: Record) -> None:
        self.records.append(record)


def make_throwaway(
    settings: Settings,
    model: BaseChatModel,
    backend: Backend,
    clock: Clock | None = None,
    spending: Spending | None = None,
    folder: Path | None = None,
) -> Handles:
    """Return handles that touch nothing of the person's, whose cost counts nowhere unless it is said where.

    Args:
        settings: The settings; their folders and their log are left alone.
        model: Who decides.
        backend: The store.
        clock: The clock; None for that of the settings.
        spending: Where the cost of the model counts.
        folder: Where conversations and traces are kept; None for no file at all, with the traces in memory.
    """
    at = folder or NOWHERE
    here = {"ana_data_dir": at / "data", "traces_dir": at / "traces", "log_file_path": at / "log"}
    own, clock = settings.model_copy(update=here), clock or Clock(local_zone(settings.ana_timezone))
    traces = Traces(own.traces_dir, secrets_of(own)) if folder else KeptTraces()
    return Handles(own, clock, Memory(backend, clock), traces, model, spending or NoSpending())


@contextmanager
def open_throwaway(
    settings: Settings,
    model: BaseChatModel,
    backend: Backend,
    clock: Clock | None = None,
    spending: Spending | None = None,
) -> Iterator[Assistant]:
    """Open an assistant in a folder that goes when it is closed. Arguments and errors as of `make_throwaway` and
    `open_assistant`."""
    with TemporaryDirectory(prefix="ana-") as folder:
        handles = make_throwaway(settings, model, backend, clock, spending, Path(folder))
        with open_assistant(handles) as assistant:
            yield assistant
