"""The reader as a chat model."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from ana.models.offline.rules import understood
from ana.models.offline.view import read
from ana.models.scripted import as_chunk


class OfflineReader(BaseChatModel):
    """Reads everyday English by rules and answers with real tool calls. Keeps nothing between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=reply(messages, _names(kwargs.get("tools", ()))))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=as_chunk(reply(messages, _names(kwargs.get("tools", ())))))


def reply(messages: Sequence[BaseMessage], tools: frozenset[str]) -> AIMessage:
    """The next message: a tool call, or the answer.

    Args:
        messages: The system prompt, the conversation, this turn.
        tools: The names of the tools that may be called.
    """
    if (view := read(messages)) is None:
        return AIMessage("I was not told what day it is, so I cannot work.")
    if view.checked:
        return AIMessage("I could not do that reliably. Please say it in other words.")
    plan = understood(view)
    try:
        name, arguments = next(plan)
        for result in view.results:
            if "error" in result:
                return AIMessage(f"That did not work: {result['error']}")
            name, arguments = plan.send(result)
    except StopIteration as done:
        return AIMessage(done.value)
    if name not in tools:
        return AIMessage(f"I would need the tool {name} for that, and I do not have it.")
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"offline-{len(view.results)}"}])


def _names(tools: Sequence[Any]) -> frozenset[str]:
    return frozenset(t["function"]["name"] if isinstance(t, dict) else t.name for t in tools)
