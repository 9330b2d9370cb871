"""A chat model with tool calls, made of one without: it is asked for JSON decisions and its replies are read."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from ana.errors import ModelFailed
from ana.models.call import RAW, REFUSED
from ana.models.json_mode import Decision, read_decision
from ana.models.json_mode.plain_history import DROPPED, plain_history
from ana.models.json_mode.tool_prompt import shown
from ana.models.tool_schema import Tools

MOST_REFUSED = 2
"""How many decisions in a row may be refused: the first, and the one that was to correct it."""

ENDED = ("finish_reason", "model_provider")
"""What tells whether a reply came to its end."""

_log = logging.getLogger(__name__)


class JsonDecisions(BaseChatModel):
    """Shows the tools in the prompt, and reads one decision out of each reply.

    What cannot be used comes back as an invalid tool call that says why, so the graph records it and lets the model
    correct it. The text is held back until it is known to be an answer: nobody is shown JSON while it streams.

    Args:
        inner: The model without tool calls.
        instruct: Makes the instructions from the list of tools.
    """

    inner: BaseChatModel
    instruct: Callable[[str], str]

    @property
    def _llm_type(self) -> str:
        return "json-decisions"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        chunk = self._decided(messages, stop, **kwargs)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**chunk.model_dump(exclude={"type"})))])

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=self._decided(messages, stop, **kwargs))

    def _decided(self, messages: list[BaseMessage], stop: list[str] | None, **kwargs: Any) -> AIMessageChunk:
        if refused_last(messages) >= MOST_REFUSED:
            raise ModelFailed(
                "The model sent no decision that can be used, nor when it was told why.",
                "Say it in other words, or choose another model.",
            )
        schemas = kwargs.pop("tools", [])
        plain = plain_history(messages, self.instruct(shown(schemas)))
        reply = AIMessageChunk(content="")
        # without the tag, a server that streams messages would send the JSON on
        for chunk in self.inner.stream(plain, config={"tags": ["nostream"]}, stop=stop, **kwargs):
            ended = {name: chunk.response_metadata[name] for name in ENDED if name in chunk.response_metadata}
            reply += AIMessageChunk(content=chunk.text, usage_metadata=chunk.usage_metadata, response_metadata=ended)
        return as_message(read_decision(reply.text, Tools(schemas)), reply)


def refused_last(messages: Sequence[BaseMessage]) -> int:
    """How many of the last replies, one behind another, held nothing but calls that were refused."""
    count = 0
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            if not message.invalid_tool_calls or message.tool_calls:
                break
            count += 1
        elif message.type != "tool":
            break
    return count


def as_message(decision: Decision, reply: AIMessageChunk) -> AIMessageChunk:
    """A decision as a model with native tool calls would have sent it."""
    if decision.dropped:
        _log.warning("%d further decisions of one reply were left out", decision.dropped)
    told = reply.response_metadata | ({DROPPED: decision.dropped} if decision.dropped else {})
    if decision.error and not reply.text.strip():
        return AIMessageChunk(content="", usage_metadata=reply.usage_metadata)
    if decision.error:
        _log.info("a decision was refused (%s): %s", decision.error, decision.why)
        call = tool_call_chunk(name=decision.tool or "", args=reply.text[:RAW], id="call-0", index=0)
        told[REFUSED] = decision.why
    elif decision.tool:
        import json

        call = tool_call_chunk(name=decision.tool, args=json.dumps(decision.args), id="call-0", index=0)
    else:
        return AIMessageChunk(
            content=decision.answer or "", usage_metadata=reply.usage_metadata, response_metadata=told
        )
    return AIMessageChunk(
        content="", tool_call_chunks=[call], usage_metadata=reply.usage_metadata, response_metadata=told
    )
