"""A model that replies from a script: for tests and replay."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr

from ana.errors import ModelFailed

Reply = AIMessage | str | Callable[[list[BaseMessage]], AIMessage]


def calls(*named: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """A reply that calls tools, each as (name, arguments)."""
    return AIMessage(
        content=text,
        tool_calls=[{"name": name, "args": args, "id": f"call-{i}"} for i, (name, args) in enumerate(named)],
    )


class ScriptedModel(BaseChatModel):
    """Replies in order, then fails; a reply may be text, a message, or a function of the messages it was sent.

    Args:
        replies: The script.
    """

    replies: list[Any]
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    _next: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        self.seen.append(list(messages))
        if self._next >= len(self.replies):
            raise ModelFailed("The script has no further reply.")
        reply = self.replies[self._next]
        self._next += 1
        if callable(reply):
            reply = reply(messages)
        return AIMessage(content=reply) if isinstance(reply, str) else reply

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=as_chunk(self._reply(messages)))


def as_chunk(message: AIMessage) -> AIMessageChunk:
    """A whole message as the single chunk of a stream."""
    import json

    return AIMessageChunk(
        content=message.content,
        tool_call_chunks=[
            tool_call_chunk(name=c["name"], args=json.dumps(c["args"]), id=c["id"], index=i)
            for i, c in enumerate(message.tool_calls)
        ],
        usage_metadata=message.usage_metadata,
    )
