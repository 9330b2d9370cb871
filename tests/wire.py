"""A loopback server that speaks chat completions in the dialects of OpenAI, OpenRouter and Ollama, well and badly."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

from tests.loopback_server import serve_on_loopback

Dialect = Literal["openai", "openrouter", "ollama"]
DIALECTS: tuple[Dialect, ...] = ("openai", "openrouter", "ollama")
Call = tuple[str, Any]
"""A tool's name, and its arguments, or text that stands for them."""


@dataclass
class Reply:
    """What the model says, and what goes wrong with it.

    Args:
        text: Its text.
        calls: Tool calls.
        status: Of the answer.
        body: Instead of an answer of the model's: what is sent as it is.
        kind: The body's content type.
        headers: Further ones.
        finish: Instead of the dialect's own; "" for none.
        cut: After how many events the connection is closed; None for never.
        ids: How calls are named: as the dialect does, all alike, or not at all.
        usage: Whether tokens are told.
        error: An error in the middle of the stream.
        wait: Seconds before anything is sent.
        refusal: What OpenAI sends beside the text when the model declines.
    """

    text: str = ""
    calls: list[Call] = field(default_factory=list)
    status: int = 200
    body: str | None = None
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str | None = None
    cut: int | None = None
    ids: Literal["own", "alike", "none"] = "own"
    usage: bool = True
    error: Mapping[str, Any] | None = None
    wait: float = 0.0
    refusal: str | None = None


class Wire:
    """A server of one dialect: what it was sent, and what it will say, the last reply again and again."""

    def __init__(self, dialect: Dialect, replies: list[Reply | Callable[[dict[str, Any]], Reply]]) -> None:
        self.dialect = dialect
        self.replies = replies
        self.requests: list[dict[str, Any]] = []
        self.connections: list[socket.socket] = []
        self.url = ""

    def reply(self, request: dict[str, Any]) -> Reply:
        self.requests.append(request)
        said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return said if isinstance(said, Reply) else said(request)

    def env(self) -> dict[str, str]:
        """The settings that lead here."""
        if self.dialect == "ollama":
            return {"LLM_PROVIDER": "ollama", "OLLAMA_HOST": self.url, "OLLAMA_MODEL": "qwen3:8b"}
        return {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": f"{self.url}/v1"}

    def hang_up(self) -> None:
        """Close what clients keep open, or a later server at the same port would be answered for by this one."""
        for connection in self.connections:
            with suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)

    def events(self, reply: Reply) -> Iterator[bytes]:
        """The reply as server-sent events."""
        if self.dialect == "openrouter":
            yield b": OPENROUTER PROCESSING\n\n"
        for delta in self._deltas(reply):
            yield self._chunk([{"index": 0, "delta": delta, "finish_reason": None}])
        if reply.error is not None:
            yield b"data: " + json.dumps(reply.error).encode() + b"\n\n"
        finish = self._finish(reply) if reply.finish is None else reply.finish
        if finish:
            yield self._chunk([{"index": 0, "delta": {}, "finish_reason": finish}])
        if reply.usage:
            told = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            last = [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
            yield self._chunk(last if self.dialect == "openrouter" else [], told)
        yield b"data: [DONE]\n\n"

    def _deltas(self, reply: Reply) -> Iterator[dict[str, Any]]:
        null = {"openai": None, "openrouter": "", "ollama": ""}[self.dialect]
        if self.dialect == "openai":
            yield {"role": "assistant", "content": "", "refusal": None}
        if reply.refusal:
            yield {"refusal": reply.refusal}
        for word in reply.text.split(" ") if reply.text else []:
            yield {"role": "assistant", "content": f"{word} "} | (
                {"reasoning": None} if self.dialect != "openai" else {}
            )
        for index, (name, given) in enumerate(reply.calls):
            yield from self._call(index, name, given if isinstance(given, str) else json.dumps(given), reply, null)

    def _call(self, index: int, name: str, raw: str, reply: Reply, null: str | None) -> Iterator[dict[str, Any]]:
        id = {"own": f"call_{index}abc", "alike": "call_0", "none": None}[reply.ids]
        head = {"index": index, "id": id, "type": "function"}
        if self.dialect == "openai":  # argument by argument
            yield {"content": null, "tool_calls": [head | {"function": {"name": name, "arguments": ""}}]}
            for start in range(0, len(raw), 9):
                yield {"tool_calls": [{"index": index, "function": {"arguments": raw[start : start + 9]}}]}
        else:  # whole
            yield {"content": null, "tool_calls": [head | {"function": {"name": name, "arguments": raw}}]}

    def _finish(self, reply: Reply) -> str:
        return "tool_calls" if reply.calls and self.dialect != "ollama" else "stop"

    def _chunk(self, choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> bytes:
        names = {"openai": "chatcmpl-1", "openrouter": "gen-1", "ollama": "chatcmpl-77"}
        told: dict[str, Any] = {
            "id": names[self.dialect],
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
        }
        told |= {"choices": choices} | ({"usage": usage} if usage or self.dialect == "openai" else {})
        if self.dialect == "openrouter":
            told["provider"] = "Somebody"
        return b"data: " + json.dumps(told).encode() + b"\n\n"


@contextmanager
def wire(dialect: Dialect, *replies: Reply | Callable[[dict[str, Any]], Reply]) -> Iterator[Wire]:
    """A running server."""
    spoken = Wire(dialect, list(replies))
    try:
        with serve_on_loopback(_handler(spoken)) as spoken.url:
            yield spoken
    finally:
        spoken.hang_up()


def _handler(spoken: Wire) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # or each event waits until the one before is acknowledged

        def setup(self) -> None:
            super().setup()
            spoken.connections.append(self.connection)

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = spoken.reply(request)
            time.sleep(reply.wait)
            with suppress(BrokenPipeError, ConnectionResetError):  # the client has given up
                self._answer(reply)

        def _answer(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.body is not None:
                self.send_header("Content-Type", reply.kind)
                self.send_header("Content-Length", str(len(reply.body.encode())))
                self.end_headers()
                self.wfile.write(reply.body.encode())
                return
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number, event in enumerate(spoken.events(reply)):
                if number == reply.cut:
                    self.close_connection = True
                    return  # without the last chunk: the other side sees that it is not whole
                self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")

        protocol_version = "HTTP/1.1"
        log_message: Callable[..., None] = lambda *_: None

    return Handler
