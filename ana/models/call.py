"""One model call: streamed, complete, and mapped to our errors."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, InvalidToolCall, ToolCall
from langchain_core.runnables import Runnable

from ana.errors import ModelFailed
from ana.models.faults import UNREADABLE, broken_off, foreign, told
from ana.values import fits, plain, plain_text

Bound: TypeAlias = Runnable[Any, AIMessage]

REFUSED = "refused"
"""Key in a reply's metadata under which our own models say why its calls must not run."""
CUT_OFF = "(The answer was cut off at the model's limit; MAX_TOKENS in .env may raise it.)"

RAW = 2000
"""How many characters of arguments that cannot be read are kept."""


def complete(model: Bound, messages: Sequence[BaseMessage], on_text: Callable[[str], None]) -> AIMessage:
    """Call the model once and return its whole reply.

    Args:
        model: A chat model, tools bound.
        messages: What it is to answer.
        on_text: Called with each piece of text as it comes.

    Raises:
        ModelFailed: No usable reply; says what happened and what to do.
    """
    whole: AIMessageChunk | None = None
    try:
        for chunk in model.stream(list(messages), config={"tags": ["nostream"]}):
            if chunk.text:
                on_text(plain_text(chunk.text))
            piece = chunk if isinstance(chunk, AIMessageChunk) else AIMessageChunk(**chunk.model_dump(exclude={"type"}))
            whole = piece if whole is None else whole + piece
    except ModelFailed:
        raise
    except foreign() as exc:
        raise told(exc) from exc
    if whole is None:
        raise ModelFailed("The model sent an empty reply.", UNREADABLE)
    return _ended(_strict(whole))


def _ended(message: AIMessage) -> AIMessage:
    """The message, if it came to its end; one that was cut at its limit says so.

    A stream that is cut looks like one that ended, but that nobody says why; only models that are reached over a wire
    name themselves.

    Raises:
        ModelFailed: It broke off, or was stopped.
    """
    why, provider = (message.response_metadata.get(name) for name in ("finish_reason", "model_provider"))
    if provider and not why and (message.text or message.tool_calls or message.invalid_tool_calls):
        raise broken_off()
    if why == "content_filter":
        raise ModelFailed("The model provider's filter stopped the answer.", "Say it in other words.")
    if why == "length" and message.text and not message.tool_calls:
        return message.model_copy(update={"content": f"{message.text.rstrip()} …\n\n{CUT_OFF}"})
    return message


def _strict(whole: AIMessageChunk) -> AIMessage:
    """The message a stream adds up to. A call whose arguments did not arrive whole is invalid, not repaired:
    langchain parses partial JSON and would run it with the fields that happened to be complete."""
    calls: list[ToolCall] = []
    broken: list[InvalidToolCall] = []
    refused = whole.response_metadata.get(REFUSED)
    for chunk in whole.tool_call_chunks:
        name, raw, id = plain_text(chunk["name"] or ""), plain_text(chunk["args"] or ""), chunk["id"]
        try:
            if refused:
                raise ValueError(refused)
            calls.append(ToolCall(name=name, args=_arguments(raw or "{}"), id=id))
        except (ValueError, RecursionError) as exc:
            error = refused or f"The arguments cannot be used as a complete JSON object: {exc}."
            broken.append(InvalidToolCall(type="invalid_tool_call", name=name, args=raw[:RAW], id=id, error=error))
    return AIMessage(
        content=plain_text(whole.text),
        tool_calls=calls,
        invalid_tool_calls=broken,
        usage_metadata=whole.usage_metadata,
        response_metadata=whole.response_metadata,
    )


def _arguments(raw: str) -> dict[str, Any]:
    """Arguments as they can be kept in a checkpoint.

    Raises:
        ValueError: They are no JSON object, or hold what cannot be kept; the message says what.
        RecursionError: They are nested too deep to be read.
    """
    value = plain(json.loads(raw, parse_int=_integer, parse_constant=_no_number))
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value


def _integer(digits: str) -> int:
    if len(digits) > 20 or not fits(int(digits)):
        raise ValueError(f"{digits[:20]} has more than 64 bits; write it as text")
    return int(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")
