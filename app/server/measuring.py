"""The figures of our own server, where ANA_METRICS asks for them; what makes them is imported only then."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from starlette.applications import Starlette

from ana.handles import Handles
from ana.settings import Settings, load_settings
from ana.urls import Listener
from ana.workspace import Workspace
from app.metrics.figures import Metrics
from app.metrics.serving import show_metrics
from app.server.measured import Measured
from app.server.workspaces import Workspaces, open_served

if TYPE_CHECKING:
    from ana.runs.notices import Notices


def measure(app: Starlette, settings: Settings, at: Listener) -> None:
    """Have an application that does not run yet count what it does.

    Args:
        at: Where the figures are shown while it runs.
    """
    workspaces, metrics = open_counted(settings, "serve", app.state.notices)
    app.add_middleware(Measured, metrics=metrics, routes=app.routes)
    app.state.workspaces, app.state.show_metrics = workspaces, partial(show_metrics, metrics, at)


def open_counted(settings: Settings, role: str, notices: "Notices | None") -> tuple[Workspaces, Metrics]:
    """Return workspaces that count what is done in them, and the figures. Arguments as of these."""
    metrics = Metrics(settings, role)

    def open_metered(workspace: Workspace) -> Handles:
        return replace(open_served(workspace), meter=metrics)

    workspaces = Workspaces(load_settings, open_metered, notices)
    metrics.count_waiting(workspaces.count_waiting)
    return workspaces, metrics
