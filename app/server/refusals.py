"""Answers for exceptions, one for each kind, without a traceback in the log if a person can act on it."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langgraph.errors import EmptyInputError, InvalidUpdateError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
from ana.files import FILE_ERRORS, describe_fault
from ana.json_lines import Quoted
from ana.reminders.buttons import PATH as BUTTON
from app.reaching import PATH as HELLO
from app.server.guard import HEADERS, is_page, tell_error

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

Show = Callable[[Request, int, str], Awaitable[Response]]
"""Returns the page for a failed request, its status and the reason."""

_log = logging.getLogger(__name__)


def find_status(exc: AnaError, other: int = 422) -> int:
    """Return the HTTP status for an error.

    Args:
        other: The status for other errors.
    """
    return next((status for kind, status in STATUSES.items() if isinstance(exc, kind)), other)


async def _answer_update(_: Request, exc: Exception) -> Response:
    """Answer an update of a state that langgraph refuses, in langgraph's words."""
    why = str(exc).partition("\n")[0].rstrip(".")
    return tell_error(422, f"{why}.")


async def fail(_: Request, exc: Exception) -> Response:
    """Answer an unforeseen error, outside of the guard; the log has the traceback."""
    sentence = f"Something went wrong that was not foreseen: {type(exc).__name__}."
    return tell_error(500, sentence, HEADERS)


class Refusals:
    """What answers each kind of exception, in `handlers`.

    Args:
        show: Answers a failed request to the page, of a server that has it.
    """

    def __init__(self, show: Show | None = None) -> None:
        self._show = show
        self.handlers: dict[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
            InvalidUpdateError: _answer_update,
            EmptyInputError: _answer_update,
            HTTPException: self._answer_http,
            AnaError: self._answer_error,
            **dict.fromkeys(FILE_ERRORS, self._answer_fault),
        }

    async def _answer_error(self, request: Request, exc: Exception) -> Response:
        assert isinstance(exc, AnaError)
        _log.warning("%s %s was refused: %s", request.method, Quoted(_hide_secret(request.url.path)), exc)
        return await self._tell(request, find_status(exc), exc.sentence())

    async def _answer_fault(self, request: Request, exc: Exception) -> Response:
        """Answer an error of the system or of SQLite that no other code has put into words."""
        why = f"The files could not be used: {describe_fault(exc)}."
        return await self._answer_error(request, StoreBroken(why, "Check the disk of the server."))

    async def _answer_http(self, request: Request, exc: Exception) -> Response:
        assert isinstance(exc, HTTPException)
        return await self._tell(request, exc.status_code, exc.detail, exc.headers or {})

    async def _tell(
        self, request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        if self._show is None or status < 400 or not is_page(request.url.path):
            return tell_error(status, sentence, headers)
        page = await self._show(request, status, sentence)
        page.headers.update(headers or {})
        return page


def _hide_secret(path: str) -> str:
    """Return a path for the log; the secret part of an address that gives access by itself is left out."""
    return next((f"{beginning}..." for beginning in (BUTTON, HELLO) if path.startswith(beginning)), path)
