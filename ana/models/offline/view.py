"""The reader's view: the relevant parts of a conversation, calls with their next step, and the display of items."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.models.base import PROMPT_DATA, TYPED
from ana.models.fence import unfence
from ana.output import shorten
from ana.phrases import fold
from ana.time.dates import day_of, show_day
from ana.values import read_object

LONGEST = 500  # characters of a message that is read; a longer one is kept whole
_POLITE = re.compile(
    r"(?:(?:please|pls|hey|hi|ana|ok|okay|so|and|also|oh|well|just|then|sorry|i'd like (?:you )?to|you can"
    r"|(?:can|could|would|will) (?:you|u)|i (?:want|need) you to)\b\W+)*"
)


class View(NamedTuple):
    """The facts that the reader has: the message, its `wish` without polite words, the same folded in `low`; the
    message before it and all answers so far, after an empty one; and the results of tools in this turn."""

    text: str
    wish: str
    low: str
    asked: str
    told: list[str]
    now: datetime
    results: list[dict[str, Any]]


class Call(NamedTuple):
    """A call of a tool, and the next step after its result: the answer, or another call."""

    tool: str
    args: dict[str, Any]
    then: "Callable[[dict[str, Any]], Call | str]"


def read_messages(messages: Sequence[BaseMessage]) -> View | None:
    """Return the view of the messages; None if they contain no date: the system's may not be the person's."""
    data = next((m.additional_kwargs.get(PROMPT_DATA) for m in messages if isinstance(m, SystemMessage)), None)
    moment = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", data["now"]) if data else None
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if not data or not moment or not starts:
        return None
    asked, text = ["", *(str(messages[i].additional_kwargs.get(TYPED, messages[i].text)).strip() for i in starts)][-2:]
    calls = {c["id"]: (c["name"], c["args"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    results = [_read_result(m, calls) for m in messages[starts[-1] :] if isinstance(m, ToolMessage)]
    told = ["", *(m.text for m in messages[: starts[-1]] if isinstance(m, AIMessage))]
    wish, now = drop_politeness(text), datetime.fromisoformat(moment[0])
    return View(text, wish, fold(wish[:LONGEST]), asked, told, now, results)


def _read_result(message: ToolMessage, calls: Mapping[str | None, tuple[str, Any]]) -> dict[str, Any]:
    value = read_object(unfence(message.text)) or {"error": unfence(message.text)}
    why = message.artifact.get("why", []) if isinstance(message.artifact, dict) else []
    return {**value, "why": {each["id"]: each for each in why}, "of": calls.get(message.tool_call_id, ("", {}))}


def drop_politeness(text: str) -> str:
    """Return the text without polite words at its beginning."""
    polite = _POLITE.match(fold(text[:LONGEST]))
    return text[polite.end() if polite else 0 :]


def name(item: Mapping[str, Any]) -> str:
    """Return an item's text in one line, shortened if it is long, with its day: Fri 27 Nov 14:30."""
    due = str(item["properties"].get("due_date", "")).partition(" (")[0]
    when = f", due {show_day(day, day.year)} {due[11:16]}".rstrip() if (day := day_of(due)) else ""
    return f"“{shorten(item['content'], 160)}”{when}"


def list_items(items: Iterable[Mapping[str, Any]]) -> str:
    """Return a line for each item, with the number of further dates of a series that pass."""
    closed = {"done": ", done", "cancelled": ", cancelled"}
    told = ((name(i), closed.get(str(i["properties"].get("status")), ""), i.get("more_dates")) for i in items)
    return "\n".join(f"- {words}{end}{f', more dates: {more}' if more else ''}" for words, end, more in told)
