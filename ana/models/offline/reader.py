"""The reader as a chat model."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from ana.models.offline.answers import first, following
from ana.models.offline.intents import understand
from ana.models.offline.prompt import NoClock, read
from ana.models.scripted import as_chunk

MOST_CALLS = 3


class OfflineReader(BaseChatModel):
    """Reads everyday English by rules and answers with real tool calls. Keeps nothing between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        message = reply(messages, _names(kwargs.get("tools", ())))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=as_chunk(reply(messages, _names(kwargs.get("tools", ())))))


def reply(messages: Sequence[BaseMessage], tools: frozenset[str]) -> AIMessage:
    """The next message: a tool call, or the answer.

    Args:
        messages: The system prompt, the conversation, this turn.
        tools: The names of the tools that may be called.
    """
    try:
        view = read(messages)
    except NoClock:
        return AIMessage(content="I was not told what day it is, so I cannot work.")
    if view.checked or len(view.results) > MOST_CALLS:
        return AIMessage(content="I could not do that reliably. Please say it in other words.")
    intent = understand(view)
    said = following(intent, view) if view.results else first(intent, view)
    if isinstance(said, str):
        return AIMessage(content=said)
    name, arguments = said
    if name not in tools:
        return AIMessage(content=f"I would need the tool {name} for that, and I do not have it.")
    return AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": f"offline-{len(view.results)}"}])


def _names(tools: Sequence[Any]) -> frozenset[str]:
    return frozenset(t["function"]["name"] if isinstance(t, dict) else t.name for t in tools)
