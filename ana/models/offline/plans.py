"""What the reader goes by: what counts of a conversation, the words for it, and plans, which yield calls and answer."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.models.base import PROMPT_DATA, TYPED
from ana.models.fence import unfence
from ana.phrases import Phrases, fold
from ana.time.repeats import tell_unread
from ana.values import read_object

Plan = Generator[list[tuple[str, dict[str, Any]]], list[dict[str, Any]], str]
Item = Mapping[str, Any]
OFFER = "Shall I keep it as a task? Say yes."
FAILED = "That did not work:"
UNDO = "“undo” takes it back."
LONGEST = 500  # characters of a message that is read; a longer one is kept whole
LONG = " It is long: it is kept whole and can be found, and I read no day, question or order in it."
NO_RING = "I cannot ring: it shows when I am opened then, and in `ana due`."
_PHRASES = Phrases(Path(__file__).with_name("words.txt"))
pattern, words_of = _PHRASES.pattern, _PHRASES.words_of


class View(NamedTuple):
    """What the reader knows; `it` are items that the last answer may have named, `results` what tools answered now."""

    text: str
    asked: str
    answer: str
    now: datetime
    lines: Mapping[int, str]
    it: list[dict[str, Any]]
    results: list[dict[str, Any]]

    @property
    def is_long(self) -> bool:
        """Whether it is kept whole."""
        return len(self.text) > LONGEST

    @property
    def wish(self) -> str:
        """Return the text after its politeness."""
        polite = pattern(r"(?:<polite>\W+)*").match(fold(self.text))
        return self.text[polite.end() if polite else 0 :]

    @property
    def low(self) -> str:
        """Return what is read of the wish, folded: the same places hold the same letters."""
        return fold(self.wish[:LONGEST])


def read_messages(messages: Sequence[BaseMessage]) -> View | None:
    """Return what the messages hold; None where they tell no date, for the system's is not the person's."""
    data = next((m.additional_kwargs.get(PROMPT_DATA) for m in messages if isinstance(m, SystemMessage)), None)
    moment = pattern(r".*(\d{4}-\d\d-\d\d \d\d:\d\d)").match(data["now"]) if data else None
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if not data or not moment or not starts:
        return None  # of what was said, two turns are enough: a question back, and the reply
    turn, before = messages[starts[-1] :], messages[starts[-2] : starts[-1]] if len(starts) > 1 else []
    asked, text = ["", *(str(messages[i].additional_kwargs.get(TYPED, messages[i].text)).strip() for i in starts)][-2:]
    calls = {c["id"]: (c["name"], c["args"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    earlier, results = ([_read_result(m, calls) for m in each if isinstance(m, ToolMessage)] for each in (before, turn))
    it = [item for result in earlier for item in result.get("items", [result]) if "id" in item]
    answer = before[-1].text if before else ""
    return View(text, asked, answer, datetime.fromisoformat(moment[1]), data["lines"], it, results)


def _read_result(message: ToolMessage, calls: Mapping[str | None, tuple[str, Any]]) -> dict[str, Any]:
    value = read_object(unfence(message.text)) or {"error": unfence(message.text)}
    why = message.artifact.get("why", []) if isinstance(message.artifact, dict) else []
    return {**value, "why": {each["id"]: each for each in why}, "of": calls.get(message.tool_call_id, ("", {}))}


def say(text: str) -> Plan:
    """Answer without doing anything."""
    yield from ()
    return text


def do(tool: str, given: dict[str, Any], tell: Callable[[dict[str, Any]], str]) -> Plan:
    """Call a tool, and tell its result."""
    (done,) = yield [(tool, given)]
    return tell(done)


def keep(calls: Sequence[tuple[str, dict[str, Any]]], *, is_long: bool = False) -> Plan:
    """Create items, and say in a line what was kept, and of something long that it was not read."""
    made = yield list(calls)
    kept = [item for item in made if "id" in item]
    rings = [item.get("reminder", NO_RING) for item in kept if "remind" in item["properties"]]
    told = [f"You have {name(each['existing'])} already; say it again for a copy." for each in made if "id" not in each]
    unread = tell_unread(item["content"] for item in kept)
    told += [f"Kept {'; '.join(map(name, kept))}. {UNDO}{unread}{LONG * is_long}"] if kept else []
    return " ".join([*told, *(NO_RING if each.startswith("Nothing") else each for each in rings[:1])])


def name(item: Item) -> str:
    """Return an item's words in one line, cut where they are long, and its day: Fri 27 Nov 14:30."""
    line, value = " ".join(item["content"].split()), str(item["properties"].get("due_date", ""))
    line = f"“{line[:160]}{'…' if len(line) > 160 else ''}”"
    if not re.match(r"\d{4}-\d\d-\d\d", value):
        return line
    day, at = date.fromisoformat(value[:10]), f" {value[11:16]}" if value[10:11] == "T" else ""
    return f"{line}, due {day:%a} {day.day} {day:%b}{at}"


def list_items(items: Iterable[Item]) -> str:
    """Return a line for each item, with how many more dates of a series pass."""
    closed = {"done": ", done", "cancelled": ", cancelled"}
    told = ((name(i), closed.get(str(i["properties"].get("status")), ""), i.get("more_dates")) for i in items)
    return "\n".join(f"- {words}{end}{f', more dates: {more}' if more else ''}" for words, end, more in told)
