"""The context of a run: everything that is fixed while it lasts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from ana.errors import UserError
from ana.handles import Handles, default_handles
from prompts import decision_prompt


@dataclass(frozen=True)
class Context:
    """Options of a run; Studio shows these fields as a form."""

    max_steps: int | None = field(
        default=None,
        metadata={"description": "Most model calls in this turn, 1 to 100; empty: ANA_MAX_STEPS."},
    )

    def __post_init__(self) -> None:
        steps = self.max_steps
        if steps is not None and (type(steps) is not int or not 1 <= steps <= 100):
            raise UserError(f"max_steps is {steps!r:.50}.", "Give a number from 1 to 100, or leave it empty.")

    @property
    def handles(self) -> Handles:
        """The handles of this process; a door with handles of its own passes a LocalContext."""
        return default_handles(decision_prompt)


@dataclass(frozen=True)
class LocalContext(Context):
    """A context with its own handles and a listener for events.

    Args:
        opened: The handles.
        on_event: Called with every event, in the thread that runs the node. Listening to the custom stream instead
            would make langgraph move nodes to worker threads, and Ctrl-C could no longer stop a model call.
    """

    opened: Handles | None = None
    on_event: Callable[[dict[str, Any]], None] = lambda _: None

    @property
    def handles(self) -> Handles:
        return self.opened or default_handles(decision_prompt)


def context_of(runtime: Runtime[Context]) -> Context:
    """Return the run's context; a run started without one gets the defaults."""
    return runtime.context or Context()


def thread_of(runtime: Runtime[Context]) -> str:
    """Return the id of the run's thread; `none` for a run without one."""
    info = runtime.execution_info
    return (info.thread_id if info else None) or "none"


def run_of(runtime: Runtime[Context]) -> str | None:
    """Return the id of the server's run; None at a door that runs the graph itself."""
    info = runtime.execution_info
    return info.run_id if info else None


def emit(runtime: Runtime[Context], event: dict[str, Any]) -> None:
    """Tell every listener: {"draft": text}, {"erase": True} or {"tool": name, "args": ..., "ok": bool}."""
    runtime.stream_writer(event)
    if isinstance(runtime.context, LocalContext):
        runtime.context.on_event(event)
