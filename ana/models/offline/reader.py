"""The reader as a chat model."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from ana.models.offline.plans import Plan
from ana.models.offline.prompt import NoClock, read
from ana.models.offline.rules import understood
from ana.models.scripted import as_chunk


class OfflineReader(BaseChatModel):
    """Reads everyday English by rules and answers with real tool calls. Keeps nothing between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> ChatResult:
        message = reply(messages, _names(kwargs.get("tools", ())))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
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
        return AIMessage("I was not told what day it is, so I cannot work.")
    if view.checked:
        return AIMessage("I could not do that reliably. Please say it in other words.")
    try:
        name, arguments = _next(understood(view), view.results)
    except StopIteration as done:
        return AIMessage(done.value)
    if name not in tools:
        return AIMessage(f"I would need the tool {name} for that, and I do not have it.")
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"offline-{len(view.results)}"}])


def _next(plan: Plan, results: Sequence[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The plan's next call, once the results of those before are told to it.

    Raises:
        StopIteration: There is none; its value is the answer.
    """
    call = next(plan)
    for result in results:
        if "error" in result:
            raise StopIteration(f"That did not work: {result['error']}")
        call = plan.send(result)
    return call


def _names(tools: Sequence[Any]) -> frozenset[str]:
    return frozenset(t["function"]["name"] if isinstance(t, dict) else t.name for t in tools)
