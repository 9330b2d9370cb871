"""The message list: kept short in the state, and always valid for a provider."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall

from ana.models.base import FROM_PROGRAM, NOT_UNDERSTOOD, TYPED
from ana.models.fence import FENCE, fence, make_mark
from graph.state import Turn
from nodes.receipt import hide_receipt, tell_recorded
from prompts import render
from tools.artifacts import Receipt, find_existing, receipts_of

FILL = 0.6
"""The share of what a thread may hold that is left when its oldest turns are dropped."""
FORM = 12
"""Tokens that a message takes besides in a conversation: the names of its fields, its id, a call's brackets."""
UNANSWERED = (
    '{"error": "This call was interrupted; whether it ran is not known.", "hint": "Look before you repeat it."}'
)


def split_turns(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    """Return the messages in turns; each begins where the user speaks."""
    parts: list[list[AnyMessage]] = []
    for message in messages:
        if isinstance(message, HumanMessage) or not parts:
            parts.append([])
        parts[-1].append(message)
    return parts


def this_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the last user message and everything that followed it."""
    # from the end: a long thread is asked for it many times in a turn
    begin = next((n for n in reversed(range(len(messages))) if isinstance(messages[n], HumanMessage)), 0)
    return [*messages[begin:]]


def is_answered(turn: Sequence[AnyMessage]) -> bool:
    """Return whether the messages of a turn contain its answer."""
    return any(isinstance(message, AIMessage) and not call_ids(message) for message in turn)


def find_previous_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the turn before this one."""
    turns = split_turns(messages)
    return turns[-2] if len(turns) > 1 else []


def list_refused_copies(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Return the arguments of each create_item that stored nothing, because another item says the same."""
    refused = {m.tool_call_id for m in messages if isinstance(m, ToolMessage) and find_existing(m) is not None}
    calls = (call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
    return [call["args"] for call in calls if call["id"] in refused]


def calculation_failed(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last calculation has no result."""
    results = [m.status for m in messages if isinstance(m, ToolMessage) and m.name == "calculator"]
    return results[-1:] == ["error"]


def understood(turn: Turn) -> bool:
    """Whether the model's last decision was about something that it understood."""
    return not any(decision.get(NOT_UNDERSTOOD) for decision in turn["decisions"][-1:])


def receipts(messages: Sequence[AnyMessage]) -> list[Receipt]:
    """Return the receipts of every write, in order."""
    return [receipt for message in messages for receipt in receipts_of(message)]


def estimate_tokens(message: BaseMessage) -> int:
    """Estimate the tokens of a message: four characters are one token."""
    # A real tokenizer belongs to one model, and loading it would download a file.
    size = len(message.content if isinstance(message.content, str) else message.text)  # `text` makes a string
    if isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls):
        calls = (*message.tool_calls, *message.invalid_tool_calls)
        size += sum(len(str(c["args"])) + len(str(c["name"])) for c in calls)
    return 4 + size // 4


def choose_dropped(messages: Sequence[AnyMessage], budget: int) -> list[AnyMessage]:
    """Return the messages of the oldest turns if there are more than the budget allows; the two newest turns stay.

    The remaining messages then fill at most FILL of the budget. If the history lost one turn each time, the provider's
    prompt cache could never be used, and a summary would be needed each time.

    Args:
        budget: In tokens.
    """
    turns = split_turns(messages)
    sizes = [*map(estimate_all, turns)]
    if sum(sizes) <= budget:
        return []
    last = max(len(turns) - 2, 0)
    first = next(n for n in range(len(turns)) if n == last or sum(sizes[n:]) <= budget * FILL)
    return [message for turn in turns[:first] for message in turn]


def estimate_all(messages: Sequence[AnyMessage]) -> int:
    """Estimate the size of messages in a conversation, in tokens."""
    return sum(FORM + estimate_tokens(message) for message in messages)


def find_pending(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """Return the last message that is not a tool's, if it has calls that are not answered yet."""
    last = next((message for message in reversed(messages) if not isinstance(message, ToolMessage)), None)
    return last if isinstance(last, AIMessage) and set(call_ids(last)) - list_answered_ids(messages) else None


def list_unanswered_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """Return the valid calls that are not answered yet."""
    message, answered = find_pending(messages), list_answered_ids(messages)
    return [call for call in message.tool_calls if call["id"] not in answered] if message else []


def list_answered_ids(messages: Sequence[AnyMessage]) -> set[str]:
    """Return the ids of the calls that have an answer."""
    return {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}


def call_ids(message: BaseMessage) -> list[str]:
    """Return the ids of a message's tool calls, valid or not, in order."""
    if not isinstance(message, AIMessage):
        return []
    return [str(c["id"]) for c in (*message.tool_calls, *message.invalid_tool_calls)]


def repair_messages(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the list as sent to a model: calls answered directly after their message, answers without receipts."""
    # A provider refuses any other list, and because the list is kept, it would refuse the thread permanently.
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    result: list[AnyMessage] = []
    for message in messages:
        if not isinstance(message, ToolMessage):
            result.append(hide_receipt(message))
        unknown = partial(ToolMessage, UNANSWERED, status="error")
        result += [answers.get(id) or unknown(tool_call_id=id) for id in call_ids(message)]
    return result


def cut_message(message: AnyMessage, longest: int) -> AnyMessage:
    """Return a message with its text, and the texts in its calls, cut to a number of characters."""
    cut = partial(cut_middle, longest=longest)
    update: dict[str, Any] = {"content": cut(message.text)}
    if isinstance(message, AIMessage):
        update |= {
            kind: [{**call, "args": map_texts(call["args"], cut)} for call in getattr(message, kind)]
            for kind in ("tool_calls", "invalid_tool_calls")
        }
    return message.model_copy(update=update)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value with each text in it changed, also in lists and objects."""
    if isinstance(value, dict):
        return {key: map_texts(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [map_texts(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


def cut_middle(text: str, longest: int) -> str:
    """Return a text cut in the middle to about this many characters, with a mark that says how much is left out."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[len(text) - half :]}"


def fence_results(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the messages with every result inside its fence, the form that a model is sent."""
    return [
        message.model_copy(update={"content": fence(message.text, message.additional_kwargs.get(FENCE))})
        if isinstance(message, ToolMessage)
        else message
        for message in messages
    ]


def insert_now(messages: Sequence[AnyMessage], now: str) -> list[AnyMessage]:
    """Return the messages with a text put before the text of the last user message.

    The text changes from turn to turn, and a provider caches a prompt only up to the first change. So the text is not
    in the system prompt, and is only sent, never kept.
    """
    question, *rest = this_turn(messages)
    more = {"content": f"{now}\n{question.text}", "additional_kwargs": {TYPED: question.text}}
    sent = question.model_copy(update=more)
    return [*messages[: len(messages) - len(rest) - 1], sent, *rest]


def insert_recorded(messages: Sequence[AnyMessage], thread: str) -> Iterator[AnyMessage]:
    """Yield the messages, and before each message of a person the program's record of the turn before.

    An answer may claim anything, so the record contains nothing that a model wrote. It is sent unchanged in every turn.

    Args:
        thread: The conversation's id, which no author of a stored text knows.
    """
    recorded = None
    for message in messages:
        if isinstance(message, HumanMessage) and recorded:
            typed = {TYPED: message.text} | message.additional_kwargs
            content = f"[recorded {make_mark(thread)}: {recorded}]\n{message.text}"
            message = message.model_copy(update={"content": content, "additional_kwargs": typed})
        if isinstance(message, AIMessage):
            recorded = tell_recorded(message)
        yield message


def insert_corrections(messages: Sequence[AnyMessage], turn: Turn) -> Iterator[AnyMessage]:
    """Yield the messages, with each draft that was sent back, and the reason, at its place in the turn.

    A correction is the program's word, with draft and reason in a fence: both may quote stored text.
    """
    for message in messages:
        yield message
        for correction in (each for each in turn["corrections"] if each["after"] == message.id):
            quoted = json.dumps({"error": correction["reason"], "draft": correction["draft"]}, ensure_ascii=False)
            text = render("correction", mark=make_mark(turn["id"]), correction=fence(quoted, None))
            yield HumanMessage(text, additional_kwargs={FROM_PROGRAM: True})  # no provider takes a system message here
