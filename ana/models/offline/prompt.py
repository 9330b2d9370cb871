"""What the reader takes from the messages it is sent: the question, the moment, Global Context, results so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

ASKING = "Which one do you mean?"
"""How the reader asks back; what is said next may answer that."""

_NOW = re.compile(r"^## Now\n\w+ (\d{4}-\d\d-\d\d \d\d:\d\d)", re.MULTILINE)
_LINE = re.compile(r"^(\d+)-- (.*)$", re.MULTILINE)
_CONTEXT = "## Global Context\nEach line"


class NoClock(Exception):
    """The prompt tells no date."""


@dataclass(frozen=True)
class View:
    """All that the reader knows.

    Args:
        question: What the person said last.
        asked: What they had said before, if they were asked then which one they mean.
        now: The person's moment, from the prompt.
        lines: Global Context by number, as it was when the turn began: plans are run again over the results so far.
        results: What tools answered in this turn, in order.
        checked: Whether a draft of this turn was sent back.
    """

    question: str
    asked: str | None
    now: datetime
    lines: dict[int, str]
    results: list[dict[str, Any]]
    checked: bool

    @property
    def today(self) -> date:
        return self.now.date()


def read(messages: Sequence[BaseMessage]) -> View:
    """Look at the messages.

    Raises:
        NoClock: The prompt tells no date; the system's is not the person's.
    """
    system = next((m.text for m in messages if isinstance(m, SystemMessage)), "")
    questions = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and not m.text.startswith("[check]")]
    turn = messages[questions[-1] :] if questions else []
    moment = _NOW.search(system)
    if moment is None:
        raise NoClock
    results = [_json(m.text) for m in turn if isinstance(m, ToolMessage)]
    lines = {int(n): text for n, text in _LINE.findall(system.rpartition(_CONTEXT)[2])}
    return View(
        question=turn[0].text if turn else "",
        asked=_asked(messages, questions),
        now=datetime.fromisoformat(moment[1]),
        lines=_at_first(lines, results),
        results=results,
        checked=any(isinstance(m, HumanMessage) for m in turn[1:]),
    )


def _at_first(lines: dict[int, str], results: Sequence[dict[str, Any]]) -> dict[int, str]:
    """Global Context without what this turn did to it."""
    for result in reversed(results):
        if isinstance(number := result.get("line"), int):
            lines[number] = str(result.get("deleted") or result.get("replaced") or "")
    return {number: lines[number] for number in sorted(lines) if lines[number]}


def _asked(messages: Sequence[BaseMessage], questions: list[int]) -> str | None:
    if len(questions) < 2:
        return None
    before, now = questions[-2:]
    answer = messages[now - 1]
    is_asking = isinstance(answer, AIMessage) and answer.text.startswith(ASKING)
    return messages[before].text if is_asking else None


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {"error": text}
    return value if isinstance(value, dict) else {"error": text}
