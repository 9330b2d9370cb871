"""The live handles, opened once, in one place."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ana.logs import add_log_file, secrets_of
from ana.output import tell
from ana.settings import Settings, load_settings
from ana.time.clock import Clock, local_zone

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ana.backends.upkeep import Upkeep
    from ana.embedders import Embedder
    from ana.memory.backend import Backend
    from ana.memory.memory import Memory
    from ana.spending import Spending
    from ana.tracing.traces import Traces

_log = logging.getLogger(__name__)

LOCAL_EMBEDDERS = ("minilm", "wordllama")


@dataclass(frozen=True)
class DataHandles:
    """All handles except a model: settings, clock, memory, traces."""

    settings: Settings
    clock: Clock
    memory: "Memory"
    traces: "Traces"


@dataclass(frozen=True)
class FolderHandles(DataHandles):
    """The handles of commands that work on the data folder itself."""

    upkeep: "Upkeep"


@dataclass(frozen=True)
class Handles(DataHandles):
    """The handles of a turn: all, with the model."""

    model: "BaseChatModel"
    spending: "Spending | None" = None
    """Where the cost of the model counts; None for the data folder's own total."""


def open_handles(
    settings: Settings,
    program: str = "ana",
    model: "BaseChatModel | None" = None,
    instruct: Callable[[str], str] | None = None,
    backend: "Backend | None" = None,
) -> Handles:
    """Build the handles. Nothing is locked or read until it is used, but for a data folder that can only be read.

    Args:
        settings: The settings.
        program: The name of this process in another's messages.
        model: A model in place of the one in the settings.
        instruct: Makes the prompt of a model without tool calls; needed where people talk to the model.
        backend: A backend in place of the data folder's.

    Raises:
        ConfigError: The model, the embedder or the client of LangSmith cannot be built from the settings.
    """
    from ana.models.prices import describe_unpriced_budget
    from ana.models.providers import build_model
    from ana.tracing.langsmith import connect

    connect(settings)
    if warning := describe_unpriced_budget(settings):
        _tell(warning)
    model = model or build_model(settings, instruct)
    data = _open_data(settings, backend) if backend else _open_folder(settings, program)
    return Handles(data.settings, data.clock, data.memory, data.traces, model)


def _open_data(settings: Settings, backend: "Backend") -> DataHandles:
    from ana.memory.memory import Memory
    from ana.tracing.traces import Traces

    clock = Clock(local_zone(settings.ana_timezone))
    return DataHandles(settings, clock, Memory(backend, clock), Traces(settings.traces_dir, secrets_of(settings)))


def _open_folder(settings: Settings, program: str) -> FolderHandles:
    from ana.backends.build import open_store
    from ana.backends.chroma.binding import read_embedder
    from ana.embedders import build_embedder

    is_auto = settings.ana_embeddings == "auto"

    def follow(name: str | None) -> "Embedder | None":
        """Return the embedder that auto takes because the data folder is bound to it, by now or meanwhile.

        Only one that runs on this machine: texts are not sent away unless the settings say so.
        """
        return build_embedder(settings, name) if is_auto and name in LOCAL_EMBEDDERS else None

    embedder = follow(read_embedder(settings.ana_data_dir) if is_auto else None) or build_embedder(settings)
    backend, upkeep = open_store(settings.ana_data_dir, embedder, program, _tell, follow)
    return FolderHandles(**vars(_open_data(settings, backend)), upkeep=upkeep)


@contextmanager
def open_data_folder(settings: Settings, program: str) -> Iterator[FolderHandles]:
    """Open handles for one command without a model, and close them after it. Arguments and errors as `open_handles`."""
    handles = _open_folder(settings, program)
    try:
        yield handles
    finally:
        handles.memory.close()


def _tell(text: str) -> None:
    """Tell the person, on the screen and in the log."""
    _log.warning(text)
    tell(text)


_default: Handles | None = None
_opening = threading.Lock()


def default_handles(instruct: Callable[[str], str]) -> Handles:
    """Return the process's own handles, opened from the environment at the first call; see `open_handles`."""
    global _default
    with _opening:
        if _default is None:  # a server's threads may ask at the same time
            settings = load_settings()
            add_log_file(settings)
            _default = open_handles(settings, program="ana server", instruct=instruct)
        return _default
