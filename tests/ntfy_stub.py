"""A loopback server that speaks the part of ntfy that is used, as its documents describe it, and a phone at it.

A message is published as JSON to `/`, or as a text to a topic's address; `TOPIC/json?poll=1&since=TIME` gives those
that are kept, a line each. The phone carries out a button of what it is shown: a request over HTTP.
"""

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.loopback_server import serve_on_loopback

TOPIC = "a-long-secret-name"
MOST_ACTIONS = 3


@dataclass
class NtfyStub:
    """What was published; `messages` and `actions` are those of the phone's topic, in order."""

    url: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)
    polls: int = 0
    """How often a topic was read."""
    status: int = 200
    now: Callable[[], float] = time.time

    @property
    def address(self) -> str:
        """Where reminders ring, as ANA_NOTIFY takes it."""
        return f"ntfy://{urlsplit(self.url).netloc}/{TOPIC}"

    def press(self, word: str, number: int = -1) -> int:
        """Press a button of a message as the app does; return the status, 0 if nobody answers."""
        for action in self.actions[number].split("; "):
            kind, label, url, *more = action.split(", ")
            given = dict(each.split("=", 1) for each in more)
            assert (kind, given.pop("clear")) == ("http", "true")
            if label == word:
                with suppress(httpx.HTTPError):
                    return httpx.request(given["method"], url, content=given.get("body", ""), timeout=30).status_code
                return 0
        raise AssertionError(f"no button {word!r}")

    def publish(self, topic: str, text: str, title: str = "", actions: str = "") -> None:
        """Take a message."""
        id = f"{next(_IDS):012}"
        self.kept.append({"id": id, "time": int(self.now()), "event": "message", "topic": topic, "message": text})
        if topic == TOPIC:
            assert actions.count("; ") < MOST_ACTIONS
            self.messages.append({"title": title, "message": text})
            self.actions.append(actions)

    def list_kept(self, topic: str, since: str) -> list[dict[str, Any]]:
        """Return the messages of a topic since a time in seconds."""
        return [each for each in self.kept if each["topic"] == topic and each["time"] >= int(since)]


_IDS = itertools.count(1)


@contextmanager
def ntfy_stub() -> Iterator[NtfyStub]:
    """A running stub."""
    stub = NtfyStub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked = parse_qs(parts.query)
            assert parts.path.endswith("/json")
            assert asked["poll"] == ["1"]
            lines = stub.list_kept(parts.path.split("/")[1], asked["since"][0])
            stub.polls += 1
            self._send("".join(f"{json.dumps(each)}\n" for each in lines))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            topic = self.path.strip("/")
            if stub.status == 200 and topic:
                stub.publish(topic, body)
            elif stub.status == 200:
                told = json.loads(body)
                stub.publish(told["topic"], told["message"], told["title"], self.headers["X-Actions"] or "")
            self._send("{}")

        def _send(self, text: str) -> None:
            with suppress(ConnectionError):
                self.send_response(stub.status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with serve_on_loopback(Handler) as stub.url:
        yield stub
