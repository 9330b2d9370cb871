"""Find, resume and close a turn that has not ended."""

import json
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.types import Command, Interrupt, StateSnapshot

from app.outcome import Request
from nodes.history import answered_ids, pending_calls

NOT_APPROVED = "Not done: nobody approved it, and a new message came."
NOT_ANSWERED = "Not finished: nobody replied to what was asked, and a new message came."
NOT_RUN = {"error": "This call did not run: nobody approved it.", "hint": "Ask before you call it again."}


def find_unanswered(state: StateSnapshot) -> list[Interrupt]:
    """Return the requests that no reply is known for.

    A reply is checkpointed before the turn goes on, so a turn that a crash ends after it needs no second one.
    """
    return [asked for asked in state.interrupts if asked.id not in state.values.get("replies", {})]


def build_input(state: StateSnapshot, reply: dict[str, Any] | None = None) -> "Command[Any] | None":
    """Return the input that lets a turn go on: with a new reply, and with those that a crash kept from being used."""
    known = {
        asked.id: state.values["replies"][asked.id] for asked in state.interrupts if asked not in find_unanswered(state)
    }
    replies = known | (reply or {})
    return Command(resume=replies, update={"replies": replies}) if replies else None


def close(request: Request, messages: list[AnyMessage]) -> tuple[str, list[AnyMessage]]:
    """Return the sentence that ends a turn nobody replied to, and answers to the calls that are known not to have run.

    Those are the calls that were asked about. Whether another call of the same batch ran, or one of a node that asks in
    another way, is not known; nodes/history.py says so to the model.
    """
    if not request["action_requests"]:
        return NOT_ANSWERED, []
    message, answered = pending_calls(messages), answered_ids(messages)
    asked = [(action.get("name"), action.get("args")) for action in request["action_requests"]]
    unanswered = [call for call in message.tool_calls if call["id"] not in answered] if message else []
    calls = [call for call in unanswered if (call["name"], call["args"]) in asked]
    return NOT_APPROVED, [
        ToolMessage(
            json.dumps(NOT_RUN),
            name=call["name"],
            tool_call_id=str(call["id"]),
            id=f"{call['id']}-result",
            status="error",
        )
        for call in calls
    ]
