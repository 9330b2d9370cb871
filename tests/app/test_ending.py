"""SIGTERM ends a server soon, whatever it does, and what it had acknowledged is there."""

import json
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from ana.children import run_python
from ana.handles import open_data
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.page.forms import FIELD
from app.server.connections import END_SECONDS
from app.server.guard import FILE_FORM, FILES
from evals.load.server import Server
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.servers import own_serving
from tests.waiting import wait_until

STAMP = "2026-01-07T08:00:00.000000+00:00"
ROOM = 3.0
"""Seconds that a machine with much else to do may take to notice."""


class Busy:
    """A server with half-sent files, a stream, a turn that hangs, an import, and somebody who stores notes."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._over = False
        self.stored: list[str] = []
        """The notes that were acknowledged."""
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._keep, self._ask, self._bring_in)]
        self._sockets = [self._send_half() for _ in range(20)]
        for thread in self._threads:
            thread.start()

    def leave(self) -> None:
        self._over = True
        for thread in self._threads:
            thread.join(60)
        for each in self._sockets:
            each.close()

    def _send_half(self) -> socket.socket:
        sent = socket.create_connection(("127.0.0.1", self._server.port))
        head = f"POST {FILES} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {FILE_FORM}; boundary=B\r\n"
        sent.sendall(f"{head}Content-Length: 9000000\r\n\r\n--B\r\n".encode())
        return sent

    def _form(self, client: httpx.Client) -> dict[str, str]:
        page = client.get("/app/settings").text
        return {FIELD: page.partition(f'name="{FIELD}" value="')[2].partition('"')[0]}

    def _keep(self) -> None:
        with httpx.Client(base_url=self._server.url, timeout=60) as client:
            form, number = self._form(client), 0
            while not self._over:
                number += 1
                try:
                    answer = client.post("/app/items/new", data=form | {"content": f"note {number}"})
                except httpx.HTTPError:
                    return
                if answer.status_code == 303:
                    self.stored.append(f"note {number}")

    def _ask(self) -> None:
        run = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": "hang"}]}}
        try:
            with httpx.stream("POST", f"{self._server.url}/runs/stream", json=run, timeout=60) as told:
                told.read()
        except httpx.HTTPError:
            pass

    def _bring_in(self) -> None:
        items = ({"id": f"i{n}", "content": f"imported {n} {'word ' * 50}"} for n in range(20_000))
        rows = (item | {"properties": {}, "created_at": STAMP, "updated_at": STAMP} for item in items)
        lines = [{"export": "ana export", "format": 1, "next_line": 0}, *({"item": row} for row in rows)]
        data = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
        try:
            with httpx.Client(base_url=self._server.url, timeout=60) as client:
                client.post(FILES, data=self._form(client), files={"file": ("a.jsonl", data)})
        except httpx.HTTPError:
            pass


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    hangs = Said(hang="silent")
    with openai_stub(lambda _: hangs) as stub:
        own = {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "m"}
        yield folders(tmp_path, LLM_PROVIDER="openai", **own)


def test_a_busy_server_ends_in_time_and_keeps_what_it_acknowledged(env: dict[str, str], tmp_path: Path) -> None:
    with own_serving(env, tmp_path / "server.log") as server:
        busy = Busy(server)
        wait_until(lambda: len(busy.stored) > 5)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)
        took = time.monotonic() - begun
        busy.leave()
    assert took < END_SECONDS + ROOM
    with open_data(open_workspace(load_settings(env)), "test") as handles:
        kept: list[Any] = [item.content for item in handles.memory.items()]
    assert {*busy.stored} <= {*kept}, "what was acknowledged is there"
    imported = sum(content.startswith("imported") for content in kept)
    assert imported in (0, 20_000), "an import is there as a whole, or not at all"


HANGS = """
import re
from app.server.connections import Server
server = Server.__new__(Server)
server._captured_signals, server.should_exit = [], False
server.handle_exit(15, None)
re.match("(a+)+$", "a" * 60 + "b")
"""
"""A process that is told to end and computes on under Python's lock, so that no thread of its own can end it."""


def test_a_process_that_no_thread_of_its_own_can_end_is_ended_by_the_system() -> None:
    assert run_python("-c", HANGS, timeout=120).returncode == -signal.SIGALRM
