"""A loopback server that speaks chat completions in the dialects of OpenAI, OpenRouter and Ollama, well and badly."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

from tests.loopback_server import serve_on_loopback
from tests.sent import typed

Dialect = Literal["openai", "openrouter", "ollama"]
DIALECTS: tuple[Dialect, ...] = ("openai", "openrouter", "ollama")
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass
class Said:
    """What the model says, and what goes wrong with it.

    Args:
        text: Its text.
        calls: Tool calls, as (name, arguments or raw text).
        status: Of the answer.
        error: What an answer with another status than 200 says.
        body: Instead of an answer of the model's: what is sent as it is.
        kind: The body's content type.
        headers: Further ones.
        finish: Instead of the dialect's own; "" for none.
        cut: After how many events the connection is closed; None for never.
        ids: How calls are named: as the dialect does, all alike, or not at all.
        usage: Whether tokens are told.
        broken: An error in the middle of the stream.
        wait: Seconds before anything is sent.
        pause: Called between the first word and the rest, when the first is sent.
        hang: How it goes on until the client has closed the connection.
        thoughts: What is thought, by the field in which it is told.
        refusal: What OpenAI sends beside the text when the model declines.
        plain_calls: Whether calls come whole, with arguments that are an object and without an index.
    """

    text: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    status: int = 200
    error: str = "no"
    body: str | None = None
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str | None = None
    cut: int | None = None
    ids: Literal["own", "alike", "none"] = "own"
    usage: bool = True
    broken: Mapping[str, Any] | None = None
    wait: float = 0.0
    pause: Callable[[], object] = lambda: None
    hang: Literal["", "silent", "after a word", "word after word"] = ""
    thoughts: dict[str, str] = field(default_factory=dict)
    refusal: str = ""
    plain_calls: bool = False


Reply = Said | Callable[[dict[str, Any]], Said]


class Stub:
    """What it was sent, and what it will say.

    Args:
        script: Replies in order, each as it is or as a function of the request; the last one is repeated.
        dialect: Whose.
    """

    def __init__(self, *script: Reply, dialect: Dialect = "openai") -> None:
        self.script, self.dialect = list(script), dialect
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.connections: list[socket.socket] = []
        self.closed = threading.Semaphore(0)
        """Released for each reply that hung until the client closed the connection."""
        self.url = ""
        self.models: list[str] = []
        """Those that it says it has."""
        self.heard: str | None = None
        """What it hears in a recording; None if it has no route for that."""
        self.usage: object = None
        """What it tells of a recording."""
        self.recordings: list[bytes] = []

    @property
    def env(self) -> dict[str, str]:
        """The settings of an assistant whose model this is."""
        if self.dialect == "ollama":
            return {"LLM_PROVIDER": "ollama", "OLLAMA_HOST": self.url.removesuffix("/v1"), "OLLAMA_MODEL": "qwen3:8b"}
        return {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": self.url}

    def reply(self, request: dict[str, Any]) -> Said:
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return said if isinstance(said, Said) else said(request)

    def hang_up(self) -> None:
        """Close what clients keep open, or a later server at the same port would be answered for by this one."""
        for connection in self.connections:
            with suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)


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
def openai_stub(*script: Reply, dialect: Dialect = "openai") -> Iterator[Stub]:
    """A running stub; `url` is its base URL."""
    stub = Stub(*script, dialect=dialect)
    try:
        with serve_on_loopback(type("Handler", (_Handler,), {"stub": stub})) as url:
            stub.url = f"{url}/v1"
            yield stub
    finally:
        stub.hang_up()


class _Handler(BaseHTTPRequestHandler):
    stub: Stub
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each event waits until the one before is acknowledged
    log_message: Callable[..., None] = lambda *_: None

    def setup(self) -> None:
        super().setup()
        self.stub.connections.append(self.connection)

    def do_GET(self) -> None:
        listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in self.stub.models]}
        self._send(200, json.dumps(listed))

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        with suppress(BrokenPipeError, ConnectionResetError):  # the client has given up
            if self.path.endswith("/audio/transcriptions"):
                self._hear(sent)
            else:
                self._answer(json.loads(sent))

    def _hear(self, recording: bytes) -> None:
        self.stub.recordings.append(recording)
        if self.stub.heard is None:
            self._send(404, json.dumps({"error": {"message": "no route"}}))
        else:
            self._send(200, json.dumps({"text": self.stub.heard, "usage": self.stub.usage}))

    def _answer(self, request: dict[str, Any]) -> None:
        self.stub.requests.append(request)
        self.stub.authorizations.append(self.headers.get("Authorization", ""))
        said = self.stub.reply(request)
        time.sleep(said.wait)
        if said.hang:
            _hang(self, said.hang)
            self.stub.closed.release()
            self.close_connection = True
        elif said.body is not None or said.status != 200:
            body = json.dumps({"error": {"message": said.error}}) if said.body is None else said.body
            self._send(said.status, body, {"Content-Type": said.kind, **said.headers})
        elif request.get("stream"):
            self._stream(said)
        else:
            self._send(200, json.dumps(_whole(said)))

    def _send(self, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def _stream(self, said: Said) -> None:
        self.send_response(said.status)
        for name, value in {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for number, event in enumerate(_events(said, self.stub.dialect)):
            if number == said.cut:
                self.close_connection = True
                return  # without the last chunk: the other side sees that it is not whole
            if number == 2:
                said.pause()
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


def _hang(handler: BaseHTTPRequestHandler, how: str) -> None:
    """Go on with a reply until the client has closed the connection."""
    with suppress(OSError):  # it was reset, perhaps before the first word
        if how != "silent":
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream")
            handler.end_headers()
            handler.wfile.write(_word("openai"))
        while not select.select([handler.connection], [], [], 0.05)[0]:  # a client says nothing more
            if how == "word after word":
                handler.wfile.write(_word("openai"))


def _whole(said: Said) -> dict[str, Any]:
    calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": _write(arguments)}}
        for i, (name, arguments) in enumerate(said.calls)
    ]
    message = {"role": "assistant", "content": said.text or None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]} | {
        "usage": USAGE
    }


def _events(said: Said, dialect: Dialect) -> Iterator[bytes]:
    """The reply as server-sent events: text word by word, arguments as the dialect sends them."""
    if dialect == "openrouter":
        yield b": OPENROUTER PROCESSING\n\n"
    for delta in _deltas(said, dialect):
        yield _delta(delta, dialect)
    if said.broken is not None:
        yield b"data: " + json.dumps(said.broken).encode() + b"\n\n"
    finish = "tool_calls" if said.calls and dialect != "ollama" else "stop"
    if finish := finish if said.finish is None else said.finish:
        yield _delta({}, dialect, finish)
    if said.usage:
        last = [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
        yield _chunk(last if dialect == "openrouter" else [], dialect, USAGE)
    yield b"data: [DONE]\n\n"


def _deltas(said: Said, dialect: Dialect) -> Iterator[dict[str, Any]]:
    if dialect == "openai":
        yield {"role": "assistant", "content": "", "refusal": None}
    for name, text in [*said.thoughts.items(), *([("refusal", said.refusal)] if said.refusal else [])]:
        yield from ({name: text[start : start + 7]} for start in range(0, len(text), 7))
    for word in said.text.split(" ") if said.text else []:
        yield {"role": "assistant", "content": f"{word} "} | ({"reasoning": None} if dialect != "openai" else {})
    for index, (name, arguments) in enumerate(said.calls):
        if said.plain_calls:
            yield {"tool_calls": [{"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}]}
        else:
            yield from _call(index, name, _write(arguments), said.ids, dialect)


def _call(index: int, name: str, raw: str, ids: str, dialect: Dialect) -> Iterator[dict[str, Any]]:
    id = {"own": f"call_{index}abc", "alike": "call_0", "none": None}[ids]
    null = {"openai": None, "openrouter": "", "ollama": ""}[dialect]
    # OpenAI sends arguments in pieces, the others whole
    function = {"name": name, "arguments": "" if dialect == "openai" else raw}
    yield {"content": null, "tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}
    size = max(7, len(raw) // 100)
    for start in range(0, len(raw), size) if dialect == "openai" else ():
        yield {"tool_calls": [{"index": index, "function": {"arguments": raw[start : start + size]}}]}


def _write(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _word(dialect: Dialect) -> bytes:
    return _delta({"role": "assistant", "content": "word "}, dialect)


def _delta(delta: dict[str, Any], dialect: Dialect, finish: str | None = None) -> bytes:
    return _chunk([{"index": 0, "delta": delta, "finish_reason": finish}], dialect)


def _chunk(choices: list[dict[str, Any]], dialect: Dialect, usage: dict[str, int] | None = None) -> bytes:
    id = {"openai": "chatcmpl-1", "openrouter": "gen-1", "ollama": "chatcmpl-77"}[dialect]
    chunk: dict[str, Any] = {"id": id, "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunk |= {"choices": choices} | ({"usage": usage} if usage or dialect == "openai" else {})
    chunk |= {"provider": "Somebody"} if dialect == "openrouter" else {}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
