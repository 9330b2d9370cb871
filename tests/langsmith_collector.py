"""A loopback server that takes what LangSmith's library uploads, and puts the runs together again."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler
from typing import Any
from uuid import uuid4

from tests.loopback_server import serve_on_loopback

KEY = "lsv2-test-secret"
INFO = {
    "version": "0.14",
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "size_limit": 100,
        "size_limit_bytes": 20_000_000,
        "scale_up_nthreads_limit": 16,
        "scale_up_qsize_trigger": 1000,
        "scale_down_nempty_trigger": 4,
    },
}


@dataclass
class Request:
    """A request as it came, before anything is read from it."""

    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"
    at: float = field(default_factory=time.monotonic)


@dataclass
class Collector:
    """What was uploaded.

    `LangSmith` keeps a run as it was posted and later patched; so does `runs`, by id.
    """

    url: str = ""
    requests: list[Request] = field(default_factory=list)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: list[dict[str, Any]] = field(default_factory=list)
    datasets: list[dict[str, Any]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    answering: threading.Event = field(default_factory=threading.Event)
    """While it is not set, connections are taken and nothing is answered."""

    @property
    def env(self) -> dict[str, str]:
        """The settings that send runs here."""
        return {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": self.url, "LANGSMITH_API_KEY": KEY}

    @property
    def roots(self) -> list[dict[str, Any]]:
        """The runs without a parent, oldest first."""
        return sorted((r for r in self.runs.values() if not r.get("parent_run_id")), key=lambda r: r["start_time"])

    def wait_for_roots(self, count: int, seconds: float = 30) -> list[dict[str, Any]]:
        """Return the roots as soon as so many have ended."""
        with self.changed:
            ended = self.changed.wait_for(lambda: sum(1 for r in self.roots if r.get("end_time")) >= count, seconds)
        assert ended, f"{len(self.roots)} runs arrived"
        return self.roots

    def children(self, run: dict[str, Any]) -> list[dict[str, Any]]:
        """The runs below one, in the order in which they began."""
        return sorted((r for r in self.runs.values() if r.get("parent_run_id") == run["id"]), key=_order)

    def bodies(self) -> str:
        """The bodies of everything that arrived."""
        return "\n".join(request.body.decode(errors="replace") for request in self.requests)

    def take(self, request: Request) -> None:
        """Keep a request, and the runs in it."""
        with self.changed:
            self.requests.append(request)
            if request.path.endswith("/runs/multipart"):
                self._read_multipart(request)
            elif request.path == "/feedback":
                self.feedback.append(json.loads(request.body))
            self.changed.notify_all()

    def answer(self, request: Request) -> Any:
        """Return what LangSmith would answer: of a dataset or an experiment that is made, itself."""
        path = request.path.split("?")[0]
        if request.method == "GET":
            return self.datasets if path == "/datasets" else INFO if path == "/info" else []
        if path not in ("/datasets", "/sessions"):
            return {}
        made = {"id": str(uuid4()), "created_at": "2026-01-07T09:00:00Z", "start_time": "2026-01-07T09:00:00Z"}
        made |= {"tenant_id": str(uuid4())} | json.loads(request.body)
        if path == "/datasets":
            self.datasets.append(made)
        return made

    def _read_multipart(self, request: Request) -> None:
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        for part in message_from_bytes(head + request.body).walk():
            if part.is_multipart():
                continue
            name = str(part.get_param("name", header="content-disposition"))
            _, id, *key = name.split(".")
            payload = part.get_payload(decode=True)
            assert isinstance(payload, bytes)
            value = json.loads(payload)
            run = self.runs.setdefault(id, {})
            run.update({key[0]: value} if key else {k: v for k, v in value.items() if v is not None})


def _order(run: dict[str, Any]) -> str:
    return str(run["dotted_order"])


@contextmanager
def langsmith_collector() -> Iterator[Collector]:
    """A running collector."""
    collector = Collector()
    collector.answering.set()
    with serve_on_loopback(_handler(collector)) as collector.url:
        try:
            yield collector
        finally:
            collector.answering.set()


def _handler(collector: Collector) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._take()

        do_POST = do_PATCH = do_GET

        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, body, self.command)
            answer = json.dumps(collector.answer(request)).encode()
            collector.take(request)
            if not collector.answering.is_set():
                collector.answering.wait()
                return
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        log_message: Callable[..., None] = lambda *_: None

    return Handler
