"""One model call: streamed, complete, with errors translated to ana's."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models._compat_bridge import chunks_to_events
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, InvalidToolCall, ToolCall, ToolCallChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import RunnableConfig

from ana.errors import ModelFailed
from ana.json_lines import Quoted
from ana.models.base import REASONING, RETRACTED, ModelWrapper, bind_options, stream_chunks
from ana.models.faults import cut_off_error, provider_errors, translate_error
from ana.text import HINT, find_fault
from ana.translation import _, mark_text
from ana.values import fits, plain, plain_text

REFUSED = "refused"
"""Key in a reply's metadata under which ana's models say why its calls must not run."""
CUT_OFF = mark_text("(The answer was cut off at the model's limit; MAX_TOKENS in .env may raise it.)")

RAW = 2000
"""Most characters of unreadable arguments to keep."""

_log = logging.getLogger(__name__)


def complete(
    model: BaseChatModel,
    messages: Sequence[BaseMessage],
    id: str,
    tools: Sequence[Any] = (),
    on_text: Callable[[str | None], None] | None = None,
    options: Mapping[str, Any] | None = None,
    received: list[AIMessageChunk] | None = None,
) -> AIMessage:
    """Call the model once and return its whole reply.

    Args:
        id: The reply's id; its calls get ids from it and their position.
        on_text: Called with each piece of text as it comes, and with None if the text so far is not part of the
            answer. None: the reply is not shown in parts.
        options: Further options of the provider, such as its model.
        received: Filled with the chunks of the reply, so that they are available even if the call fails.

    Raises:
        ModelFailed: No usable reply; says what happened and what to do.
    """
    chunks = [] if received is None else received

    def receive(chunk: AIMessageChunk) -> None:
        chunks.append(chunk)
        if on_text and chunk.response_metadata.get(RETRACTED):
            on_text(None)
        if on_text and chunk.text:
            on_text(chunk.text)

    # the tag keeps langgraph from sending the chunks on to those who listen to messages
    config = RunnableConfig(tags=[] if on_text else ["nostream"])
    try:
        identified = IdentifiedModel(inner=model, id=id, receive=receive, streaming=on_text is not None)
        identified.invoke(list(messages), config, **bind_options(model, tools, **(options or {})))
        # what langchain made of the chunks is no use: it completes arguments that are cut short
        pieces = drop_retracted(chunks)
        whole = pieces[0] + pieces[1:]
    except ModelFailed:
        raise
    except provider_errors() as exc:
        error = translate_error(exc)
        _log.warning("a call of the model failed: %s %s", error.message, Quoted(error.quoted))
        raise error from exc
    return _require_end(_read_calls(whole))


class IdentifiedModel(ModelWrapper):
    """A model whose replies have ana's id in every chunk and in their calls.

    By the id clients know which chunks form one message, and which message of the state it becomes. Providers repeat
    their ids or omit them, and the key of a write is made from them.

    Args:
        receive: Called with every chunk.
        streaming: Whether chunks are reported to traces and listeners as they come.
    """

    id: str
    receive: Callable[[AIMessageChunk], None]
    streaming: bool

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        ids, chunk = _CallIds(self.id), None
        for chunk in stream_chunks(self.inner, messages, stop, **kwargs):
            identified = self._identify(chunk, ids)
            self.receive(identified)
            if visible := _hide_thought(identified):
                yield ChatGenerationChunk(message=visible)
        if chunk is None:
            raise ValueError("the model sent nothing")
        # otherwise langchain sends a last chunk under an id of its own
        yield ChatGenerationChunk(message=AIMessageChunk(content="", id=self.id, chunk_position="last"))

    def _stream_chat_model_events(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Stream by langchain's newer protocol, which would otherwise use its own ids."""
        return chunks_to_events(self._stream(*args, **kwargs))

    def _identify(self, chunk: AIMessageChunk, ids: "_CallIds") -> AIMessageChunk:
        content: Any = {"content": chunk.content, "additional_kwargs": chunk.additional_kwargs}
        fields: Any = plain(content)
        identified = AIMessageChunk(
            **fields,
            id=self.id,
            tool_call_chunks=[ids.identify(part) for part in chunk.tool_call_chunks],
            usage_metadata=chunk.usage_metadata,
            response_metadata=chunk.response_metadata,
        )
        for call in identified.tool_calls:  # langchain reads what is there of the arguments
            call["args"] = _encodable(call["args"])
        return identified


def _hide_thought(chunk: AIMessageChunk) -> AIMessageChunk | None:
    """Return a chunk for traces and listeners; None if it was only a thought."""
    if REASONING not in chunk.additional_kwargs:
        return chunk
    if not (chunk.text or chunk.tool_call_chunks or chunk.usage_metadata):
        return None
    more = {key: value for key, value in chunk.additional_kwargs.items() if key != REASONING}
    return chunk.model_copy(update={"additional_kwargs": more})


def drop_retracted(chunks: Sequence[AIMessageChunk]) -> Sequence[AIMessageChunk]:
    """Return the chunks of a reply without those that turned out to be a thought."""
    begun = [n for n, chunk in enumerate(chunks) if chunk.response_metadata.get(RETRACTED)]
    return chunks[begun[-1] :] if begun else chunks


def _encodable(args: Any) -> Any:
    """Return arguments that a server can encode, because it ends a run if it cannot encode a chunk."""
    try:
        return plain(args)
    except ValueError:
        return {}


class _CallIds:
    """The ids of a reply's calls, assigned as their parts arrive."""

    def __init__(self, id: str) -> None:
        self._id = id
        self._known: list[tuple[int | None, str | None]] = []
        """The provider's index and id of each call."""

    def identify(self, part: ToolCallChunk) -> ToolCallChunk:
        """Return the part with its call's id; a part without one continues the call with its index."""
        name, args = plain_text(part["name"] or ""), plain_text(part["args"] or "")
        id = self._find(part["index"], part["id"] or None)
        return tool_call_chunk(name=name or None, args=args, id=id, index=part["index"])

    def _find(self, index: int | None, its: str | None) -> str | None:
        for position, (known_index, known) in enumerate(self._known):
            if index is not None and index == known_index and (its is None or known in (None, its)):
                return its and f"{self._id}-{position}"
        self._known.append((index, its))
        return f"{self._id}-{len(self._known) - 1}"


def _require_end(message: AIMessage) -> AIMessage:
    """Return the message if it is complete; a message cut at the model's limit is marked.

    A stream that broke off looks like a complete one, except that it has no finish reason. Only models that are reached
    over a network have names, and no reason is expected from others.
    """
    why, provider = (message.response_metadata.get(name) for name in ("finish_reason", "model_provider"))
    if provider and not why and (message.text or message.tool_calls or message.invalid_tool_calls):
        raise cut_off_error()
    if why == "content_filter":
        raise ModelFailed("The model provider's filter stopped the answer.", "Say it in other words.")
    # half an answer is of use; half a call is not, and is invalid by now
    if why == "length" and message.text and not message.tool_calls:
        return message.model_copy(update={"content": f"{message.text.rstrip()} …\n\n{_(CUT_OFF)}"})
    return message


def _read_calls(whole: AIMessageChunk) -> AIMessage:
    """Return the message of a stream. A call with incomplete arguments is invalid, not repaired:
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
        additional_kwargs={REASONING: thought} if (thought := whole.additional_kwargs.get(REASONING)) else {},
        id=whole.id,
        tool_calls=calls,
        invalid_tool_calls=broken,
        usage_metadata=whole.usage_metadata,
        response_metadata=whole.response_metadata,
    )


def _read_arguments(raw: str) -> dict[str, Any]:
    """Return arguments that can be stored in a checkpoint."""
    value = json.loads(raw, parse_int=_read_integer, parse_constant=_refuse_constant)
    if not isinstance(value, dict):
        raise ValueError("it is not an object")
    plain(value)  # refuses what is nested too deep
    if fault := find_fault(value):
        raise ValueError(f"{fault} {HINT}".rstrip("."))
    return value


def _read_integer(digits: str) -> int:
    if len(digits) > 20 or not fits(int(digits)):
        raise ValueError(f"{digits[:20]} has more than 64 bits; write it as text")
    return int(digits)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
