"""A conversation with native tool calls, told to a model that knows only text."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

DROPPED = "dropped"
"""Key under which a message says how many further decisions its reply held."""


def plain_history(messages: Sequence[BaseMessage], instructions: str) -> list[BaseMessage]:
    """The same conversation in system, user and assistant messages; the latter two take turns.

    Each call becomes a decision of its own with its result behind it, as the model itself would have made them.

    Args:
        messages: Every call answered right behind its message.
        instructions: How to decide; they stand at the end of the system message.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    told: list[BaseMessage] = []
    for message in messages:
        for plain in _told(message, answers):
            _append(told, plain)
    system = told.pop(0).text if told and isinstance(told[0], SystemMessage) else ""
    return [SystemMessage(f"{system}\n{instructions}".strip()), *told]


def _append(told: list[BaseMessage], message: BaseMessage) -> None:
    """Add a message; many chat templates refuse two of one side in a row."""
    if told and isinstance(message, HumanMessage | AIMessage) and told[-1].type == message.type:
        message = type(message)(f"{told.pop().text}\n\n{message.text}")
    told.append(message)


def _told(message: BaseMessage, answers: dict[str, ToolMessage]) -> Iterator[BaseMessage]:
    if isinstance(message, ToolMessage):
        return
    if not isinstance(message, AIMessage):
        yield message
    elif message.tool_calls or message.invalid_tool_calls:
        yield from _calls(message, answers)
    else:
        yield AIMessage(_json({"final": {"answer": message.text}}))


def _calls(message: AIMessage, answers: dict[str, ToolMessage]) -> Iterator[BaseMessage]:
    for call in message.tool_calls:
        yield AIMessage(_json({"tool": {"name": call["name"], "args": call["args"]}}))
        yield _answer(answers.get(str(call["id"])), message)
    for broken in message.invalid_tool_calls:
        yield AIMessage(broken["args"] or "{}")
        yield _answer(answers.get(str(broken["id"])), message)


def _answer(answer: ToolMessage | None, message: AIMessage) -> HumanMessage:
    if answer is None:
        return HumanMessage("[no result] The call was interrupted.")
    label = f"result of {answer.name}" if answer.status == "success" else "refused"
    dropped = message.additional_kwargs.get(DROPPED)
    only = f"\n[note] One decision a step: {dropped} more in that reply went unread." if dropped else ""
    return HumanMessage(f"[{label}] {answer.text}{only}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
