"""A server on loopback that answers as a handler says, in threads of this process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


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
