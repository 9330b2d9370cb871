"""A server on loopback that gives a calendar, and can answer anything else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.loopback_server import answer_by, serve_on_loopback


def write_feed(*events: tuple[str, str, str]) -> bytes:
    """Return a calendar of events: UID, beginning, title."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for uid, begin, title in events:
        lines += ["BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20261101T000000Z", f"DTSTART:{begin}", f"SUMMARY:{title}"]
        lines += ["END:VEVENT"]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


CHOIR, DENTIST = ("1", "20301202T100000Z", "Choir"), ("2", "20301203T100000Z", "Dentist")


@dataclass
class Feed:
    """What is given, and what was asked: the headers of each request."""

    data: bytes = write_feed(CHOIR, DENTIST)
    status: int = 200
    to: str = ""
    """Where it sends on to, with a status of 302."""
    tag: str = ""
    is_slow: bool = False
    port: int = 0
    asked: list[dict[str, str]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/a-secret-path.ics"

    def give(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append({name.lower(): value for name, value in request.headers.items()})
        is_known = bool(self.tag) and request.headers["If-None-Match"] == self.tag
        request.send_response(304 if is_known else self.status)
        if self.to:
            request.send_header("Location", self.to)
        if self.tag:
            request.send_header("ETag", self.tag)
        request.end_headers()
        while self.is_slow and not self.ended.wait(0.05):
            request.wfile.write(b"x")
        if not is_known:
            request.wfile.write(self.data)


@contextmanager
def feeding() -> Iterator[Feed]:
    """Give a calendar on any port while the context is open."""
    feed = Feed()
    with serve_on_loopback(answer_by(feed.give)) as url:
        feed.port = int(url.rpartition(":")[2])
        try:
            yield feed
        finally:
            feed.ended.set()
