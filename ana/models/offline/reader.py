"""The reader as a chat model: it keeps, finds and asks back, by a short list of readings."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.models.base import COMPOSED, NOT_UNDERSTOOD, StreamingModel, to_chunk
from ana.models.offline import keeping, questions
from ana.models.offline.plans import FAILED, OFFER, Plan, read_messages
from ana.time.when import tell_doubts

READINGS = (  # what a message may be; the first that fits counts
    keeping.read_reply,  # yes; the second one
    keeping.read_paste,  # several lines
    keeping.read_talk,  # hello; never mind; undo; help; a shell command
    questions.read_sum,
    questions.read_clock,
    questions.read_done,  # what did I do today?
    questions.read_agenda,  # due; todo; tomorrow; what do I have this week?
    keeping.read_lead_in,  # remind me to ...; note: ...
    keeping.read_order,  # done, delete, move; no swimming this week; what it cannot change
    questions.read_question,
    keeping.read_about_person,  # I never ...; remember that I ...
    lambda view: keeping.keep_as("", view.text, view),  # all the rest is kept
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
        return _say(done.value + tell_doubts(view.text, view.now.date()))
    except (KeyError, ValueError):  # what is there are results of other calls: the model was changed while they waited
        return _say("Another model had begun this; what it may do is done as you decided.")


def _go_on(plan: Plan, results: list[dict[str, Any]], tools: frozenset[str]) -> AIMessage:
    calls, done = next(plan), 0  # nothing is kept between calls, so it runs again over the results so far
    while done < len(results):
        answered, done = results[done : done + len(calls)], done + len(calls)
        if why := next((str(result["error"]) for result in answered if "error" in result), ""):
            return _say("Not done: it needed your yes." if why.startswith("Refused") else f"{FAILED} {why}")
        calls = plan.send(answered)
    if missing := {name for name, _ in calls} - tools:
        return _say(f"I would need the tool {min(missing)} for that, and I do not have it.")
    given = [{"name": name, "args": args, "id": f"offline-{done + n}"} for n, (name, args) in enumerate(calls)]
    return AIMessage("", tool_calls=given)


def _say(text: str) -> AIMessage:
    fruitless = {NOT_UNDERSTOOD: True} if OFFER in text or text.startswith(FAILED) else {}
    return AIMessage(text, response_metadata={COMPOSED: True} | fruitless)
