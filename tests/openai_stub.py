"""A loopback server that speaks OpenAI's chat completions, streamed and whole, from a script."""

import json
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

from tests.loopback_server import serve_on_loopback
from tests.sent import typed

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass
class Said:
    """A scripted reply: text, tool calls as (name, arguments or raw text), or a status to fail with."""

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    status: int = 200
    error: str = "no"
    cut: bool = False
    pause: Callable[[], object] = lambda: None
    """Called between the first word and the rest, when the first is sent."""
    hang: Literal["", "silent", "after a word", "word after word"] = ""
    """How it goes on until the client has closed the connection."""
    thoughts: dict[str, str] = field(default_factory=dict)
    """What is thought, by the field in which it is told."""
    refusal: str = ""
    """What is told where the model refuses, beside the text."""
    finish: str = ""
    """Why it ends, in place of the usual reason."""
    plain_calls: bool = False
    """Whether calls come whole, with arguments that are an object and without an index."""


class Stub:
    """What it was sent, and what it will say.

    Args:
        script: Replies in order, each as it is or as a function of the request; the last one is repeated.
    """

    def __init__(self, *script: Said | Callable[[dict[str, Any]], Said]) -> None:
        self.script = list(script)
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.closed = threading.Semaphore(0)
        """Released for each reply that hung until the client closed the connection."""
        self.url = ""
        self.models: list[str] = []
        """Those that it says it has."""
        self.heard: str | None = None
        self.usage: object = None
        """What it tells of a recording."""
        """What it hears in a recording; None if it has no route for that."""
        self.recordings: list[bytes] = []

    @property
    def env(self) -> dict[str, str]:
        """The settings of an assistant whose model this is."""
        return {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": self.url}

    def reply(self, request: dict[str, Any]) -> Said:
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return said if isinstance(said, Said) else said(request)


class Gate:
    """A model that waits, once it was asked, until it may answer.

    Args:
        replies: What it says, in order; the last one is repeated.
        before: How often it answers at once before that.
    """

    def __init__(self, *replies: Said, before: int = 0) -> None:
        self.asked, self.opened = threading.Semaphore(0), threading.Event()
        self._replies, self._before, self._count = [*replies], before, 0
        self._guard = threading.Lock()

    def __call__(self, _: dict[str, Any]) -> Said:
        with self._guard:
            self._count += 1
            reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
            waits = self._count == self._before + 1
        if waits:
            self.asked.release()
            self.opened.wait(60)
        return reply

    def wait(self) -> None:
        """Wait until it was asked."""
        assert self.asked.acquire(timeout=60)


def stores_what_is_said(request: dict[str, Any]) -> Said:
    """A model that keeps every user message as an item, and then says so."""
    last = request["messages"][-1]
    if last["role"] == "user":
        return Said(calls=[("create_item", {"content": typed(last["content"]), "properties": {"type": "note"}})])
    return Said("Saved.")


OLLAMA = Said(status=400, error="registry.ollama.ai/library/gemma3:4b does not support tools")


def without_tools(
    *replies: str, refusal: Said = OLLAMA, schema_refusal: Said | None = None
) -> list[Callable[[dict[str, Any]], Said]]:
    """A model that answers in text, behind an endpoint that refuses requests with tools.

    Args:
        replies: Its texts in order; the last one is repeated.
        refusal: What the endpoint says to tools.
        schema_refusal: What it says to a schema for the reply; None takes it.
    """
    left = list(replies)

    def reply(request: dict[str, Any]) -> Said:
        if "tools" in request:
            return refusal
        if schema_refusal and "response_format" in request:
            return schema_refusal
        return Said(left.pop(0) if len(left) > 1 else left[0])

    return [reply]


@contextmanager
def openai_stub(*script: Said | Callable[[dict[str, Any]], Said]) -> Iterator[Stub]:
    """A running stub; `url` is its base URL."""
    stub = Stub(*script)
    with serve_on_loopback(_handler(stub)) as url:
        stub.url = f"{url}/v1"
        yield stub


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in stub.models]}
            self._send(200, "application/json", json.dumps(listed).encode())

        def do_POST(self) -> None:
            given = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.endswith("/audio/transcriptions"):
                stub.recordings.append(given)
                told: dict[str, Any] = {"text": stub.heard, "usage": stub.usage}
                if stub.heard is None:
                    told = {"error": {"message": "no route"}}
                self._send(404 if stub.heard is None else 200, "application/json", json.dumps(told).encode())
                return
            body = json.loads(given)
            stub.requests.append(body)
            stub.authorizations.append(self.headers.get("Authorization", ""))
            said = stub.reply(body)
            if said.hang:
                _hang(self, said.hang)
                stub.closed.release()
            elif said.status != 200:
                self._send(said.status, "application/json", json.dumps({"error": {"message": said.error}}).encode())
            elif body.get("stream"):
                self._stream(said)
            else:
                self._send(200, "application/json", json.dumps(_whole(said)).encode())

        def _send(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, said: Said) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            events = _events(said)
            self.wfile.write(next(events) + next(events))
            said.pause()
            self.wfile.write(b"".join(events))

        log_message: Callable[..., None] = lambda *_: None

    return Handler


def _hang(handler: BaseHTTPRequestHandler, how: str) -> None:
    """Go on with a reply until the client has closed the connection."""
    with suppress(OSError):  # it was reset, perhaps before the first word
        if how != "silent":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            handler.wfile.write(_event({"role": "assistant", "content": "word "}))
        while not select.select([handler.connection], [], [], 0.05)[0]:  # a client says nothing more
            if how == "word after word":
                handler.wfile.write(_event({"content": "word "}))


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _whole(said: Said) -> dict[str, Any]:
    calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": _arguments(arguments)}}
        for i, (name, arguments) in enumerate(said.calls)
    ]
    message = {"role": "assistant", "content": said.text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [choice],
        "usage": USAGE,
    }


def _events(said: Said) -> Iterator[bytes]:
    """The reply in small pieces: text word by word, arguments a few characters at a time."""
    yield _event({"role": "assistant", "content": ""})
    beside = [*said.thoughts.items(), *([("refusal", said.refusal)] if said.refusal else [])]
    for name, text in beside:
        for start in range(0, len(text), 7):
            yield _event({name: text[start : start + 7]})
    for word in said.text.split(" ") if said.text else []:
        yield _event({"content": word + " "})
    for name, arguments in said.calls if said.plain_calls else ():
        function = {"name": name, "arguments": arguments}
        yield _event({"tool_calls": [{"id": name, "type": "function", "function": function}]})
    for index, (name, arguments) in enumerate(() if said.plain_calls else said.calls):
        function = {"name": name, "arguments": ""}
        yield _event({"tool_calls": [{"index": index, "id": "call_0", "type": "function", "function": function}]})
        raw = _arguments(arguments)
        size = max(7, len(raw) // 100)
        for start in range(0, len(raw), size):
            piece = {"index": index, "function": {"arguments": raw[start : start + size]}}
            yield _event({"tool_calls": [piece]})
    if not said.cut:
        yield _event({}, said.finish or ("tool_calls" if said.calls else "stop"))
        yield _event(None)
    yield b"data: [DONE]\n\n"


def _event(delta: dict[str, Any] | None, finish: str | None = None) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    chunk: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    chunk |= {"choices": choices} | ({"usage": USAGE} if delta is None else {})
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
