"""Request bodies that are read before the application behind reads them, or that nobody wants."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.text import HINT, find_fault, read_any_json
from app import json_rpc
from app.http.threads import run_in_threadpool

MCP = "/mcp"
"""Where other assistants come in, which take an answer in their own form."""

SECONDS = 20.0
"""How long a body may take to arrive."""

Refusal = tuple[int, str]
"""The status and the sentence with which a request is refused."""


class JsonBodies:
    """Refuses a body that is late, no JSON, nested deeper than what reads it can check, or whose texts are none.

    It stands behind what asks for a token: who has none must not have the server keep and parse what they send.

    Args:
        skip: Returns whether a path takes no JSON; its bodies are read where they are checked.
        check: Returns why the value of a body is refused; None if it may pass.
        seconds: How long a body may take to arrive.
    """

    def __init__(
        self,
        app: ASGIApp,
        skip: Callable[[str], bool] = lambda _: False,
        check: Callable[[Scope, Any], Refusal | None] = lambda _, __: None,
        seconds: float = SECONDS,
    ) -> None:
        self._app = app
        self._skip = skip
        self._check = check
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_passed = scope["type"] != "http" or is_inside(scope) or self._skip(scope["path"])
        if not is_passed and read_length(scope):
            refusal, receive = await self._read(scope, receive)
            if refusal:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _read(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        try:
            body, receive = await read_body(receive, self._seconds)
            asked, fault = await run_in_threadpool(_parse, body)
        except TimeoutError:
            return refuse(408, f"The body did not arrive within {self._seconds:g} seconds."), receive
        except ValueError as exc:
            return refuse(422, f"The body is not JSON, or nested too deep: {exc}."), receive
        if fault:
            return _refuse_text(scope, asked, f"{fault} {HINT}"), receive
        refusal = self._check(scope, asked)
        return refusal and refuse(*refusal), receive


def _parse(body: bytes) -> tuple[Any, str]:
    """Return the value of a body, and what is wrong with its texts. Raises ValueError if it is no JSON."""
    try:
        asked = from_json(body)
    except ValueError:
        with suppress(ValueError):
            asked = read_any_json(body)
            if fault := find_fault(asked):
                return asked, fault
        raise
    return asked, find_fault(asked)


def _refuse_text(scope: Scope, asked: Any, sentence: str) -> Response:
    is_mcp = scope["path"] == MCP
    return JSONResponse(json_rpc.refuse(asked, sentence)) if is_mcp else refuse(422, sentence)


def is_inside(scope: Scope) -> bool:
    """Return whether it is the SDK in this very process; nobody outside can set root_path."""
    return scope.get("root_path") == "/noauth"


def read_length(scope: Scope) -> int:
    """Return the length that a request gives its body; the guard has looked that it is a number."""
    return int(Headers(scope=scope).get("content-length", 0))


def refuse(status: int, sentence: str) -> JSONResponse:
    """Return the answer to a request that reaches nothing behind."""
    return JSONResponse({"error": sentence}, status_code=status, headers={"connection": "close"})


async def read_body(receive: Receive, seconds: float | None = None) -> tuple[bytes, Receive]:
    """Return the body, and a `receive` that gives it again.

    Raises:
        TimeoutError: It did not arrive in time.
    """
    messages: list[Message] = []
    async with asyncio.timeout(seconds):
        while not messages or messages[-1].get("more_body"):
            messages.append(await receive())
    return b"".join(message.get("body", b"") for message in messages), put_back(messages, receive)


async def drop_body(receive: Receive, seconds: float) -> None:
    """Read a body that nobody wants, as far as it arrives in time: a connection that is closed before would be reset,
    and most clients then never see the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await receive()).get("more_body"):
                pass


def put_back(messages: list[Message], receive: Receive) -> Receive:
    """Return a `receive` that gives these messages first."""
    left = iter(messages)

    async def receive_next() -> Message:
        return next(left, None) or await receive()

    return receive_next
