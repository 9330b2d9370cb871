"""What the reader takes from the messages it is sent: the question, the day, Global Context, results so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

_TODAY = re.compile(r"^## Now\n\w+ (\d{4}-\d\d-\d\d)", re.MULTILINE)
_LINE = re.compile(r"^(\d+)-- (.*)$", re.MULTILINE)
_CONTEXT = "## Global Context\nEach line"


class NoClock(Exception):
    """The prompt tells no date."""


@dataclass(frozen=True)
class Result:
    """A tool's answer in this turn."""

    tool: str
    args: dict[str, Any]
    value: dict[str, Any]


@dataclass(frozen=True)
class View:
    """All that the reader knows.

    Args:
        question: What the person said last.
        today: The person's day, from the prompt.
        lines: Global Context by number.
        results: What tools answered in this turn, in order.
        checked: Whether a draft of this turn was sent back.
    """

    question: str
    today: date
    lines: dict[int, str]
    results: list[Result]
    checked: bool


def read(messages: Sequence[BaseMessage]) -> View:
    """Look at the messages.

    Raises:
        NoClock: The prompt tells no date; the system's is not the person's.
    """
    system = next((m.text for m in messages if isinstance(m, SystemMessage)), "")
    start = max((i for i, m in enumerate(messages) if _is_question(m)), default=0)
    turn = messages[start:]
    day = _TODAY.search(system)
    if day is None:
        raise NoClock
    return View(
        question=turn[0].text if turn else "",
        today=date.fromisoformat(day[1]),
        lines={int(n): text for n, text in _LINE.findall(system.rpartition(_CONTEXT)[2])},
        results=_results(turn),
        checked=any(isinstance(m, HumanMessage) for m in turn[1:]),
    )


def _is_question(message: BaseMessage) -> bool:
    return isinstance(message, HumanMessage) and not message.text.startswith("[check]")


def _results(turn: Sequence[BaseMessage]) -> list[Result]:
    calls = {c["id"]: c for m in turn if isinstance(m, AIMessage) for c in m.tool_calls}
    answers = [m for m in turn if isinstance(m, ToolMessage) and m.tool_call_id in calls]
    return [Result(calls[m.tool_call_id]["name"], calls[m.tool_call_id]["args"], _json(m.text)) for m in answers]


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {"error": text}
    return value if isinstance(value, dict) else {"error": text}
