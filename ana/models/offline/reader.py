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

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=to_chunk(reply(messages)))


def reply(messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the next message, calls or the answer."""
    if (view := read_messages(messages)) is None:
        return _say("I was not told what day it is, so I cannot work.")
    try:
        return _go_on(next(plan for read in READINGS if (plan := read(view))), view.results)
    except StopIteration as done:
        return _say(done.value + tell_doubts(view.text, view.now.date()))


def _go_on(plan: Plan, results: list[dict[str, Any]]) -> AIMessage:
    calls, done = next(plan), 0  # nothing is kept between calls, so it runs again over the results so far
    while done < len(results):
        answered, done = results[done : done + len(calls)], done + len(calls)
        each = zip(calls, (result["of"] for result in answered), strict=False)
        # what a call writes a person may have edited
        if any(name != was or (name == "query_items" and args != asked) for (name, args), (was, asked) in each):
            return _say("Another model had begun this; what it may do is done as you decided.")
        if why := next((str(result["error"]) for result in answered if "error" in result), ""):
            return _say("Not done: it needed your yes." if why.startswith("Refused") else f"{FAILED} {why}")
        calls = plan.send(answered)
    given = [{"name": name, "args": args, "id": f"offline-{done + n}"} for n, (name, args) in enumerate(calls)]
    return AIMessage("", tool_calls=given)


def _say(text: str) -> AIMessage:
    fruitless = {NOT_UNDERSTOOD: True} if OFFER in text or text.startswith(FAILED) else {}
    return AIMessage(text, response_metadata={COMPOSED: True} | fruitless)
