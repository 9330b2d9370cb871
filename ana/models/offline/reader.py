"""The reader as a chat model."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import COMPOSED, NOT_UNDERSTOOD, StreamingModel, to_chunk
from ana.models.offline.plans import HELP, UNKNOWN, NotUnderstood
from ana.models.offline.rules import plan_turn
from ana.models.offline.view import read_messages


class OfflineReader(StreamingModel):
    """Reads everyday English by rules and answers with real tool calls. Keeps nothing between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _stream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        tools = frozenset(tool["function"]["name"] for tool in kwargs.get("tools", ()))
        yield ChatGenerationChunk(message=to_chunk(reply(messages, tools)))


def reply(messages: Sequence[BaseMessage], tools: frozenset[str]) -> AIMessage:
    """The next message: a tool call, or the answer.

    Args:
        messages: The system prompt, the conversation, this turn.
        tools: The names of the tools that may be called.
    """
    if (view := read_messages(messages)) is None:
        return _say("I was not told what day it is, so I cannot work.")
    # nothing is kept between calls: the plan runs again from its beginning, over the results so far
    plan, is_explained = plan_turn(view), any(HELP in answer for answer in view.answers)
    try:
        name, arguments = next(plan)
        for result in view.results:
            if "error" in result:
                if result["error"].startswith("Refused"):
                    return _say("Not done: it needed your yes.")
                return _say(f"That did not work: {result['error']}")
            name, arguments = plan.send(result)
    except NotUnderstood as exc:
        # once in a conversation is enough
        return _refuse(str(exc).replace(HELP, f"{UNKNOWN}.") if is_explained else str(exc))
    except StopIteration as done:
        return _say(done.value)
    if name not in tools:
        return _say(f"I would need the tool {name} for that, and I do not have it.")
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"offline-{len(view.results)}"}])


def _say(text: str) -> AIMessage:
    return AIMessage(text, response_metadata={COMPOSED: True})


def _refuse(text: str) -> AIMessage:
    return AIMessage(text, response_metadata={COMPOSED: True, NOT_UNDERSTOOD: True})
