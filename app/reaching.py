"""Checking whether a phone reaches the server: it opens a secret address, and the waiting program is told."""

import io
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from threading import Thread
from time import time
from typing import Final
from urllib.parse import urlsplit

from ana.keys import make_digest
from ana.notes import read_value, write_value
from ana.translation import _, mark_text
from ana.workspace import Workspace
from app.serving import LOCAL, PORT

PATH = "/app/hello/"
"""The page that says to a phone that it has reached the server."""

NOTE: Final = "phone-visit"
REACHED = mark_text("This device reaches ana. You can close this.")
SECONDS = 600.0
"""How long an address counts."""


@dataclass(frozen=True)
class Visit:
    """A visit that is awaited.

    Args:
        digest: The digest of the secret in its address.
        until: When it ends, in seconds since 1970.
        has_come: Whether the phone has opened the address.
    """

    digest: str
    until: float
    has_come: bool = False


def await_visit(owner: Workspace, site: str) -> str:
    """Return an address on a server for a phone to open; earlier addresses become invalid."""
    secret = secrets.token_urlsafe(16)
    write_value(owner.note(NOTE), Visit(make_digest(secret), time() + SECONDS))
    return f"{site.rstrip('/')}{PATH}{secret}"


def note_visit(owner: Workspace, secret: str) -> bool:
    """Note that an awaited address was opened; return whether it was one."""
    visit = read_value(owner.note(NOTE), Visit)
    if visit is None or visit.until < time() or not compare_digest(visit.digest, make_digest(secret)):
        return False
    write_value(owner.note(NOTE), replace(visit, has_come=True))
    return True


def has_come(owner: Workspace) -> bool:
    """Return whether the visit that was awaited last has come."""
    visit = read_value(owner.note(NOTE), Visit)
    return visit is not None and visit.has_come


@contextmanager
def listening(owner: Workspace, site: str) -> Iterator[str]:
    """Answer only a visit, at the port of `ana serve`; yield the host that `ana serve` must be given.

    Raises OSError if nothing can listen there.
    """
    parts = urlsplit(site)
    host = _find_host(site)

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            is_visit = self.path.startswith(PATH) and note_visit(owner, self.path.removeprefix(PATH))
            body = (_(REACHED) if is_visit else "404").encode()
            self.send_response(200 if is_visit else 404)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer((host, (parts.scheme == "http" and parts.port) or PORT), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            yield host
        finally:
            server.shutdown()
            thread.join()


def draw_code(address: str) -> str:
    """Return an address as a QR code for a terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(address, micro=False).terminal(out=drawn, compact=True)
    return drawn.getvalue().rstrip("\n")


def _find_host(site: str) -> str:
    """Return the host on which a server must listen so that a phone reaches it at an address: that host, or loopback
    behind a proxy.
    """
    host = urlsplit(site).hostname or ""
    try:
        return str(ip_address(host)) if site.startswith("http://") else LOCAL
    except ValueError:
        return LOCAL
