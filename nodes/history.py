"""The message list: kept short in the state, and always valid for a provider."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from graph.state import Correction
from prompts import render
from tools.artifacts import is_refused_copy, receipts_of

MOST_MESSAGES = 200
SHORT = 4000
"""Characters of a message that a model is sent when it has refused the whole."""
UNANSWERED = (
    '{"error": "This call was interrupted; whether it ran is not known.", "hint": "Look before you repeat it."}'
)


def turns(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    """The messages split where a user speaks."""
    parts: list[list[AnyMessage]] = []
    for message in messages:
        if isinstance(message, HumanMessage) or not parts:
            parts.append([])
        parts[-1].append(message)
    return parts


def this_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The last user message and what followed it."""
    return turns(messages)[-1] if messages else []


def last_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The turn before this one."""
    return turns(messages)[-2] if len(turns(messages)) > 1 else []


def refused_copies(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """The arguments of each create_item that was answered with an item that says the same already."""
    refused = {m.tool_call_id for m in messages if isinstance(m, ToolMessage) and is_refused_copy(m)}
    made = (call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
    return [call["args"] for call in made if call["id"] in refused]


def receipts(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """The receipts of every write, in order."""
    return [receipt for message in messages for receipt in receipts_of(message)]


def tokens(message: BaseMessage) -> int:
    """About how many tokens a message costs; four characters are one."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return 4 + (len(message.text) + sum(len(str(c["args"])) + len(c["name"]) for c in calls)) // 4


def trimmed(messages: Sequence[AnyMessage], budget: int) -> list[AnyMessage]:
    """The messages of old turns that must go where there are more than the budget allows; the newest turn stays.

    Then all goes but what fills half of it: a history that loses a turn each time would be new to a provider's prompt
    cache each time, and summarised each time.

    Args:
        messages: The thread's.
        budget: In tokens.
    """
    every = turns(messages)
    if _fits(every, budget, MOST_MESSAGES):
        return []
    first = next(
        n for n in range(len(every)) if n == len(every) - 1 or _fits(every[n:], budget // 2, MOST_MESSAGES // 2)
    )
    return [message for turn in every[:first] for message in turn]


def _fits(parts: Sequence[Sequence[AnyMessage]], budget: int, most: int) -> bool:
    return sum(map(len, parts)) <= most and sum(tokens(m) for part in parts for m in part) <= budget


def pending_calls(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """The last message, if it is a model's that calls tools."""
    last = messages[-1] if messages else None
    return last if isinstance(last, AIMessage) and (last.tool_calls or last.invalid_tool_calls) else None


def call_ids(message: BaseMessage) -> list[str]:
    """The ids of a message's tool calls, valid or not, in order."""
    if not isinstance(message, AIMessage):
        return []
    return [str(c["id"]) for c in (*message.tool_calls, *message.invalid_tool_calls)]


def repaired(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The list with every tool call answered right behind its message, and no answer without its call.

    A provider refuses a list that is not so, and with it the thread, for ever.
    """
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    result: list[AnyMessage] = []
    for message in messages:
        if not isinstance(message, ToolMessage):
            result.append(message)
        result += [answers.get(id) or _unanswered(id) for id in call_ids(message)]
    return result


def shortened(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """This turn alone, long messages cut in the middle: what is sent where a model reads less than was thought."""
    return [_cut(message) for message in this_turn(messages)]


def _cut(message: AnyMessage) -> AnyMessage:
    if len(message.text) <= SHORT:
        return message
    half = SHORT // 2
    text = f"{message.text[:half]}\n[... {len(message.text) - SHORT:,} characters left out ...]\n{message.text[-half:]}"
    return message.model_copy(update={"content": text})


def _unanswered(id: str) -> ToolMessage:
    return ToolMessage(UNANSWERED, tool_call_id=id, status="error")


def with_corrections(messages: Sequence[AnyMessage], corrections: Sequence[Correction]) -> Iterator[AnyMessage]:
    """The list with each draft that was sent back told behind the message it came after."""
    for message in messages:
        yield message
        for correction in corrections:
            if correction["after"] == message.id:
                yield HumanMessage(render("correction", reason=correction["reason"], draft=correction["draft"]))
