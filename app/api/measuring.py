"""The figures of our own server, where ANA_METRICS asks for them; what makes them is imported only then."""

from dataclasses import replace
from functools import partial

from starlette.applications import Starlette

from ana.handles import Handles
from ana.settings import Settings, load_settings
from ana.urls import Listener
from ana.workspace import Workspace
from app.api.workspaces import Workspaces, open_served
from app.http.measured import Measured
from app.metrics.figures import Metrics
from app.metrics.serving import show_metrics


def measure(app: Starlette, settings: Settings, at: Listener) -> None:
    """Have an application that does not run yet count what it does.

    Args:
        settings: The deployment's.
        at: Where the figures are shown while it runs.
    """
    metrics = Metrics(settings, "serve")

    def open_counted(workspace: Workspace) -> Handles:
        return replace(open_served(workspace), meter=metrics)

    workspaces = Workspaces(load_settings, open_counted, app.state.notices)
    metrics.count_waiting(workspaces.count_waiting)
    app.add_middleware(Measured, metrics=metrics, routes=app.routes)
    app.state.workspaces, app.state.show_metrics = workspaces, partial(show_metrics, metrics, at)
