"""One model call: streamed, complete, and its errors translated to ours."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, InvalidToolCall, ToolCall
from langchain_core.runnables import Runnable

from ana.errors import ModelFailed
from ana.models.base import to_chunk
from ana.models.faults import UNREADABLE, cut_off_error, provider_errors, translate_error
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
        # the tag keeps a server from sending the raw chunks on; the draft is streamed under an id of ours
        for chunk in model.stream(list(messages), config={"tags": ["nostream"]}):
            if chunk.text:
                on_text(plain_text(chunk.text))
            whole = to_chunk(chunk) if whole is None else whole + to_chunk(chunk)
    except ModelFailed:
        raise
    except provider_errors() as exc:
        raise translate_error(exc) from exc
    if whole is None:
        raise ModelFailed("The model sent an empty reply.", UNREADABLE)
    return _require_end(_read_calls(whole))


def _require_end(message: AIMessage) -> AIMessage:
    """Return the message if it came to its end; one that was cut at the model's limit says so.

    A stream that broke off looks like one that ended, except that it names no reason. Only models that are reached
    over a network name themselves, and of others no reason is expected.

    Raises:
        ModelFailed: It broke off, or was stopped.
    """
    why, provider = (message.response_metadata.get(name) for name in ("finish_reason", "model_provider"))
    if provider and not why and (message.text or message.tool_calls or message.invalid_tool_calls):
        raise cut_off_error()
    if why == "content_filter":
        raise ModelFailed("The model provider's filter stopped the answer.", "Say it in other words.")
    # half an answer is of use; half a call is not, and is invalid by now
    if why == "length" and message.text and not message.tool_calls:
        return message.model_copy(update={"content": f"{message.text.rstrip()} …\n\n{CUT_OFF}"})
    return message


def _read_calls(whole: AIMessageChunk) -> AIMessage:
    """Return the message a stream adds up to. A call whose arguments did not arrive whole is invalid, not repaired:
    langchain parses partial JSON and would run it with the fields that happened to be complete."""
    calls: list[ToolCall] = []
    broken: list[InvalidToolCall] = []
    refused = whole.response_metadata.get(REFUSED)
    for chunk in whole.tool_call_chunks:
        name, raw, id = plain_text(chunk["name"] or ""), plain_text(chunk["args"] or ""), chunk["id"]
        try:
            if refused:
                raise ValueError(refused)
            calls.append(ToolCall(name=name, args=_read_arguments(raw or "{}"), id=id))
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


def _read_arguments(raw: str) -> dict[str, Any]:
    """Return arguments as they can be kept in a checkpoint.

    Raises:
        ValueError: They are not a JSON object, or hold what cannot be kept; the message says what.
        RecursionError: They are nested too deep to be read.
    """
    value = plain(json.loads(raw, parse_int=_read_integer, parse_constant=_refuse_constant))
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    return value


def _read_integer(digits: str) -> int:
    if len(digits) > 20 or not fits(int(digits)):
        raise ValueError(f"{digits[:20]} has more than 64 bits; write it as text")
    return int(digits)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
