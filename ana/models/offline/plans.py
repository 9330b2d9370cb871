"""The reader's plans: generators that yield calls, are sent results and end with an answer; how it names items."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

Call = tuple[str, dict[str, Any]]
Plan = Generator[list[Call], list[dict[str, Any]], str]
Item = Mapping[str, Any]

HELP = (
    "I am a small rule-based reader: I keep what you tell me (“bike lock code is 4471”), find it (“bike lock?”, “due "
    "this week”), mark it as done, cancel, move or delete it, and calculate. `ana setup` brings a real model."
)
OFFER = "Shall I keep it as a task? Say yes."
UNDO = "“undo” takes it back."
NO_RING = "I cannot ring: it shows when I am opened then, and in `ana due`."


def say(text: str) -> Plan:
    """Answer without doing anything."""
    yield from ()
    return text


def do(tool: str, given: dict[str, Any], tell: Callable[[dict[str, Any]], str]) -> Plan:
    """Call a tool, and tell its result."""
    (done,) = yield [(tool, given)]
    return tell(done)


def refuse(why: str) -> Plan:
    """Answer that nothing was changed, and offer to keep what was said."""
    return say(f"I changed nothing: {why} {OFFER}")


def keep(calls: Sequence[Call]) -> Plan:
    """Create items, and say in a line what was kept."""
    made = yield list(calls)
    known = [each["existing"] for each in made if "id" not in each]
    kept = [item for item in made if "id" in item]
    rings = any(item["properties"].get("type") == "reminder" and "due_date" in item["properties"] for item in kept)
    told = [f"You have {name(item)} already; say it again for a copy." for item in known]
    told += [f"Kept {'; '.join(map(name, kept))}. {UNDO}"] if kept else []
    return " ".join([*told, *([NO_RING] if rings else [])])


def name(item: Item) -> str:
    """Return an item's words in one line, cut where they are long, and its day: Fri 27 Nov 14:30."""
    line, value = " ".join(item["content"].split()), str(item["properties"].get("due_date", ""))
    line = f"“{line[:160]}{'…' if len(line) > 160 else ''}”"
    if not re.match(r"\d{4}-\d\d-\d\d", value):
        return line
    day, at = date.fromisoformat(value[:10]), f" {value[11:16]}" if value[10:11] == "T" else ""
    return f"{line}, due {day:%a} {day.day} {day:%b}{at}"


def list_items(items: Iterable[Item]) -> str:
    """Return a line for each item."""
    closed = {"done": ", done", "cancelled": ", cancelled"}
    return "\n".join(f"- {name(item)}{closed.get(str(item['properties'].get('status')), '')}" for item in items)
