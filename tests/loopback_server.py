"""A server on loopback that answers as a handler says, in threads of this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def answer_by(answer: Callable[[BaseHTTPRequestHandler], None]) -> type[BaseHTTPRequestHandler]:
    """Return a handler that answers every GET and POST by a function, until the client is gone."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with suppress(ConnectionError):
                answer(self)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def serve_on_loopback(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """Serve while the context is open; yield the address.

    Args:
        port: 0 for any that is free.
    """
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
