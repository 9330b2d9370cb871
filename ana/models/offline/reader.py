"""The reader as a chat model: it keeps, finds and asks back, by a short list of readings."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import COMPOSED, NOT_UNDERSTOOD, StreamingModel, to_chunk
from ana.models.offline.readings import FAILED, READINGS, UNCHANGED
from ana.models.offline.view import read_messages
from ana.time.when import tell_doubts


class OfflineReader(StreamingModel):
    """Stores statements, finds them again and asks back, without understanding. It has no state between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=to_chunk(reply(messages)))


def reply(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the next message, a call or the answer."""
    if (view := read_messages(messages)) is None:
        return _say("I was not told what day it is, so I cannot work.")
    step = next(step for read in READINGS if (step := read(view)))
    for result in view.results:  # nothing is kept between calls, so it goes through the results so far
        tool, args = result["of"]
        # what a call writes a person may have edited
        if isinstance(step, str) or step.tool != tool or (tool == "query_items" and step.args != args):
            return _say("Another model had begun this; what it may do is done as you decided.")
        if why := str(result.get("error", "")):
            return _say("Not done: it needed your yes." if why.startswith("Refused") else f"{FAILED} {why}")
        step = step.then(result)
    if isinstance(step, str):
        return _say(step + tell_doubts(view.text, view.now.date()))
    call = {"name": step.tool, "args": step.args, "id": f"offline-{len(view.results)}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def _say(text: str) -> AIMessage:
    fruitless = {NOT_UNDERSTOOD: True} if text.startswith((UNCHANGED, FAILED)) else {}
    return AIMessage(text, response_metadata={COMPOSED: True} | fruitless)
