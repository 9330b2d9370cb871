"""A model that replies from a script, for tests and replay."""

from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from ana.errors import ModelFailed
from ana.models.base import StreamingModel, to_chunk

Reply = AIMessage | str | Callable[[list[BaseMessage]], AIMessage]


def calls(*named: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """Return a reply that calls tools, each as (name, arguments)."""
    return AIMessage(
        content=text,
        tool_calls=[{"name": name, "args": args, "id": f"call-{i}"} for i, (name, args) in enumerate(named)],
    )


class ScriptedModel(StreamingModel):
    """Replies in order, then fails; a reply is text, a message, or a function of the received messages."""

    replies: list[Any]
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    _next: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=to_chunk(self._reply(messages)))

    def _reply(self, messages: list[BaseMessage]) -> AIMessage:
        self.seen.append(list(messages))
        if self._next >= len(self.replies):
            raise ModelFailed("The script has no further reply.")
        reply = self.replies[self._next]
        self._next += 1
        if callable(reply):
            reply = reply(messages)
        return AIMessage(content=reply) if isinstance(reply, str) else reply
