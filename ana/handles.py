"""The live handles, opened once, in one place."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ana.errors import AnaError, UserError
from ana.files import FILE_ERRORS
from ana.logs import add_log_file
from ana.output import tell
from ana.settings import Settings
from ana.time.clock import Clock
from ana.workspace import Workspace, load_workspace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ana.backends.chroma.care.upkeep import Upkeep
    from ana.backends.ports import Care
    from ana.embedders import Embedder
    from ana.memory.backend import Backend
    from ana.memory.memory import Memory
    from ana.spending.total import Spending
    from ana.tracing.port import Traces
    from ana.tracing.schema import Record

_log = logging.getLogger(__name__)

LOCAL_EMBEDDERS = ("minilm", "wordllama")


@dataclass(frozen=True)
class DataHandles:
    """All handles except a model: workspace, clock, memory, traces, and the maintenance of the store."""

    workspace: Workspace
    clock: Clock
    memory: "Memory"
    traces: "Traces"
    keeper: "Care | None" = field(default=None, kw_only=True)
    """What cares for the store; None where a backend was given, for tests and copies."""

    @property
    def settings(self) -> Settings:
        """The settings that apply to the person."""
        return self.workspace.settings

    @property
    def care(self) -> "Care":
        """The `Care` of the store. Raises UserError if the store is a copy, or belongs to a test."""
        if self.keeper is None:
            raise UserError("Nothing cares for what is kept here.", "Keep it in a data folder or a database.")
        return self.keeper

    @property
    def upkeep(self) -> "Upkeep":
        """The `Upkeep` of a data folder. Raises UserError if the items are not in a folder."""
        if upkeep := self.find_upkeep():
            return upkeep
        raise UserError("This is for a data folder, and what is kept here is in a database.", "See docs/operating.md.")

    def find_upkeep(self) -> "Upkeep | None":
        """Return the `Upkeep` of a data folder; None if the items are not in a folder."""
        from ana.backends.chroma.care.upkeep import Upkeep

        return self.keeper if isinstance(self.keeper, Upkeep) else None

    def prepare_search(self) -> None:
        """Search once, so that encoder, words and vectors are in memory; the first question reports any fault.

        Nothing is done if texts are sent away to be embedded.
        """
        from ana.models.providers import embedding_destination

        if embedding_destination(self.settings) is None:
            with suppress(AnaError, *FILE_ERRORS):
                self.memory.find("what is there", limit=1)


class Meter:
    """Counts the turns that use the handles. This one counts nothing."""

    def count_turn(self, record: "Record") -> None:
        """Count a turn that ended, by its record."""


@dataclass(frozen=True)
class Handles(DataHandles):
    """All handles of a turn, with the model and the place where its cost is counted."""

    model: "BaseChatModel"
    spending: "Spending"
    meter: Meter = field(default_factory=Meter)


def open_handles(
    workspace: Workspace,
    program: str = "ana",
    model: "BaseChatModel | None" = None,
    instruct: Callable[[str], str] | None = None,
    backend: "Backend | None" = None,
) -> Handles:
    """Build the handles. Nothing is locked or read before its first use.

    Args:
        program: The name of this process in another's messages.
        model: A model in place of the one in the settings.
        instruct: Makes the prompt of a model without tool calls; needed where people talk to the model.
        backend: A backend in place of the workspace's.

    Raises:
        ConfigError: The model, the embedder or the client of LangSmith cannot be built from the settings.
    """
    from ana.models.prices import describe_unpriced_budget
    from ana.tracing.langsmith import connect

    settings = workspace.settings
    connect(settings)
    if warning := describe_unpriced_budget(settings):
        _tell(warning)
    model = model or _build_model(workspace, instruct)
    return _add_model(_make_data(workspace, backend) if backend else _open_data(workspace, program), model)


def complete_handles(data: DataHandles, instruct: Callable[[str], str]) -> Handles:
    """Complete handles so that turns can be run with them; the given ones stay in use. Errors as of `open_handles`."""
    return data if isinstance(data, Handles) else _add_model(data, _build_model(data.workspace, instruct))


def _build_model(workspace: Workspace, instruct: Callable[[str], str] | None) -> "BaseChatModel":
    from ana.models.parameters import REFUSED
    from ana.models.providers import build_model

    return build_model(workspace.settings, instruct, workspace.note(REFUSED))


def _add_model(data: DataHandles, model: "BaseChatModel") -> Handles:
    return Handles(**vars(data), model=model, spending=data.workspace.open_spending(data.clock, data.traces))


def _make_data(workspace: Workspace, backend: "Backend", keeper: "Care | None" = None) -> DataHandles:
    from ana.memory.memory import Memory

    clock = workspace.make_clock()
    return DataHandles(workspace, clock, Memory(backend, clock), workspace.open_traces(), keeper=keeper)


def choose_embedder(workspace: Workspace, bound: str | None) -> "Embedder":
    """Return the embedder for a store, which may be bound to one already. Errors as of `open_handles`."""
    return follow_embedder(workspace, bound) or workspace.build_embedder()


def follow_embedder(workspace: Workspace, name: str | None) -> "Embedder | None":
    """Return the embedder that auto selects because stored vectors are bound to it. Only one that runs on this machine
    is returned: texts are not sent away unless the settings say so.
    """
    is_followed = workspace.settings.ana_embeddings == "auto" and name in LOCAL_EMBEDDERS
    return workspace.build_embedder(name) if is_followed else None


def _open_data(workspace: Workspace, program: str) -> DataHandles:
    if workspace.has_database:
        from ana.backends.postgres.care import open_rows, read_embedder

        embedder = choose_embedder(workspace, read_embedder(workspace.rows))
        return _make_data(workspace, *open_rows(workspace.rows, embedder))
    from ana.backends.chroma.care.upkeep import open_store
    from ana.backends.chroma.closed import read_embedder as read_bound

    is_auto = workspace.settings.ana_embeddings == "auto"
    embedder = choose_embedder(workspace, read_bound(workspace.folder) if is_auto else None)
    follow = partial(follow_embedder, workspace)
    backend, upkeep = open_store(workspace.folder, embedder, program, workspace.person, _tell, follow)
    return _make_data(workspace, backend, upkeep)


@contextmanager
def open_data(workspace: Workspace, program: str) -> Iterator[DataHandles]:
    """Open handles for one command without a model, and close them after it. Arguments and errors as of
    `open_handles`.
    """
    handles = _open_data(workspace, program)
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


def get_default_handles(instruct: Callable[[str], str]) -> Handles:
    """Return the process's own handles, opened from the environment at the first call; see `open_handles`."""
    global _default
    with _opening:
        if _default is None:  # a server's threads may ask at the same time
            workspace = load_workspace()
            add_log_file(workspace.settings)
            _default = open_handles(workspace, program="ana server", instruct=instruct)
        return _default
