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
from app.server.arriving import tell_error
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


async def answer_error(_: Request, exc: Exception) -> Response:
    """Answer a request that failed with an error of ana's."""
    assert isinstance(exc, AnaError)
    return tell_error(find_status(exc), exc.sentence())


async def _answer_update(_: Request, exc: Exception) -> Response:
    """Answer an update of a state that langgraph refuses, in langgraph's words."""
    why = str(exc).partition("\n")[0].rstrip(".")
    return tell_error(422, f"{why}.")


async def fail(_: Request, exc: Exception) -> JSONResponse:
    """Answer an unforeseen error, outside of the guard; the log has the traceback."""
    sentence = f"Something went wrong that was not foreseen: {type(exc).__name__}."
    return tell_error(500, sentence, HEADERS)


REFUSALS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    InvalidUpdateError: _answer_update,
    EmptyInputError: _answer_update,
    AnaError: answer_error,
}
