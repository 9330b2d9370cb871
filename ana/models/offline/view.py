"""What the reader takes from the messages it is sent: the question, the moment, Global Context, results so far."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

ASKING = "Which one do you mean?"
"""How the reader asks back; what is said next may answer that."""

WHOLE = 100
"""Characters of an item's content by which an answer names it."""

_NOW = re.compile(r"^## Now\n\w+ (\d{4}-\d\d-\d\d \d\d:\d\d)", re.MULTILINE)
_LINE = re.compile(r"^(\d+)-- (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class View:
    """All that the reader knows.

    Args:
        question: What the person said last.
        asked: What they had said before, if they were asked then which one they mean.
        now: The person's moment, from the prompt.
        it: The one item that the last answer named, if it was one.
        lines: Global Context by number, as it was when the turn began: plans are run again over the results so far.
        results: What tools answered in this turn, in order.
        checked: Whether a draft of this turn was sent back.
    """

    question: str
    asked: str | None
    now: datetime
    it: dict[str, Any] | None
    lines: dict[int, str]
    results: list[dict[str, Any]]
    checked: bool

    @property
    def today(self) -> date:
        return self.now.date()


def read(messages: Sequence[BaseMessage]) -> View | None:
    """Look at the messages; None where the prompt tells no date, for the system's is not the person's."""
    system = next((m.text for m in messages if isinstance(m, SystemMessage)), "")
    said = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and not m.text.startswith("[check]")]
    turn = messages[said[-1] :] if said else []
    if (moment := _NOW.search(system)) is None:
        return None
    results = [_json(m.text) for m in turn if isinstance(m, ToolMessage)]
    lines = {int(number): text for number, text in _LINE.findall(system.rpartition("## Global Context\nEach line")[2])}
    for result in reversed(results):
        if isinstance(number := result.get("line"), int):
            lines[number] = str(result.get("deleted") or result.get("replaced") or "")
    lines = {number: lines[number] for number in sorted(lines) if lines[number]}
    before, answer = messages[said[-2] : said[-1]] if len(said) > 1 else [], messages[said[-1] - 1].text if said else ""
    told = [_json(m.text) for m in before if isinstance(m, ToolMessage)]
    items = {item["id"]: item for result in told for item in result.get("items", [result]) if "id" in item}
    named = [item for item in items.values() if " ".join(item["content"].split())[:WHOLE] in answer]
    asks = bool(before) and answer.startswith(ASKING)
    asked, checked = messages[said[-2]].text if asks else None, any(isinstance(m, HumanMessage) for m in turn[1:])
    it = named[0] if len(named) == 1 else None
    return View(turn[0].text if turn else "", asked, datetime.fromisoformat(moment[1]), it, lines, results, checked)


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"error": text}
