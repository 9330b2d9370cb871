"""A receiver on loopback that counts what it is sent, and can be slow, broken or gone."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from ana.reminders.sending import TAG
from tests.loopback_server import answer_by, serve_on_loopback


@dataclass
class Collector:
    """What arrived."""

    port: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    signed: list[bool] = field(default_factory=list)
    """Whether each came with a password."""
    actions: list[str] = field(default_factory=list)
    """The buttons of each, as ntfy takes them."""
    status: int = 200
    to: str = ""
    """Where it redirects to, with a status of 307."""
    is_endless: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.port}/a-secret-path"

    @property
    def titles(self) -> list[str]:
        return [message["title"] for message in self.messages]

    def take(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        if self.status == 200:
            self.messages.append(body)
            self.signed.append("Authorization" in request.headers)
            self.tags[request.headers[TAG] or ""] += 1
            self.actions.append(request.headers["X-Actions"] or "")
        request.send_response(self.status)
        if self.to:
            request.send_header("Location", self.to)
        request.send_header("Content-Length", "1000" if self.is_endless else "0")
        request.end_headers()
        while self.is_endless and not self.ended.wait(0.05):
            request.wfile.write(b"x")


@contextmanager
def collecting(port: int = 0) -> Iterator[Collector]:
    """Collect on a port, any one by default, while the context is open."""
    collector = Collector()
    with serve_on_loopback(answer_by(collector.take), port) as url:
        collector.port = int(url.rpartition(":")[2])
        try:
            yield collector
        finally:
            collector.ended.set()
