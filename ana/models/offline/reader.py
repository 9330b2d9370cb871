"""The reader as a chat model: it keeps, finds and asks back, by a short list of readings."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import COMPOSED, NOT_UNDERSTOOD, StreamingModel, to_chunk
from ana.models.offline.figures import read_clock, read_sum
from ana.models.offline.keeping import keep_as, read_about_person, read_lead_in, read_paste, read_talk
from ana.models.offline.orders import read_order, read_reply
from ana.models.offline.plans import OFFER, Plan
from ana.models.offline.questions import read_agenda, read_question
from ana.models.offline.view import read_messages
from ana.time.when import tell_other_reading

READINGS = (  # what a message may be; the first that fits counts
    read_reply,  # yes; the second one
    read_paste,  # several lines
    read_talk,  # hello; never mind; undo; help; a shell command
    read_sum,
    read_clock,
    read_agenda,  # due; todo; tomorrow; what do I have this week?
    read_lead_in,  # remind me to ...; note: ...
    read_order,  # done, delete, move; what it cannot change
    read_question,
    read_about_person,  # I never ...; remember that I ...
    lambda view: keep_as("", view.text, view),  # all the rest is kept
)


class OfflineReader(StreamingModel):
    """Keeps what it is told, finds it again and asks back, without understanding. Keeps nothing between calls."""

    @property
    def _llm_type(self) -> str:
        return "offline"

    def _stream(self, messages: list[BaseMessage], *_: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        tools = frozenset(tool["function"]["name"] for tool in kwargs.get("tools", ()))
        yield ChatGenerationChunk(message=to_chunk(reply(messages, tools)))


def reply(messages: Sequence[BaseMessage], tools: frozenset[str]) -> AIMessage:
    """Return the next message, calls or the answer, of a model that may call these tools."""
    if (view := read_messages(messages)) is None:
        return _say("I was not told what day it is, so I cannot work.")
    try:
        return _go_on(next(plan for read in READINGS if (plan := read(view))), view.results, tools)
    except StopIteration as done:
        return _say(done.value + tell_other_reading(view.text, view.now.date()))


def _go_on(plan: Plan, results: list[dict[str, Any]], tools: frozenset[str]) -> AIMessage:
    """Return the next calls of a plan. Nothing is kept between calls, so it runs again over the results so far."""
    calls, done = next(plan), 0
    while done < len(results):
        answered, done = results[done : done + len(calls)], done + len(calls)
        if why := next((str(result["error"]) for result in answered if "error" in result), ""):
            return _say("Not done: it needed your yes." if why.startswith("Refused") else f"That did not work: {why}")
        calls = plan.send(answered)
    if missing := {name for name, _ in calls} - tools:
        return _say(f"I would need the tool {min(missing)} for that, and I do not have it.")
    given = [{"name": name, "args": args, "id": f"offline-{done + n}"} for n, (name, args) in enumerate(calls)]
    return AIMessage("", tool_calls=given)


def _say(text: str) -> AIMessage:
    return AIMessage(text, response_metadata={COMPOSED: True} | ({NOT_UNDERSTOOD: True} if OFFER in text else {}))
