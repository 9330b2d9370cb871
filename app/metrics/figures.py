"""What is counted, and what it is called. Labels are names of the program's: tools, policies, models, nodes, routes."""

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphDrained
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
)

from ana import __version__
from ana.errors import AnaError
from ana.handles import Meter
from ana.models.providers import model_name
from ana.settings import Settings
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import INVALID, Record, Step, is_call
from nodes.turns import DROPPED, NOT_ANSWERED, NOT_APPROVED, NOT_FINISHED, STOPPED
from tools.catalog import catalog

if TYPE_CHECKING:
    from ana.runs.port import StartedRun

OTHER = "other"
"""The label of what is none of the known names: a model may call a tool that there is not, a client any path."""

_CLOSED = frozenset({DROPPED, NOT_ANSWERED, NOT_APPROVED, NOT_FINISHED, STOPPED})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_LONG = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, math.inf)
_SHORT = (0.005, 0.025, 0.1, 0.5, 1, 5, 30, math.inf)


class Metrics(Meter):
    """The figures of this process, in a registry of its own.

    Args:
        settings: The deployment's, for the names of its models and tools.
        role: What the process does: serve or worker.
    """

    def __init__(self, settings: Settings, role: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series beside each, which says when it began
        self._models = frozenset((model_name(settings), *settings.ana_models))
        self._tools = frozenset(catalog(settings.tools_modules))
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        Info("ana", "This process.", registry=self.registry).info({"version": __version__, "role": role})
        self._make_turns()
        self._make_runs()
        self._make_requests()

    def _make_turns(self) -> None:
        self._turns = self._count("ana_turns", "Turns that ended.", "outcome", "model")
        self._turn_seconds = self._time("ana_turn_seconds", "Seconds of work in a turn, waiting left out.", _LONG)
        self._node_seconds = self._count("ana_node_seconds", "Seconds in each node; reason is the model.", "node")
        self._model_calls = self._count("ana_model_calls", "Replies of models in turns that ended.", "model")
        self._tool_calls = self._count("ana_tool_calls", "Calls: ok, error, invalid, cut off.", "tool", "outcome")
        self._sent_back = self._count("ana_drafts_sent_back", "Drafts that broke a policy.", "policy")
        self._tokens = self._count("ana_tokens", "Tokens; cached ones are part of the input.", "model", "kind")
        self._cost = self._count("ana_cost_usd", "What models cost, where their prices are known.", "model")

    def _make_runs(self) -> None:
        self._runs = self._count("ana_runs", "Runs that ended: done, failed, cancelled, left to another.", "outcome")
        self._working = Gauge("ana_runs_working", "Runs that work in this process.", registry=self.registry)
        self._waiting = Gauge("ana_runs_waiting", "Runs that wait for their turn.", registry=self.registry)
        self._waited = self._time("ana_run_waited_seconds", "Seconds from a run's start until it works.", _LONG)

    def _make_requests(self) -> None:
        labels = ("route", "method", "status")
        self._requests = self._count("ana_http_requests", "Requests that were answered.", *labels)
        self._seconds = self._time("ana_http_request_seconds", "Seconds until an answer begins.", _SHORT, "route")
        self.streams = Gauge("ana_open_streams", "Answers that stream events.", registry=self.registry)

    def _count(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(name, told, labels, registry=self.registry)

    def _time(self, name: str, told: str, buckets: Collection[float], *labels: str) -> Histogram:
        return Histogram(name, told, labels, buckets=[*buckets], registry=self.registry)

    def count_waiting(self, count: Callable[[], float]) -> None:
        """Have the runs that wait counted whenever somebody looks; they are no number where nobody can tell."""

        def ask() -> float:
            try:
                return count()
            except AnaError:
                return math.nan

        self._waiting.set_function(ask)

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request by the template of its route."""
        self._requests.labels(route, method if method in _METHODS else OTHER, status).inc()
        self._seconds.labels(route).observe(seconds)

    def count_turn(self, record: Record) -> None:
        model, error, usage = self._name_model(record["model"]), record["error"], record["usage"]
        self._turns.labels("closed" if error in _CLOSED else "failed" if error else "done", model).inc()
        self._turn_seconds.observe(sum(record["durations"].values()))
        for node, seconds in record["durations"].items():
            self._node_seconds.labels(node).inc(seconds)
        self._model_calls.labels(model).inc(len(record["decisions"]))
        for step in record["steps"]:
            self._count_step(step)
        for kind in ("input", "output", "cached"):
            self._tokens.labels(model, kind).inc(float(usage.get(f"{kind}_tokens", 0)))  # type: ignore[arg-type]
        self._cost.labels(model).inc(record["cost_usd"] or 0.0)

    def _count_step(self, step: Step) -> None:
        seen, args = step["observation"], step["args"]
        if "policy" in args and step["tool"].startswith("⛔️"):
            self._sent_back.labels(args["policy"]).inc()
        elif step["tool"] == INVALID:
            self._tool_calls.labels(self._name_tool(args.get("tool")), "invalid").inc()
        elif is_call(step):
            failed = isinstance(seen, dict) and "error" in seen
            outcome = "cut off" if seen == INTERRUPTED else "error" if failed else "ok"
            self._tool_calls.labels(self._name_tool(step["tool"]), outcome).inc()

    def _name_model(self, name: str) -> str:
        return name if name in self._models else OTHER

    def _name_tool(self, name: Any) -> str:
        return str(name) if name in self._tools else OTHER

    @contextmanager
    def watch_run(self, run: "StartedRun") -> Iterator[None]:
        due = (datetime.now(UTC) - run.created_at).total_seconds() - (run.order.get("after_seconds") or 0)
        self._waited.observe(max(due, 0.0))
        self._working.inc()
        outcome = "cancelled"
        try:
            yield
            outcome = "done"
        except GraphDrained:
            outcome = "left"
            raise
        except Exception:
            outcome = "failed"
            raise
        finally:
            self._working.dec()
            self._runs.labels(outcome).inc()
