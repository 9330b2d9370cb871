"""A connection on which a request does not arrive is closed, and none on which one is answered."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn import Config
from uvicorn.server import ServerState

from ana.settings import load_settings
from app.cli import serve
from app.server.app import build_app
from app.server.connections import Protocol, Server
from app.server.guard import Guard
from tests.conftest import folders

REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n"
UPLOAD = b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\nx"


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204})
    await send({"type": "http.response.body"})


async def work(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


class Wire(asyncio.Transport):
    """Takes what is written."""

    closed = False
    aborted = False
    written = b""

    def write(self, data: Any) -> None:
        self.written += data

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


@pytest.mark.parametrize(
    ("app", "arrives", "closes"),
    [
        (answer, [], True),
        (answer, [REQUEST[:-4]], True),
        (answer, [REQUEST, REQUEST[:-4]], True),
        (answer, [*REQUEST[:-4].split(b"a")], True),
        (work, [REQUEST], False),
        (work, [UPLOAD], False),
        (answer, [UPLOAD], True),
        (answer, [UPLOAD, b"x"], True),
    ],
)
def test_only_so_long_is_waited_for_a_request(app: Any, arrives: list[bytes], closes: bool) -> None:
    later: list[Callable[[], None]] = []

    async def play() -> bool:
        loop = asyncio.get_running_loop()
        protocol, wire = Protocol(Config(app, log_config=None), ServerState(), {}, loop), Wire()
        loop.call_later = lambda _, do: later.append(do) or asyncio.TimerHandle(0, do, (), loop)  # type: ignore
        protocol.connection_made(wire)
        for data in arrives:
            protocol.data_received(data)
            for _ in range(3):
                await asyncio.sleep(0)
        protocol._look()
        for task in protocol.tasks:
            task.cancel()
        return wire.closed

    assert asyncio.run(play()) == closes
    assert later, "it looks by itself"


@pytest.mark.parametrize("arrives", [[CHUNKED + b"zz\r\n"], [CHUNKED, b"zz\r\n"]])
def test_a_body_that_breaks_off_in_its_middle_gets_one_answer(
    arrives: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> Wire:
        loop = asyncio.get_running_loop()
        protocol, wire = Protocol(Config(answer, log_config=None), ServerState(), {}, loop), Wire()
        protocol.connection_made(wire)
        for data in arrives:
            protocol.data_received(data)
            for _ in range(3):
                await asyncio.sleep(0)
        protocol.connection_lost(OSError())
        return wire

    wire = asyncio.run(play())
    assert (wire.closed, wire.written.count(b"HTTP/1.1 ")) == (True, 1)
    assert [record.levelname for record in caplog.records] == ["WARNING"], "no traceback"


@pytest.mark.parametrize(("lengths", "ends"), [("content-length: 4\r\n", True), ("", False)])
def test_a_body_with_two_lengths_ends_its_connection(lengths: str, ends: bool) -> None:
    async def play() -> Wire:
        loop = asyncio.get_running_loop()
        app = Guard(PlainTextResponse("ok"))
        protocol, wire = Protocol(Config(app, log_config=None), ServerState(), {}, loop), Wire()
        protocol.connection_made(wire)
        protocol.data_received(CHUNKED[:-2] + f"{lengths}\r\n0\r\n\r\n".encode() + REQUEST)
        for _ in range(9):
            await asyncio.sleep(0)
        protocol.connection_lost(OSError())
        return wire

    wire = asyncio.run(play())
    assert (wire.closed, b" 411 " in wire.written, b" 200 " in wire.written) == (ends, True, not ends)


@pytest.mark.parametrize(("is_taken", "ends"), [(False, True), (True, False)])
def test_an_answer_that_nobody_takes_ends_its_connection(is_taken: bool, ends: bool) -> None:
    async def play() -> bool:
        loop = asyncio.get_running_loop()
        protocol, wire = Protocol(Config(work, log_config=None), ServerState(), {}, loop), Wire()
        protocol.connection_made(wire)
        later: list[asyncio.TimerHandle] = []
        loop.call_later = lambda _, do: later.append(asyncio.TimerHandle(0, do, (), loop)) or later[-1]  # type: ignore
        protocol.pause_writing()
        if is_taken:
            protocol.resume_writing()
        for each in later:
            if not each.cancelled():
                each._run()
        return wire.aborted

    assert asyncio.run(play()) is ends


def test_whoever_sends_a_body_that_is_refused_gets_the_answer_on_a_connection_that_goes_on() -> None:
    app = Guard(PlainTextResponse("ok"))
    server = uvicorn.Server(Config(app, port=0, http=Protocol, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", limits=httpx.Limits(max_connections=1)) as client:
        refused = client.post("/ask", content=bytes(20_000_000), headers={"content-type": "application/json"})
        assert (refused.status_code, client.get("/ok").status_code) == (413, 200)
    server.should_exit = True
    thread.join()


def test_a_connection_is_kept_for_longer_than_clients_keep_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(uvicorn, "Config", lambda _, **options: given.update(options))
    monkeypatch.setattr(Server, "__init__", lambda *_: None)
    monkeypatch.setattr(Server, "run", lambda _: None)
    serve.run(build_app, "127.0.0.1", 0, load_settings(folders(tmp_path)))
    assert given["timeout_keep_alive"] > (httpx.Limits().keepalive_expiry or 0)
