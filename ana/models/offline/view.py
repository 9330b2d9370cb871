"""The part of a conversation that the reader goes by: the question, the moment, Global Context, results so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.models.base import PROMPT_DATA, TYPED
from ana.models.fence import unfence

ASKING = "Which one do you mean?"
"""The reader's question back; the next message may answer it."""

WHOLE = 100
"""Characters of an item's content by which an answer names it."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")


@dataclass(frozen=True)
class View:
    """All that the reader knows.

    Args:
        question: What the person said last.
        asked: What they had said before, if they were asked then which one they mean.
        now: The person's moment.
        it: The one item that the last answer named, if it was one.
        lines: Global Context by number, as it was when the turn began: plans are run again over the results so far.
        results: What tools answered in this turn, in order.
        answers: The earlier answers of the conversation.
    """

    question: str
    asked: str | None
    now: datetime
    it: dict[str, Any] | None
    lines: dict[int, str]
    results: list[dict[str, Any]]
    answers: list[str]

    @property
    def today(self) -> date:
        return self.now.date()


def read_messages(messages: Sequence[BaseMessage]) -> View | None:
    """Return what the messages hold for the reader; None where they tell no date, for the system's is not the person's.

    A draft that was sent back comes as a message of the program, not of the person.
    """
    data = next((m.additional_kwargs.get(PROMPT_DATA) for m in messages if isinstance(m, SystemMessage)), None)
    moment = _MOMENT.search(data["now"]) if data else None
    if not data or not moment:
        return None
    # the last two turns are enough: what was asked back, and the answer to it
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    turn = messages[starts[-1] :] if starts else []
    before = messages[starts[-2] : starts[-1]] if len(starts) > 1 else []
    answer = before[-1].text if before else ""
    results = _read_results(turn)
    return View(
        question=_read_question(turn[0]) if turn else "",
        asked=before[0].text if answer.startswith(ASKING) else None,
        now=datetime.fromisoformat(moment[0]),
        it=_find_named(answer, _read_results(before)),
        lines=_restore_lines(data["lines"], results),
        results=results,
        answers=[m.text for m in messages[: starts[-1] if starts else 0] if isinstance(m, AIMessage)],
    )


def _read_question(message: BaseMessage) -> str:
    return str(message.additional_kwargs.get(TYPED, message.text))


def _read_results(turn: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    return [_read_result(unfence(message.text)) for message in turn if isinstance(message, ToolMessage)]


def _read_result(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"error": text}


def _restore_lines(lines: dict[int, str], results: Sequence[dict[str, Any]]) -> dict[int, str]:
    """The lines as they were before the turn's calls changed them."""
    earlier = dict(lines)
    for result in reversed(results):
        if isinstance(number := result.get("line"), int):
            earlier[number] = str(result.get("deleted") or result.get("replaced") or "")
    return {number: earlier[number] for number in sorted(earlier) if earlier[number]}


def _find_named(answer: str, results: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The one item among the results that the answer names; None where it names none or several."""
    items = {item["id"]: item for result in results for item in result.get("items", [result]) if "id" in item}
    named = [item for item in items.values() if " ".join(item["content"].split())[:WHOLE] in answer]
    return named[0] if len(named) == 1 else None
