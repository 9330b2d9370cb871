"""What fails by an exception: an answer for each kind, and no traceback in the log for what a person can act on."""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any

from httpx import HTTPStatusError
from langgraph.errors import EmptyInputError, InvalidUpdateError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ana.errors import (
    AnaError,
    ConfigError,
    LeaseLost,
    NotFound,
    NotWaiting,
    StoreBroken,
    StoreBusy,
    WrongName,
    WrongReply,
)
from app import json_rpc
from app.http.guard import HEADERS

STATUSES: dict[type[AnaError], int] = {
    ConfigError: 503,
    NotFound: 404,
    StoreBroken: 503,
    LeaseLost: 503,
    StoreBusy: 409,
    NotWaiting: 409,
    WrongReply: 422,
    WrongName: 422,
}


def find_status(exc: AnaError, other: int = 422) -> int:
    """Return the status that an error is answered with.

    Args:
        other: The status of an error that has none of its own.
    """
    return next((status for kind, status in STATUSES.items() if isinstance(exc, kind)), other)


def answer_error(exc: AnaError) -> JSONResponse:
    """Return the answer to a request of the server's own routes that failed of this."""
    return JSONResponse({"detail": exc.sentence()}, status_code=find_status(exc))


def answer_tool_call(asked: Any, exc: AnaError) -> JSONResponse:
    """Return the answer to a call through /mcp that failed of this."""
    return JSONResponse(json_rpc.refuse(asked, exc.sentence()))


async def _answer_error(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, AnaError)
    return answer_error(exc)


async def _answer_update(_: Request, exc: Exception) -> Response:
    """Answer what langgraph refuses to write to a state, in its words."""
    why = str(exc).partition("\n")[0].rstrip(".")
    return JSONResponse({"detail": f"{why}."}, status_code=422)


async def _pass_on(_: Request, exc: Exception) -> Response:
    """Answer what was refused to the server when it asked itself, as for /mcp."""
    assert isinstance(exc, HTTPStatusError)
    refused = exc.response
    return Response(refused.content, refused.status_code, media_type=refused.headers.get("content-type"))


async def fail(_: Request, exc: Exception) -> JSONResponse:
    """Answer what nobody foresaw, from outside the guard; the log has the traceback."""
    sentence = f"Something went wrong that was not foreseen: {type(exc).__name__}."
    return JSONResponse({"error": sentence}, status_code=500, headers=HEADERS)


REFUSALS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    InvalidUpdateError: _answer_update,
    EmptyInputError: _answer_update,
    HTTPStatusError: _pass_on,
    AnaError: _answer_error,
}

_BY_US = re.compile(r"^ana\.errors\.\w+: (.+)(?:\nDuring task with name .*)?\s*\Z", re.MULTILINE)
"""The end of a formatted traceback whose error is one of ours, and langgraph's note of the node."""


class RunErrors(logging.Filter):
    """Drops the first of the two tracebacks that the server logs for a run, if a person can act on why it failed; turns
    the second into a line."""

    def filter(self, record: logging.LogRecord) -> bool:
        event = record.msg
        if not isinstance(event, dict) or not (found := _BY_US.search(event.get("exception", ""))):
            return True
        if str(event.get("event", "")).startswith("Run encountered"):
            return False
        record.msg = {key: value for key, value in event.items() if key != "exception"}
        record.msg["event"] = f"A run failed: {found[1]}"
        return True
