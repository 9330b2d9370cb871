"""A loopback server that answers every request with what a function makes of it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
