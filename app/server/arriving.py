"""Request bodies: their time, the total size that one person may send at once, and the check that they are JSON."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.text import HINT, find_fault, read_any_json
from ana.values import count_marks
from app import json_rpc
from app.server.request_threads import run_in_threadpool

MCP = "/mcp"
"""Where other assistants come in, which take an answer in their own form."""

SECONDS = 20.0
"""How long a body may take to arrive, and"""
BYTES_A_SECOND = 100_000
"""for so many bytes of it that have arrived a second more: one that stands still is given up wherever it does."""

MOST_AT_ONCE = 104_000_000
"""How many bytes the bodies of one person may have together, until they are answered: a file and some forms."""

MOST_VALUES = 200_000
"""How many lists, objects and members a body of JSON may have: an empty list of two bytes takes thirty times as many
when it is read."""


class Arriving:
    """Receives a body, which has to arrive in time; messages after the body have no time limit.

    Args:
        seconds: The time that it may take, in addition to the time for its length at BYTES_A_SECOND.
    """

    def __init__(self, receive: Receive, seconds: float = SECONDS) -> None:
        self._receive = receive
        self._seconds = seconds
        self._ends = 0.0
        self._is_whole = False

    async def __call__(self) -> Message:
        """Return the next part. Raises HTTPException if it does not arrive in time."""
        if self._is_whole:
            return await self._receive()
        # counted from when it is first wanted: until then the connection takes no more than a little of it
        self._ends = self._ends or asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(self._ends):
                message = await self._receive()
        except TimeoutError:
            why = f"The body did not arrive within {self._seconds:g} seconds, and a second more for each 100 kB of it."
            raise HTTPException(408, why, {"connection": "close"}) from None
        self._ends += len(message.get("body", b"")) / BYTES_A_SECOND
        self._is_whole = not message.get("more_body")
        return message


class Bodies:
    """Refuses a body if the same person's unanswered requests leave no room for it, and one of JSON that is late, is no
    JSON, has more values than its readers can check, or contains invalid text.

    It runs after the token is checked, because the server must not keep and parse bodies from people without one. A
    route gets the value as `request.state.json`.

    Args:
        skip: Returns whether a path takes no JSON; its route then reads and checks the body.
        most: How many bytes the bodies of one person may have together.
    """

    def __init__(self, app: ASGIApp, skip: Callable[[str], bool] = lambda _: False, most: int = MOST_AT_ONCE) -> None:
        self._app = app
        self._skip = skip
        self._most = most
        self._taken: Counter[str | None] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request. Raises HTTPException if its body is refused."""
        length = read_length(scope) if scope["type"] == "http" else 0
        if not length:
            await self._app(scope, receive, send)
            return
        person = scope["state"]["person"]
        if self._taken[person] + length > self._most:
            raise HTTPException(429, "Too much is arriving at once; send it again when the rest is through.")
        self._taken[person] += length
        share = [length]

        async def send_answer(message: Message) -> None:
            self._taken[person] -= share.pop() if share else 0  # an answer that begins may go on for as long as a run
            await send(message)

        try:
            app, receive = (self._app, receive) if self._skip(scope["path"]) else await self._read(scope, receive)
            await app(scope, receive, send_answer)
        finally:
            self._taken[person] -= sum(share)

    async def _read(self, scope: Scope, receive: Receive) -> tuple[ASGIApp, Receive]:
        body, receive = await _read_whole(receive)
        try:
            value, fault = await run_in_threadpool(_parse, body)
        except ValueError as exc:
            raise HTTPException(422, f"The body is not JSON, or nested too deep: {exc}.") from exc
        if not fault:
            scope["state"]["json"] = value
            return self._app, receive
        if scope["path"] == MCP:
            return JSONResponse(json_rpc.refuse(value, f"{fault} {HINT}")), receive
        raise HTTPException(422, f"{fault} {HINT}")


async def _read_whole(receive: Receive) -> tuple[bytes, Receive]:
    """Return the body, and a `receive` that returns it again. Raises HTTPException if it does not arrive in time."""
    messages = [await receive()]
    while messages[-1].get("more_body"):
        messages.append(await receive())
    body = b"".join(message.get("body", b"") for message in messages)
    again: list[Message] = [{**messages[-1], "body": body}]

    async def receive_again() -> Message:
        return again.pop() if again else await receive()

    return body, receive_again


def _parse(body: bytes) -> tuple[Any, str]:
    """Return the value of a body, and a fault in its texts.

    Raises ValueError if it is no JSON, or has too many values.
    """
    _check_values(body)
    try:
        value = from_json(body)
    except ValueError:
        with suppress(ValueError):
            value = read_any_json(body)
            if fault := find_fault(value):
                return value, fault
        raise
    return value, find_fault(value)


def _check_values(body: bytes) -> None:
    if count_marks(body) > MOST_VALUES:
        # but for those in texts, of which it may have as many as it likes
        pieces = body.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"')
        if count_marks(b"".join(pieces[::2])) > MOST_VALUES:
            raise ValueError(f"it has more than {MOST_VALUES:,} values")


def read_length(scope: Scope) -> int:
    """Return the length that a request states for its body; the guard has checked that it is a number."""
    return int(Headers(scope=scope).get("content-length", 0))
