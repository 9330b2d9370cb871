"""Replies to the requests of a turn that waits, as clients send them and as the saver keeps them."""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any, TypeGuard

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from graph.state import merge_messages
from graph.updates import keep_usable
from nodes.requests import hold, read_message, read_request
from nodes.short_replies import read_short_reply
from nodes.turns import find_unanswered

_NO_TASK = "00000000-0000-0000-0000-000000000000"
"""Under this id langgraph keeps writes to the state that no node made."""

_REQUEST = re.compile("[0-9a-f]{32}")
"""The id of a request, as langgraph makes it."""


def names_requests(reply: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a reply names its requests by id, as {id: reply}, langgraph's own map."""
    return isinstance(reply, dict) and bool(reply) and all(_REQUEST.fullmatch(str(id)) for id in reply)


def bind_reply(command: "Command[Any]", waiting: Collection[str], *, is_visible: bool) -> "Command[Any]":
    """Return the input of a run, without replies to anything but the waiting requests; those without a reply are shown
    again.

    Args:
        waiting: The ids of the requests that wait.
        is_visible: Whether the person has seen the request: the reply names its checkpoint, or the server asked.
    """
    if not names_requests(command.resume):
        return command if is_visible else replace(command, resume={})
    # langgraph would give a reply that names the first question of a tool to its second one as well
    return replace(command, resume={id: reply for id, reply in command.resume.items() if id in waiting})


def bind_message(
    inputs: dict[str, Any], state: StateSnapshot, config: RunnableConfig
) -> "dict[str, Any] | Command[Any]":
    """Return the input of a run that brings a message: if a request waits, the message becomes a reply to it.

    A yes answers only a request that a run of the server has shown. A request from another door has not been shown
    here, so it is shown first.

    Args:
        state: The thread's newest state.
        config: The run's config; a run that goes on from an earlier checkpoint replies to nothing.
    """
    placed = config["configurable"].get("checkpoint_id")
    waiting, messages = find_unanswered(state), merge_messages([], inputs["messages"])[-1:]
    if not waiting or not messages or messages[0].type != "human" or placed not in (None, _place(state)):
        return inputs
    text, turn = messages[0].text, keep_usable(state.values).get("turn")
    request = turn.get("asked") if turn else None
    if read_short_reply(text) and not (state.metadata or {}).get("run_id"):
        return Command(resume={waiting[0].id: hold(text)} if request else {})
    reply = read_message(text, read_request(waiting[0]), request)
    return Command(resume={waiting[0].id: reply}) if reply else inputs


def _place(state: StateSnapshot) -> str:
    return str(state.config["configurable"].get("checkpoint_id"))


def save_reply(saver: Any, state: StateSnapshot, reply: dict[str, Any]) -> None:
    """Write a reply to the file before the turn goes on: langgraph writes it in the background, beside a call."""
    saver.put_writes(state.config, [("replies", reply)], _NO_TASK)


def mark_answered(saver: Any, state: StateSnapshot) -> None:
    """Allow pruning of the checkpoint of a request to which nobody will reply."""
    for task in state.tasks:
        if task.interrupts:
            saver.put_writes(state.config, [("__resume__", [])], task.id)


def was_stopped(saver: Any, state: StateSnapshot) -> bool:
    """Return whether a person stopped the run of a turn that looks as if it had been cut short."""
    run = (state.metadata or {}).get("run_id")
    return bool(run and saver.was_stopped(str(run)))
