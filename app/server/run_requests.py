"""Requests that begin a run: refused with a sentence before anything else is done."""

from dataclasses import fields
from typing import Any

from ana.errors import UserError
from graph.context import Context
from graph.updates import check_command, check_config, check_input

CHECKPOINT = ("checkpoint_id", "checkpoint_map")
"""What a client names a checkpoint by; other names would set what langgraph keeps in the same place for itself."""

_OPTIONS = [field.name for field in fields(Context)]


def check_run(order: dict[str, Any]) -> None:
    """Refuse a request with which a run would fail, or would leave a thread unusable for later runs.

    Raises:
        UserError: A field of the context is unknown, something has a wrong type or range, or a command says nothing.
    """
    _check_options(order)
    check_input(order["input"])
    read_place(order)
    if command := order["command"]:
        update, goto = command.get("update"), command.get("goto")
        check_command(update, goto)
        if command.get("resume") is None and not (update or goto):
            raise UserError("The command says nothing.", 'Reply to a request with {"resume": ...}.')


def read_options(order: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a run, from the context or, for older clients, from the config."""
    options = order.get("context") or (order.get("config") or {}).get("configurable") or {}
    return {name: value for name, value in options.items() if name in _OPTIONS}


def read_place(order: dict[str, Any]) -> dict[str, Any]:
    """Return the checkpoint that a request names, in any form that clients use; empty for the newest.

    Raises:
        UserError: Its map is not an object.
    """
    id = ((order.get("config") or {}).get("configurable") or {}).get("checkpoint_id")
    ways = ({"checkpoint_id": id}, order.get("checkpoint") or {}, {"checkpoint_id": order.get("checkpoint_id")})
    place = {name: value for way in ways for name, value in way.items() if name in CHECKPOINT and value}
    if not isinstance(place.get("checkpoint_map", {}), dict):
        raise UserError("The checkpoint_map is not an object.", "Take a checkpoint from the thread's history as it is.")
    return place


def _check_options(order: dict[str, Any]) -> None:
    """Check the context, and the options in the config, where some clients have to put them."""
    if order["webhook"]:
        raise UserError("Webhooks are switched off: nobody would be told.", "Join the run, or ask how it stands.")
    context, config = order["context"] or {}, order["config"] or {}
    if unknown := [name for name in context if name not in _OPTIONS]:
        raise UserError(f"The context has no field {unknown[0]!r:.60}.", f"Its fields: {', '.join(_OPTIONS)}.")
    check_config(config)
    Context(**context)
    Context(**read_options({"config": config}))
