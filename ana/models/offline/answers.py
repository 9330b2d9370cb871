"""What the reader does and says: the first call for an intent, and what follows from a tool's answer."""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from ana.models.offline.intents import Intent
from ana.models.offline.prompt import View

Call = tuple[str, dict[str, Any]]
Next = Call | str

HELP = (
    "I am a small rule-based reader and did not understand that: I can keep tasks, notes, ideas and reminders, find "
    "them, tell what is due, remember preferences, and calculate; OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_MODEL "
    "in .env brings a real model."
)
_STOP = frozenset(
    {"a", "an", "the", "my", "to", "for", "of", "with", "and", "on", "in", "at", "i", "it", "is", "that", "this"}
    | {"task", "note", "item", "reminder", "idea", "about", "please"}
)
_WORK = re.compile(r"\b(?:focus|deep|work|morning|evening|afternoon|meeting|concentrat)\w*", re.IGNORECASE)


def first(intent: Intent, view: View) -> Next:
    """The call an intent begins with, or the answer where it needs none."""
    data = intent.data
    begin: dict[str, Callable[[], Next]] = {
        "add": lambda: ("create_item", data),
        "learn": lambda: ("append_context", {"content": data["line"]}),
        "recall": lambda: _recalled(view),
        "forget": lambda: _forget(data["what"], view),
        "focus": lambda: ("query_items", {"where": {"status": "active"}, "limit": 50}),
        "find": lambda: ("query_items", data),
        "change": lambda: ("query_items", {"text": data["words"], "limit": 5} | _open_only(data)),
        "calculate": lambda: ("calculator", {"expression": data["expression"]}),
        "clock": lambda: ("now", {"timezone": data["timezone"]}),
        "talk": lambda: str(data["text"]),
    }
    return begin.get(intent.kind, lambda: HELP)()


def following(intent: Intent, view: View) -> Next:
    """What to do or say after the last tool answered."""
    last = view.results[-1]
    if "error" in last.value:
        return f"That did not work: {last.value['error']}"
    if intent.kind == "change" and last.tool == "query_items":
        return _chosen(intent.data, last.value["items"])
    return _TOLD[last.tool](last.value, intent, view)


def when(value: str) -> str:
    """A date property as people say it: Friday 27 November, 14:30."""
    day = date.fromisoformat(value[:10])
    return f"{day:%A} {day.day} {day:%B}" + (f", {value[11:16]}" if value[10:11] == "T" else "")


def line_of(item: dict[str, Any]) -> str:
    """An item in a list."""
    said = item["properties"]
    details = [f"due {when(said['due_date'])}"] if _dated(item) else []
    details += [f"{said['priority']} priority"] if "priority" in said else []
    return f"- {item['content']}" + (f" ({', '.join(details)})" if details else "")


def _open_only(data: dict[str, Any]) -> dict[str, Any]:
    done = data["properties"].get("status") == "done"
    return {"where": {"status": {"$ne": "done"}}} if done else {}


def _recalled(view: View) -> str:
    if not view.lines:
        return "Nothing yet. Tell me what you prefer, and I will keep it."
    return "This is what I know:\n" + "\n".join(f"- {text}" for text in view.lines.values())


def _forget(what: str, view: View) -> Next:
    fitting = {number: len(_words(what) & _words(text)) for number, text in view.lines.items()}
    most = max(fitting.values(), default=0)
    best = [number for number, shared in fitting.items() if shared == most and most > 0]
    if not best:
        return "I know nothing like that about you."
    if len(best) > 1:
        return "Which of these do you mean?\n" + "\n".join(f"- {view.lines[number]}" for number in best)
    return "delete_context", {"line": best[0]}


def _words(text: str) -> set[str]:
    """The words of a text that say something, roughly by their stems."""
    return {re.sub(r"(?:ies|es|s|ing|ed)$", "", w) for w in re.findall(r"\w+", text.lower()) if w not in _STOP}


def _chosen(data: dict[str, Any], items: list[dict[str, Any]]) -> Next:
    """Act on the one item that fits best; ask where two do, say so where none does."""
    shared = [(len(_words(data["words"]) & _words(item["content"])), item) for item in items]
    most = max((count for count, _ in shared), default=0)
    best = [item for count, item in shared if count == most and most > 0]
    if not best:
        return f'I found nothing that fits "{data["words"]}".'
    if len(best) > 1 or most * 2 <= len(_words(data["words"])):
        return "Which one do you mean?\n" + "\n".join(map(line_of, best))
    properties = _at_its_time(data["properties"], best[0])
    arguments = {"id": best[0]["id"]} | ({"properties": properties} if properties else {})
    return data["tool"], arguments


def _at_its_time(properties: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    """A new day without a time leaves the time that was set."""
    new, old = str(properties.get("due_date", "")), str(item["properties"].get("due_date", ""))
    keeps = _dated(item) and len(new) == 10 and old[10:11] == "T"
    return properties | {"due_date": new + old[10:16]} if keeps else properties


def _created(item: dict[str, Any], _: Intent, __: View) -> str:
    if "existing" in item:
        return f"You have that already:\n{line_of(item['existing'])}\nSay it once more, and I keep a second one."
    due = f", due {when(item['properties']['due_date'])}" if _dated(item) else ""
    ring = " I will show it when it is due; I cannot ring." if item["properties"].get("type") == "reminder" else ""
    return f"Saved: {item['content']}{due}.{ring}"


def _updated(item: dict[str, Any], intent: Intent, _: View) -> str:
    if intent.data["properties"].get("status") == "done":
        return f"Marked as done: {item['content']}."
    due = f", now due {when(item['properties']['due_date'])}" if _dated(item) else ""
    return f"Updated: {item['content']}{due}."


def _found(value: dict[str, Any], intent: Intent, view: View) -> str:
    items = value["items"]
    if intent.kind == "focus":
        return _focus(items, view)
    if not items:
        return "I found nothing." if "text" in intent.data else "Nothing."
    more = f"\n(the first {len(items)} of {value['total']})" if value["truncated"] and "text" not in intent.data else ""
    return "\n".join(map(line_of, items)) + more


def _focus(items: list[dict[str, Any]], view: View) -> str:
    if not items:
        return "Nothing is waiting for you."
    top, *rest = sorted(items, key=_urgency)
    reason = _reason(top, view.today)
    lines = [f"{top['content']}, because {reason}."]
    lines += ["Then:", *map(line_of, rest[:3])] if rest else []
    known = [text for text in view.lines.values() if _WORK.search(text)]
    return "\n".join(lines + ([f"What I know about you: {known[0]}."] if known else []))


def _urgency(item: dict[str, Any]) -> tuple[str, bool]:
    due = item["properties"].get("due_date", "") if _dated(item) else "9999"
    return due[:10], item["properties"].get("priority") != "high"


def _reason(item: dict[str, Any], today: date) -> str:
    if not _dated(item):
        return "it has high priority" if item["properties"].get("priority") == "high" else "it is open"
    day = date.fromisoformat(item["properties"]["due_date"][:10])
    if day < today:
        return f"it was due {when(item['properties']['due_date'])}"
    return "it is due today" if day == today else f"it is due {when(item['properties']['due_date'])}"


def _dated(item: dict[str, Any]) -> bool:
    return bool(re.match(r"\d{4}-\d\d-\d\d", str(item["properties"].get("due_date", ""))))


def _calculated(value: dict[str, Any], intent: Intent, _: View) -> str:
    return str(value["result"]) if intent.data.get("bare") else f"{intent.data['expression']} = {value['result']}"


def _clock(value: dict[str, Any], _: Intent, __: View) -> str:
    return f"It is {value['iso'][11:16]} on {value['weekday']} {value['iso'][:10]} ({value['timezone']})."


_TOLD: dict[str, Callable[[dict[str, Any], Intent, View], str]] = {
    "create_item": _created,
    "update_item": _updated,
    "delete_item": lambda value, _, __: f"Deleted: {value['deleted']['content']}.",
    "query_items": _found,
    "append_context": lambda value, _, __: f"I will remember: {value['content']}.",
    "replace_context": lambda value, _, __: f"I will remember: {value['content']}.",
    "delete_context": lambda value, _, __: f"Forgotten: {value['deleted']}.",
    "calculator": _calculated,
    "now": _clock,
}
