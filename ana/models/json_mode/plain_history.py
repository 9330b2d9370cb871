"""A conversation with native tool calls, rewritten for a model that knows only text."""

import json
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage


def to_plain_history(messages: Sequence[BaseMessage], instructions: str) -> list[BaseMessage]:
    """Return the same conversation in system, user and assistant messages; the latter two take turns.

    Each call becomes a decision of its own, followed by its result, as the model itself would have made them.

    Args:
        messages: Every call answered right after its message.
        instructions: How to decide; they begin the system message.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    history: list[BaseMessage] = []
    for message in messages:
        for plain in _rewrite(message, answers):
            _append(history, plain)
    system = history.pop(0).text if history and isinstance(history[0], SystemMessage) else ""
    # the system prompt ends with what changes from turn to turn, and a cache holds a prompt only up to there
    return [SystemMessage(f"{instructions}\n{system}".strip()), *history]


def _append(history: list[BaseMessage], message: BaseMessage) -> None:
    """Add a message, joined to the last if that is of the same side: many chat templates refuse two in a row."""
    if history and isinstance(message, HumanMessage | AIMessage) and history[-1].type == message.type:
        message = type(message)(f"{history.pop().text}\n\n{message.text}")
    history.append(message)


def _rewrite(message: BaseMessage, answers: dict[str, ToolMessage]) -> Iterator[BaseMessage]:
    if isinstance(message, ToolMessage):
        return
    if not isinstance(message, AIMessage):
        yield message
        return
    for call in message.tool_calls:
        yield AIMessage(json.dumps({"tool": {"name": call["name"], "args": call["args"]}}, ensure_ascii=False))
        yield _rewrite_answer(answers.get(str(call["id"])))
    for broken in message.invalid_tool_calls:  # shown as it was sent, so that the reason makes sense
        yield AIMessage(broken["args"] or "{}")
        yield _rewrite_answer(answers.get(str(broken["id"])))
    if not (message.tool_calls or message.invalid_tool_calls):
        yield AIMessage(json.dumps({"final": {"answer": message.text}}, ensure_ascii=False))


def _rewrite_answer(answer: ToolMessage | None) -> HumanMessage:
    if answer is None:
        return HumanMessage("[no result] The call was interrupted.")
    label = f"result of {answer.name}" if answer.status == "success" else "refused"
    return HumanMessage(f"[{label}] {answer.text}")
