"""Put together what the policies are shown of a turn."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ana.addresses import split_addresses
from ana.handles import Handles
from graph.state import State
from nodes.history import this_turn
from nodes.policies.evidence import Call, Evidence
from tools.artifacts import find_declined, find_existing, receipts_of
from tools.catalog import TOOLS, catalog


def collect_evidence(state: State, handles: Handles) -> Evidence:
    """Return the turn as the policies see it."""
    messages = this_turn(state["messages"])

    earlier = [message.text for message in state["messages"][: len(state["messages"]) - len(messages)]]
    loaded = state.get("loaded")
    return Evidence(
        question=state["turn"]["question"],
        draft=state["draft"],
        calls=tuple(list_calls(messages)),
        earlier=(state.get("summary", ""), *earlier),
        lines=loaded["lines"] if loaded else {},
        prompt=loaded["now"] if loaded else "",
        now=handles.clock.now(),
        refused=tuple(_list_refused(messages)),
        own_tools=len(catalog(handles.settings.tools_modules)) > len(TOOLS),
        rings=bool(split_addresses(handles.settings.ana_notify)),
    )


def list_declined(messages: Sequence[AnyMessage]) -> list[str]:
    """Return what each call would have done that the person declined, in words."""
    said = (find_declined(message) for message in messages)
    return [each for each in said if each is not None]


def _list_refused(messages: Sequence[AnyMessage]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of the calls that the person declined."""
    declined = {m.tool_call_id for m in messages if isinstance(m, ToolMessage) and find_declined(m) is not None}
    calls = (call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls)
    return (call["args"] for call in calls if call["id"] in declined)


def list_calls(messages: Sequence[AnyMessage]) -> Iterator[Call]:
    """Yield the calls of a turn that were answered, without those that the person declined."""
    answers = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    for step, message in enumerate(messages):
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            answer = answers.get(str(call["id"]))
            if answer and find_declined(answer) is None:  # who declined a call need not be told that it did not run
                ok, receipts = answer.status == "success", tuple(receipts_of(answer))
                # an update is answered with what changed; what a draft says of the rest of the item holds as well
                whole = [receipt["after"] for receipt in receipts if receipt["op"] == "update"]
                text = f"{answer.text} {json.dumps(whole, ensure_ascii=False)}" if whole else answer.text
                yield Call(call["name"], call["args"], text, ok, step, receipts, find_existing(answer))
