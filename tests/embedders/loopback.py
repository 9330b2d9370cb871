"""A loopback server that answers every request with what a function makes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.loopback_server import answer_by, serve_on_loopback


@dataclass
class Request:
    path: str
    authorization: str
    body: bytes


@dataclass
class Answer:
    body: bytes
    status: int = 200
    kind: str = "application/json"


@dataclass
class Loopback:
    """Its base URL, and what it was asked."""

    url: str = ""
    requests: list[Request] = field(default_factory=list)


@contextmanager
def loopback(answer: Callable[[Request], Answer]) -> Iterator[Loopback]:
    seen = Loopback()

    def take(asked: BaseHTTPRequestHandler) -> None:
        length = int(asked.headers.get("Content-Length", 0))
        request = Request(asked.path, asked.headers.get("Authorization", ""), asked.rfile.read(length))
        seen.requests.append(request)
        said = answer(request)
        asked.send_response(said.status)
        asked.send_header("Content-Type", said.kind)
        asked.send_header("Content-Length", str(len(said.body)))
        asked.end_headers()
        asked.wfile.write(said.body)

    with serve_on_loopback(answer_by(take)) as seen.url:
        yield seen
