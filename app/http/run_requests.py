"""Requests that begin a run, keep options for runs or write a state: refused with a sentence before anything else."""

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from ana.errors import UserError
from graph.context import Context
from graph.replies import names_requests
from graph.updates import check_command, check_config, check_input, check_update

_OPTIONS = [field.name for field in fields(Context)]


def check_request(path: str, asked: Any) -> None:
    """Refuse what a run would fail of, and what would leave a thread that no run can go on with.

    The server would begin the run, fail, and print two tracebacks; and it keeps whatever it is sent as a state.

    Args:
        asked: Its body; there may be several requests in a batch.

    Raises:
        UserError: A field of the context is unknown, something has a wrong type or range, or a command says nothing.
    """
    check = next((check for pattern, check in _CHECKS if pattern.fullmatch(path)), None)
    for each in asked if isinstance(asked, list) else [asked]:
        if check and isinstance(each, dict):
            check(each)


def _check_run(asked: dict[str, Any]) -> None:
    """Check the context and the input of a request, or of a command of the newer event protocol."""
    if isinstance(params := asked.get("params"), dict) and "method" in asked:
        _check_options(params)
        check_command(params.get("update"), params.get("goto"))  # its input may be the reply to a question
        return
    _check_options(asked)
    check_input(asked.get("input"))
    command = asked.get("command")
    if isinstance(command, dict) and command:
        update, goto = command.get("update"), command.get("goto")
        check_command(update, goto)
        if command.get("resume") is None and not (update or goto):
            raise UserError("The command says nothing.", 'Reply to a request with {"resume": ...}.')


def find_bare_reply(asked: Any) -> Any:
    """Return the reply of a request that says to what it is neither by an id nor by a checkpoint; None without one."""
    command = asked.get("command") if isinstance(asked, dict) else None
    reply = command.get("resume") if isinstance(command, dict) else None
    if reply is None or names_requests(reply):
        return None
    config = asked.get("config")
    places = (asked.get("checkpoint"), asked, config.get("configurable") if isinstance(config, dict) else None)
    placed = any(isinstance(place, dict) and place.get("checkpoint_id") for place in places)
    return None if placed else reply


def name_reply(asked: dict[str, Any], shown: str | None) -> dict[str, Any]:
    """Return a request whose bare reply names what it is to: clients send one to what the server showed them last.

    It is named when it arrives. A second click comes while the first one's run works, or after it, and decides nothing.

    Args:
        shown: The id of what waits, if a run of the server asked it; None if nothing does, or another door asked.

    Raises:
        UserError: Another door may have asked something else since it was shown.
    """
    if shown is None:
        raise UserError(
            "Nothing was done: the reply does not name the request that it is to, and no run of this server has asked.",
            'Look at the thread again, and resume with {"ID OF THE INTERRUPT": REPLY}.',
        )
    return {**asked, "command": {**asked["command"], "resume": {shown: asked["command"]["resume"]}}}


def _check_edit(asked: dict[str, Any]) -> None:
    values, copies = asked.get("values"), asked.get("as_node") == "__copy__"
    if not copies or not isinstance(values, list):
        check_update(values)
        return
    _refuse_several(values)
    for each in values:
        if isinstance(each, list) and not all(isinstance(node, str) for node in each[1:2]):
            raise UserError("A copied update names no node.", "Send each as [VALUES, NODE].")
        check_update(each[0] if isinstance(each, list) and each else each)


def _check_states(asked: dict[str, Any]) -> None:
    supersteps = asked.get("supersteps")
    for step in supersteps if isinstance(supersteps, list) else []:
        updates = step.get("updates") if isinstance(step, dict) else None
        _refuse_several(updates)
        for each in updates if isinstance(updates, list) else []:
            command = each.get("command") if isinstance(each, dict) else None
            if isinstance(command, dict):
                check_command(command.get("update"), command.get("goto"))
            elif isinstance(each, dict):
                _check_edit(each)


def _check_tool_call(asked: dict[str, Any]) -> None:
    """Check the input and the options of a run that is begun as a call of a tool, through /mcp."""
    params = asked.get("params")
    if asked.get("method") == "tools/call":
        if not isinstance(params, dict):
            raise UserError("The params of a call are no object.", 'Give {"name": "ana", "arguments": {...}}.')
        _check_options(params)
        check_input(params.get("arguments"))


def _check_cron(asked: dict[str, Any]) -> None:
    if not isinstance(asked.get("assistant_id"), str):
        raise UserError("It names no assistant.", 'Give {"assistant_id": "ana"}.')
    _check_run(asked)


_CHECKS: tuple[tuple[re.Pattern[str], Callable[[dict[str, Any]], None]], ...] = (
    (re.compile(r"/mcp/?"), _check_tool_call),
    (re.compile(r"/threads/?"), _check_states),
    (re.compile(r"/threads/[^/]+/state/?"), _check_edit),
    (re.compile(r"(?:/threads/[^/]+)?/runs/crons/?"), _check_cron),
    (re.compile(r"(?:/threads/[^/]+)?/runs(?:/wait|/stream|/batch|/crons(?:/[^/]+)?)?/?"), _check_run),
    (re.compile(r"/threads/[^/]+/commands/?|/assistants(?:/[^/]+)?/?"), _check_run),
)


def _refuse_several(updates: Any) -> None:
    if isinstance(updates, list) and len(updates) > 1:
        raise UserError("A step of this graph is of one node.", "Send one update in each superstep.")


def _check_options(asked: dict[str, Any]) -> None:
    """Check the context, and the options in the config: the only way of the newer protocol to give any."""
    if asked.get("webhook"):
        raise UserError("Webhooks are switched off: nobody would be told.", "Join the run, or ask how it stands.")
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
