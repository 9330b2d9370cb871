"""Requests that begin a run or keep options for runs: refused with a sentence before anything runs or is kept."""

import logging
import re
from dataclasses import fields
from typing import Any

from langchain_core.messages import convert_to_messages
from pydantic_core import from_json
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import UserError
from app.http.bodies import join_body, read_body, replay
from graph.context import Context
from graph.replies import names_requests

_log = logging.getLogger(__name__)
_CHECKED = re.compile(
    r"(?:/threads/[^/]+)?/runs(?:/wait|/stream|/batch|/crons)?/?|/threads/[^/]+/commands/?|/assistants(?:/[^/]+)?/?"
)
_OPTIONS = [field.name for field in fields(Context)]


class RunRequests:
    """Refuses what a run would fail of: the server would begin it, fail, and print two tracebacks.

    Args:
        app: The application behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") not in ("POST", "PATCH") or not _CHECKED.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        messages = await read_body(receive)
        try:
            check_run(join_body(messages))
        except UserError as exc:
            _log.warning("%s %s was refused: %s", scope["method"], scope["path"], exc)
            await JSONResponse({"detail": exc.sentence()}, status_code=422)(scope, receive, send)
            return
        await self._app(scope, replay(messages, receive), send)


def check_run(body: bytes) -> None:
    """Check the context and the input of a request, of each in a batch, or of a command of the newer event protocol.

    Raises:
        UserError: A field of the context is unknown, something has a wrong type or range, or a reply is to no request.
    """
    try:
        asked = from_json(body)
    except ValueError:
        return  # the server says what is wrong with it
    for each in asked if isinstance(asked, list) else [asked]:
        if isinstance(each, dict):
            command = each.get("params") if "method" in each else None
            asked_of_run = command if isinstance(command, dict) else each
            _check_reply(each)
            _check_context(asked_of_run.get("context"))
            _check_configurable(asked_of_run.get("config"))
            if command is None:  # the input of a command may be the reply to a question
                _check_input(each.get("input"))


def _check_reply(asked: dict[str, Any]) -> None:
    """Check that a reply says what it is to: another door may have asked something else since it was shown.

    Studio and agent-chat-ui send the checkpoint at which they showed it; once that has passed, it is asked again.
    """
    command, places = asked.get("command"), (asked.get("checkpoint"), asked, _configurable_of(asked.get("config")))
    reply = command.get("resume") if isinstance(command, dict) else None
    if reply is None or names_requests(reply):
        return
    if not any(isinstance(place, dict) and place.get("checkpoint_id") for place in places):
        raise UserError(
            "Nothing was done: the reply does not name the request that it is to.",
            'Resume with {"ID OF THE INTERRUPT": REPLY}, or send the checkpoint at which it was shown.',
        )


def _configurable_of(config: Any) -> Any:
    return config.get("configurable") if isinstance(config, dict) else None


def _check_context(given: Any) -> None:
    if not isinstance(given, dict):
        return
    if unknown := [name for name in given if name not in _OPTIONS]:
        raise UserError(f"The context has no field {unknown[0]!r:.60}.", f"Its fields: {', '.join(_OPTIONS)}.")
    Context(**given)


def _check_configurable(config: Any) -> None:
    """Check the options among what else stands there: the only way of the newer protocol to give any."""
    given = _configurable_of(config)
    if isinstance(given, dict):
        Context(**{name: value for name, value in given.items() if name in _OPTIONS})


def _check_input(given: Any) -> None:
    hint = 'Send {"messages": [{"role": "user", "content": "..."}]}.'
    if given is None:
        return
    if not isinstance(given, dict):
        raise UserError("The input is not an object.", hint)
    try:
        convert_to_messages(given.get("messages") or [])
    except (ValueError, TypeError, KeyError, NotImplementedError) as exc:
        why = str(exc).splitlines()[0].rstrip(". ")
        raise UserError(f"The messages cannot be read: {why}.", hint) from exc
