"""What a body may take: time, room beside others of the same person, values of JSON."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import pytest
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.arriving import BYTES_A_SECOND, MOST_AT_ONCE, Arriving, Bodies

T = TypeVar("T")


class Skipping(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next moment that anything waits for, so that a busy machine changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._passed = 0.0
        self._look = self._selector.select  # type: ignore[attr-defined]
        self._selector.select = self._skip  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._passed

    def _skip(self, timeout: float | None) -> Any:
        self._passed += timeout or 0
        return self._look(0)


def play(what: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=Skipping) as runner:
        return runner.run(what)


def part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def trickle(parts: Sequence[bytes], seconds: float) -> Receive:
    """A client that sends a part after so many seconds, and then nothing more."""
    left = [*parts]

    async def receive() -> Message:
        await asyncio.sleep(seconds if left else 3600)
        return part(left.pop(0), more=True)

    return receive


async def read(receive: Receive) -> int:
    size = 0
    while True:
        message = await receive()
        size += len(message["body"])
        if not message["more_body"]:
            return size


def test_a_body_that_stands_still_is_given_up_however_it_began() -> None:
    for parts in ([], [b"x"], [b"x"] * 1000):
        with pytest.raises(HTTPException) as caught:
            play(read(Arriving(trickle(parts, 0.001), seconds=5)))
        assert caught.value.status_code == 408
        assert caught.value.headers == {"connection": "close"}


def test_a_large_body_that_arrives_steadily_has_more_time() -> None:
    async def receive_all() -> int:
        left = [bytes(BYTES_A_SECOND)] * 4

        async def receive() -> Message:
            await asyncio.sleep(3)
            return part(left.pop(), more=bool(left))

        return await read(Arriving(receive, seconds=10))

    assert play(receive_all()) == 4 * BYTES_A_SECOND


def test_what_follows_a_body_may_take_as_long_as_it_does() -> None:
    async def follow() -> str:
        left = [part(b"", more=False), {"type": "http.disconnect"}]

        async def receive() -> Message:
            await asyncio.sleep(30 if len(left) == 1 else 0)
            return left.pop(0)

        arriving = Arriving(receive, seconds=10)
        await arriving()
        return str((await arriving())["type"])

    assert play(follow()) == "http.disconnect"


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    await Request(scope, receive).body()
    await JSONResponse({"ok": True})(scope, receive, send)


def _scope(length: int, person: str = "anna") -> dict[str, Any]:
    headers = [(b"content-length", b"%d" % length)]
    return {"type": "http", "method": "POST", "path": "/ask", "headers": headers, "state": {"person": person}}


async def _ask(app: ASGIApp, scope: Scope, body: Receive) -> int:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await ExceptionMiddleware(app)(scope, body, send)
    return int(sent[0]["status"])


def test_bodies_of_one_person_have_so_much_room_together_and_nobody_elses() -> None:
    async def play() -> list[int]:
        arrives = asyncio.Event()

        async def late() -> Message:
            await arrives.wait()
            return part(b"x", more=False)

        async def soon() -> Message:
            return part(b"x", more=False)

        room = Bodies(_answer, skip=lambda _: True)
        first = asyncio.create_task(_ask(room, _scope(MOST_AT_ONCE), late))
        await asyncio.sleep(0)
        told = [await _ask(room, _scope(1), soon), await _ask(room, _scope(1, "ben"), soon)]
        arrives.set()
        return [*told, await first, await _ask(room, _scope(1), soon)]

    assert asyncio.run(play()) == [429, 200, 200, 200]


def test_room_is_given_back_where_a_body_breaks_off() -> None:
    async def play() -> int:
        async def broken() -> Message:
            raise ConnectionError

        async def soon() -> Message:
            return part(b"x", more=False)

        room = Bodies(_answer, skip=lambda _: True)
        with pytest.raises(ConnectionError):
            await _ask(room, _scope(MOST_AT_ONCE), broken)
        return await _ask(room, _scope(MOST_AT_ONCE), soon)

    assert asyncio.run(play()) == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[" + b"[]," * 200_000 + b"[]]", 422),
        (b"[" + b'{"a":0},' * 110_000 + b"0]", 422),
        (b'["' + b'","' * 210_000 + b'"]', 422),
        (to_json({"text": "a,b,[{" * 500_000}), 200),
        (to_json({"text": '\\",[' * 100_000}), 200),
    ],
)
def test_json_may_have_so_many_values_and_any_text(body: bytes, status: int) -> None:
    async def receive() -> Message:
        return part(body, more=False)

    assert asyncio.run(_ask(Bodies(_answer), _scope(len(body)), receive)) == status
