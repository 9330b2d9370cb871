"""Requests that begin a run, keep options for runs or write a state: refused with a sentence before anything else."""

import logging
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.errors import UserError
from app.http.bodies import read_json
from graph.context import Context
from graph.replies import names_requests
from graph.updates import check_command, check_config, check_input, check_update

_log = logging.getLogger(__name__)
_OPTIONS = [field.name for field in fields(Context)]


class RunRequests:
    """Refuses what a run would fail of, and what would leave a thread that no run can go on with.

    The server would begin the run, fail, and print two tracebacks; and it keeps whatever it is sent as a state.

    Args:
        app: The application behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asks = scope["type"] == "http" and scope["method"] in ("POST", "PATCH")
        check = next((check for path, check in _CHECKS if asks and path.fullmatch(scope["path"])), None)
        if check is None:
            await self._app(scope, receive, send)
            return
        asked, receive = await read_json(receive)
        try:
            for each in asked if isinstance(asked, list) else [asked]:  # there may be several in a batch
                if isinstance(each, dict):
                    check(each)
        except UserError as exc:
            _log.warning("%s %s was refused: %s", scope["method"], scope["path"], exc)
            await JSONResponse({"detail": exc.sentence()}, status_code=422)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def check_run(asked: dict[str, Any]) -> None:
    """Check the context and the input of a request, or of a command of the newer event protocol.

    Raises:
        UserError: A field of the context is unknown, something has a wrong type or range, or a reply is to no request.
    """
    if isinstance(params := asked.get("params"), dict) and "method" in asked:
        _check_options(params)
        check_command(params.get("update"), params.get("goto"))  # its input may be the reply to a question
        return
    _check_options(asked)
    check_input(asked.get("input"))
    command = asked.get("command")
    if isinstance(command, dict) and command:
        _check_reply(command.get("resume"), asked)
        update, goto = command.get("update"), command.get("goto")
        check_command(update, goto)
        if command.get("resume") is None and not (update or goto):
            raise UserError("The command says nothing.", 'Reply to a request with {"resume": ...}.')


def _check_reply(reply: Any, asked: dict[str, Any]) -> None:
    """Check that a reply says what it is to: another door may have asked something else since it was shown.

    Studio and agent-chat-ui send the checkpoint at which they showed it; once that has passed, it is asked again.
    """
    if reply is None or names_requests(reply):
        return
    config = asked.get("config")
    places = (asked.get("checkpoint"), asked, config.get("configurable") if isinstance(config, dict) else None)
    if not any(isinstance(place, dict) and place.get("checkpoint_id") for place in places):
        raise UserError(
            "Nothing was done: the reply does not name the request that it is to.",
            'Resume with {"ID OF THE INTERRUPT": REPLY}, or send the checkpoint at which it was shown.',
        )


def check_edit(asked: dict[str, Any]) -> None:
    """Check a state that a client writes. Errors as of `check_update`."""
    values, copies = asked.get("values"), asked.get("as_node") == "__copy__"
    if not copies or not isinstance(values, list):
        check_update(values)
        return
    _refuse_several(values)
    for each in values:
        check_update(each[0] if isinstance(each, list) and each else each)


def check_states(asked: dict[str, Any]) -> None:
    """Check the states that a thread is created with. Errors as of `check_update`."""
    supersteps = asked.get("supersteps")
    for step in supersteps if isinstance(supersteps, list) else []:
        updates = step.get("updates") if isinstance(step, dict) else None
        _refuse_several(updates)
        for each in updates if isinstance(updates, list) else []:
            command = each.get("command") if isinstance(each, dict) else None
            if isinstance(command, dict):
                check_command(command.get("update"), command.get("goto"))
            elif isinstance(each, dict):
                check_edit(each)


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[dict[str, Any]], None]], ...] = (
    (re.compile(r"/threads/?"), check_states),
    (re.compile(r"/threads/[^/]+/state/?"), check_edit),
    (re.compile(r"(?:/threads/[^/]+)?/runs(?:/wait|/stream|/batch|/crons(?:/[^/]+)?)?/?"), check_run),
    (re.compile(r"/threads/[^/]+/commands/?|/assistants(?:/[^/]+)?/?"), check_run),
)


def _refuse_several(updates: Any) -> None:
    if isinstance(updates, list) and len(updates) > 1:
        raise UserError("A step of this graph is of one node.", "Send one update in each superstep.")


def _check_options(asked: dict[str, Any]) -> None:
    """Check the context, and the options in the config: the only way of the newer protocol to give any."""
    context, config = asked.get("context"), asked.get("config")
    if isinstance(context, dict):
        if unknown := [name for name in context if name not in _OPTIONS]:
            raise UserError(f"The context has no field {unknown[0]!r:.60}.", f"Its fields: {', '.join(_OPTIONS)}.")
        Context(**context)
    if isinstance(config, dict):
        check_config(config)
        given = config.get("configurable")
        given = given if isinstance(given, dict) else {}
        Context(**{name: value for name, value in given.items() if name in _OPTIONS})
