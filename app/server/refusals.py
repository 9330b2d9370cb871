"""Answers for exceptions, one for each kind, without a traceback in the log if a person can act on it."""

from collections.abc import Awaitable, Callable

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
from app.server.guard import HEADERS

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
    """Return the HTTP status for an error.

    Args:
        other: The status for other errors.
    """
    return next((status for kind, status in STATUSES.items() if isinstance(exc, kind)), other)


def answer_error(exc: AnaError) -> JSONResponse:
    """Return the answer to a request of the server's own routes that failed with this error."""
    return JSONResponse({"detail": exc.sentence()}, status_code=find_status(exc))


async def _answer_error(_: Request, exc: Exception) -> Response:
    assert isinstance(exc, AnaError)
    return answer_error(exc)


async def _answer_update(_: Request, exc: Exception) -> Response:
    """Answer an update of a state that langgraph refuses, in langgraph's words."""
    why = str(exc).partition("\n")[0].rstrip(".")
    return JSONResponse({"detail": f"{why}."}, status_code=422)


async def fail(_: Request, exc: Exception) -> JSONResponse:
    """Answer an unforeseen error, outside of the guard; the log has the traceback."""
    sentence = f"Something went wrong that was not foreseen: {type(exc).__name__}."
    return JSONResponse({"error": sentence}, status_code=500, headers=HEADERS)


REFUSALS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    InvalidUpdateError: _answer_update,
    EmptyInputError: _answer_update,
    AnaError: _answer_error,
}
