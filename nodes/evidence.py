"""A turn as the policies see it, and their remarks about its draft."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ana.handles import Handles
from ana.values import read_object
from graph.state import State
from nodes.history import this_turn
from nodes.receipt import Call
from tools.artifacts import find_declined, find_existing, receipts_of

_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？\n])")
_QUOTE = re.compile(
    r"“[^”\n]{0,300}”|„[^“”\n]{0,300}[“”]|«[^»\n]{0,300}»|「[^」\n]{0,300}」|\"[^\"\n]{0,300}\"|^ {0,3}>.*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Evidence:
    """One turn, as the policies see it.

    Args:
        question: The person's message.
        draft: The assistant's draft answer.
        calls: The calls of this turn, in order.
        earlier: The conversation before this turn, as far as it is known, including tools' results.
        lines: Global Context as the prompt shows it.
        prompt: The prompt's time and calendar.
        now: The person's clock; None if the present time is unknown.
    """

    question: str
    draft: str
    calls: tuple[Call, ...] = ()
    earlier: tuple[str, ...] = ()
    lines: Mapping[int, str] = field(default_factory=dict)
    prompt: str = ""
    now: datetime | None = None

    @cached_property
    def own_words(self) -> str:
        """The draft without code and marks for bold type, and with blanks in place of quotations."""
        text = "\n".join(self.draft.split("```")[::2]).replace("**", "")
        return _QUOTE.sub(lambda match: " " * len(match[0]), text)

    @cached_property
    def statements(self) -> str:
        """Its own words without the sentences that are questions."""
        return "".join(part for part in _SENTENCE_END.split(self.own_words) if not part.rstrip().endswith(("?", "？")))

    @cached_property
    def letters(self) -> int:
        """The number of its letters; a Chinese or Japanese character counts as two."""
        return sum(2 if sign > "\u3000" else 1 for sign in self.statements if sign.isalpha())

    @property
    def today(self) -> date:
        """The person's day; the present one in UTC if the person's time is unknown."""
        return (self.now or datetime.now(UTC)).date()

    def results(self, tool: str) -> list[dict[str, Any]]:
        """Return the results of a tool's calls in this turn, in order, without errors."""
        return [read_object(call.text) for call in self.calls if call.ok and call.tool == tool]

    def texts(self) -> list[str]:
        """Return all texts on which a draft may rely: the message, results, Global Context, and the conversation."""
        return [self.question, *(call.exchange for call in self.calls), *self.lines.values(), *self.earlier]


@dataclass(frozen=True)
class Violation:
    """The policy that a draft breaks.

    Args:
        policy: The policy's name.
        reason: Tells the model the mistake and the honest ways out.
        fallback: Tells the person, if the model does not correct it.
    """

    policy: str
    reason: str
    fallback: str


def collect_evidence(state: State, handles: Handles) -> Evidence:
    """Return the turn as the policies see it."""
    messages = this_turn(state["messages"])
    earlier = [message.text for message in state["messages"][: len(state["messages"]) - len(messages)]]
    loaded = state.get("loaded")
    return Evidence(
        question=state["turn"]["question"],
        draft=state["draft"],
        calls=tuple(list_calls(messages)),
        earlier=(state.get("summary", ""), *earlier),
        lines=loaded["lines"] if loaded else {},
        prompt=loaded["now"] if loaded else "",
        now=handles.clock.now(),
    )


def list_calls(messages: Sequence[AnyMessage]) -> Iterator[Call]:
    """Yield the calls of a turn that were answered, without those that the person declined."""
    answers = {message.tool_call_id: message for message in messages if isinstance(message, ToolMessage)}
    for step, message in enumerate(messages):
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            answer = answers.get(str(call["id"]))
            if answer and find_declined(answer) is None:  # who declined a call need not be told that it did not run
                ok, receipts = answer.status == "success", tuple(receipts_of(answer))
                # an update is answered with what changed; what a draft says of the rest of the item holds as well
                whole = [receipt["after"] for receipt in receipts if receipt["op"] == "update"]
                text = f"{answer.text} {json.dumps(whole, ensure_ascii=False)}" if whole else answer.text
                yield Call(call["name"], call["args"], text, ok, step, receipts, find_existing(answer))
