"""Where Prometheus reads the figures of a process: a port of its own, which no proxy stands before."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from ana.errors import ConfigError
from ana.output import tell
from ana.urls import LOOPBACK, Listener, read_host
from app.metrics.figures import Metrics

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

PATH = "/metrics"
MOST = 64
"""How many ports are tried: each process on a machine takes the next one that is free."""


class _Handler(WSGIRequestHandler):
    timeout = 10

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def show_metrics(metrics: Metrics, at: Listener) -> Iterator[str]:
    """Show figures while the context is open; tell and yield the address.

    Raises:
        ConfigError: None of the ports can be used.
    """
    server = _bind(metrics, at)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True).start()
    address = f"http://{at.shown_host}:{server.server_port}{PATH}"
    tell(f"Metrics: {address}")
    try:
        yield address
    finally:
        server.shutdown()
        server.server_close()


def _bind(metrics: Metrics, at: Listener) -> ThreadingWSGIServer:
    class Server(ThreadingWSGIServer):
        address_family = at.family

    fault: OSError | None = None
    for port in range(at.port, at.port + MOST):
        try:
            return make_server(at.host, port, _make_app(metrics, at.host in LOOPBACK), Server, _Handler)
        except OSError as exc:
            fault = exc
            if exc.errno != errno.EADDRINUSE:
                break
    raise ConfigError(f"ANA_METRICS cannot be used: {fault and fault.strerror}.", "Set it to another address.")


def _make_app(metrics: Metrics, is_local: bool) -> "WSGIApplication":
    """Return what answers.

    Args:
        is_local: Whether only this machine reaches it: then a page elsewhere must not, by a name that leads here.
    """
    show: WSGIApplication = make_wsgi_app(metrics.registry)

    def answer(environ: dict[str, Any], start: "StartResponse") -> Iterable[bytes]:
        if is_local and read_host(f"http://{environ.get('HTTP_HOST', '')}") not in LOOPBACK:
            start("421 Misdirected Request", [])
            return [b""]
        if environ["PATH_INFO"] != PATH:
            start("404 Not Found", [])
            return [b""]
        return show(environ, start)

    return answer
