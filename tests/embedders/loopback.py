"""A loopback server that answers every request with what a function makes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.loopback_server import serve_on_loopback


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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            request = Request(self.path, self.headers.get("Authorization", ""), self.rfile.read(length))
            seen.requests.append(request)
            said = answer(request)
            self.send_response(said.status)
            self.send_header("Content-Type", said.kind)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        do_GET = do_POST
        log_message: Callable[..., None] = lambda *_: None

    with serve_on_loopback(Handler) as seen.url:
        yield seen
