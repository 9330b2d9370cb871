"""A stand-in for the library: the same calls, and a server that takes decisions from the file it was to load."""

import json
import os
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any


class CommonParams:
    """Takes every parameter."""

    def __init__(self) -> None:
        self.model, self.cpuparams, self.cpuparams_batch = SimpleNamespace(), SimpleNamespace(), SimpleNamespace()
        self.hostnames: list[str] = []
        self.port = 0
        self.api_keys: list[str] = []


class Server:
    """Serves the decision in the file; one that is no JSON is damaged, and some words end the process."""

    def __init__(self, params: Any) -> None:
        text = Path(params.model.path).read_text().removeprefix("GGUF")
        if text == "too large":
            os.abort()
        if text == "slow":
            Path(params.model.path).with_suffix(".told").write_text("loading")
            time.sleep(60)
        try:
            decision = json.dumps(json.loads(text))
            (host,), (key,) = params.hostnames, params.api_keys
            told = Path(params.model.path).with_suffix(".told")
            self._server = ThreadingHTTPServer((host, params.port), _handler(decision, key, told))
        except (ValueError, OSError) as exc:
            raise RuntimeError("Failed to init server, please check the input params.") from exc
        self.listening_address = f"http://{host}:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, daemon=True).start()


def _handler(decision: str, key: str, told: Path) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            allowed = self.headers["Authorization"] == f"Bearer {key}"
            held = '"final"' in asked.get("grammar", "") and "response_format" not in asked
            self.send_response(200 if allowed and held else 401)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            begin, end = decision[:9], decision[9:]
            self.wfile.write(_event({"content": begin}))
            if asked["messages"][-1]["content"].endswith("die now"):
                os.abort()
            if asked["messages"][-1]["content"].endswith("never end"):
                told.write_text("asked")
                with suppress(ConnectionError):
                    self.connection.recv(1)  # until the client closes it
                told.write_text("closed")
            self.wfile.write(_event({"content": end}) + _event({}, "stop") + b"data: [DONE]\n\n")

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
