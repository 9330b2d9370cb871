"""Items: which of several is meant, by the words they share; and how an answer names them."""

import re
from collections.abc import Hashable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

from tabulate import tabulate

from ana.models.offline.english import read_pairs, read_words

Thing = TypeVar("Thing", bound=Hashable)
Item = Mapping[str, Any]
_STOP = frozenset(read_words("stop"))
_PAST = read_pairs("past")
_SAME = _PAST | read_pairs("same")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|als?|ic|s|e|y)$")
_COLUMNS = {"due_date": "due", "priority": "priority", "project": "project", "context": "where", "status": "status"}
LONGEST = 160
_RANKS = {"urgent": 0, "high": 1, "low": 3}


def stems(text: str) -> frozenset[str]:
    """The words of a text that say something, roughly by stem."""
    # a hyphen or an apostrophe inside a word is part of it: check-up, don't
    words = re.findall(r"[^\W_][\w-]*(?:'\w+)?", text.replace("’", "'").lower())
    return frozenset(_stem(word) for word in words if not {word, re.sub(r"'s$", "", word)} & _STOP)


def _stem(word: str) -> str:
    word = _SAME.get(bare := re.sub(r"'s?$", "", word), bare)
    short = _ENDING.sub("", word)
    # a consonant that is doubled before the ending: plan, planned
    short = short[:-1] if short != word and len(short) > 3 and re.search(r"([bdgmnprt])\1$", short) else short
    return _SAME.get(short, _SAME.get(f"{short}e", short))


def may_be_past(word: str) -> bool:
    """Whether a word may tell a deed: emailed, paid."""
    return word.endswith("ed") or word in _PAST


def find_best(what: str, things: Mapping[Thing, str], share: float = 0.5) -> list[Thing]:
    """The things that have the most of the words, and more than this share; several where they have equally many."""
    wanted = stems(what)
    counts = {thing: len(wanted & stems(text)) for thing, text in things.items()}
    most = max(counts.values(), default=0)
    return [thing for thing, count in counts.items() if count == most > share * len(wanted)]


def describe(item: Item) -> str:
    """An item's content and the properties that people call it by."""
    said = (str(item["properties"].get(key, "")) for key in ("project", "context", "tags", "type"))
    return " ".join([item["content"], *said])


def due_day(item: Item) -> date | None:
    """The day an item is due; results carry its weekday after it."""
    match = re.match(r"\d{4}-\d\d-\d\d", str(item["properties"].get("due_date", "")))
    return date.fromisoformat(match[0]) if match else None


def rank_priority(item: Item) -> float:
    """The place of an item's priority: 1 is high, 2 is medium or unknown."""
    priority = item["properties"].get("priority")
    return priority if isinstance(priority, int | float) else _RANKS.get(str(priority).lower(), 2)


def format_due(item: Item) -> str:
    """An item's date as people say it: Friday 27 November, 14:30."""
    value, day = str(item["properties"].get("due_date", "")), due_day(item)
    return f"{day:%A} {day.day} {day:%B}" + (f", {value[11:16]}" if value[10:11] == "T" else "") if day else ""


def shorten(item: Item) -> str:
    """An item's content in an answer: one line, cut where it is long."""
    line = " ".join(item["content"].split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def format_item(item: Item) -> str:
    """An item in a line."""
    due, priority, status = format_due(item), item["properties"].get("priority"), item["properties"].get("status")
    level = f"{priority} priority" if isinstance(priority, str) else f"priority {priority}"
    notes = [due and f"due {due}", priority and level, "done" if status == "done" else ""]
    return f"- {shorten(item)}" + (f" ({', '.join(filter(None, notes))})" if any(notes) else "")


def format_items(items: Sequence[Item]) -> str:
    """One line for an item; a Markdown table for several that have properties to show."""
    table = {"what": [shorten(item) for item in items]}
    for key, name in _COLUMNS.items():
        cells = [format_due(item) if key == "due_date" else str(item["properties"].get(key, "")) for item in items]
        table |= {name: [cell if (key, cell) != ("status", "active") else "" for cell in cells]}
    table = {name: [cell.replace("|", "\\|") for cell in cells] for name, cells in table.items() if any(cells)}
    if len(items) < 2 or len(table) == 1:
        return "\n".join(map(format_item, items))
    return tabulate(table, headers="keys", tablefmt="github", disable_numparse=True)
