"""Figures of a process for Prometheus, if ANA_METRICS asks for them; the library is imported only then.

They say how often and how long, but contain no names and no words of a person.
"""

import errno
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPMethod
from wsgiref.simple_server import WSGIServer

from prometheus_client import Counter, Gauge, Histogram, start_http_server
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send
from starlette_exporter import PrometheusMiddleware

from ana.errors import AnaError, ConfigError
from ana.handles import Handles, Meter
from ana.models.providers import model_name
from ana.output import tell
from ana.settings import Settings, load_settings
from ana.tracing.schema import Record
from ana.urls import Listener
from ana.workspace import Workspace
from app.server.workspaces import Workspaces, open_served
from nodes.turns import DROPPED, NOT_ANSWERED, NOT_APPROVED, NOT_FINISHED, STOPPED

MOST = 64
"""How many ports are tried: each process on a machine takes the next one that is free."""

OTHER = "other"
"""The label of a model that is none of the deployment's."""

_CLOSED = frozenset({DROPPED, NOT_ANSWERED, NOT_APPROVED, NOT_FINISHED, STOPPED})

TURNS = Counter("ana_turns", "Turns that ended.", ["outcome", "model"])
SECONDS = Histogram(
    "ana_turn_seconds",
    "Seconds of work in a turn, waiting left out.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, math.inf),
)
WAITING = Gauge("ana_runs_waiting", "Runs that wait for their turn.")


class TurnMeter(Meter):
    """Counts turns.

    Args:
        settings: The deployment's settings, for the names of its models.
    """

    def __init__(self, settings: Settings) -> None:
        self._models = frozenset((model_name(settings), *settings.ana_models))

    def count_turn(self, record: Record) -> None:
        error, model = record["error"], record["model"] if record["model"] in self._models else OTHER
        TURNS.labels("closed" if error in _CLOSED else "failed" if error else "done", model).inc()
        SECONDS.observe(sum(record["durations"].values()))


class CountedRequests(PrometheusMiddleware):
    """Counts requests, but for those with a method of a client's own making: each method is a label, and is kept."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_known = scope.get("method") in HTTPMethod.__members__
        await (super().__call__ if is_known else self.app)(scope, receive, send)


def measure(app: Starlette, settings: Settings, at: Listener) -> None:
    """Make an application that does not run yet count its requests and turns.

    Args:
        at: The address at which the figures are shown while it runs.
    """
    app.add_middleware(
        CountedRequests, prefix="ana_http", app_name="ana", group_unhandled_paths=True, filter_unhandled_paths=False
    )
    app.state.workspaces = open_counted(settings)
    app.state.show_metrics = partial(show_metrics, at)


def open_counted(settings: Settings) -> Workspaces:
    """Return workspaces whose turns and waiting runs are counted."""
    meter = TurnMeter(settings)

    def open_metered(workspace: Workspace) -> Handles:
        return replace(open_served(workspace), meter=meter)

    workspaces = Workspaces(load_settings, open_metered)
    WAITING.set_function(partial(_count, workspaces.count_waiting))
    return workspaces


def _count(count: Callable[[], float]) -> float:
    """Return a number that is counted when it is asked for; none if it cannot be counted."""
    try:
        return count()
    except AnaError:
        return math.nan


@contextmanager
def show_metrics(at: Listener) -> Iterator[str]:
    """Show the figures of this process while the context is open; print and yield their address.

    Raises:
        ConfigError: None of the ports can be used.
    """
    server = _listen(at, MOST)
    address = f"http://{at.url_host}:{server.server_port}/metrics"
    tell(f"Metrics: {address}")
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()


def _listen(at: Listener, ports: int) -> WSGIServer:
    try:
        return start_http_server(at.port, at.host)[0]
    except OSError as exc:
        if exc.errno == errno.EADDRINUSE and ports > 1:
            return _listen(at._replace(port=at.port + 1), ports - 1)
        raise ConfigError(f"ANA_METRICS cannot be used: {exc.strerror}.", "Set it to another address.") from exc
