"""The reader's plans: generators that call tools, are sent the results, and end with an answer."""

from collections.abc import Generator, Iterable, Mapping
from typing import Any

from ana.memory.status import CLOSED
from ana.models.offline.items import due_day, find_best, format_due, format_item, rank_priority, shorten, stems
from ana.models.offline.view import View

Plan = Generator[tuple[str, dict[str, Any]], dict[str, Any], str]

CAN = (
    "I keep tasks and notes (“remind me to call Anna on Friday”, “note: the key is in the tin”), find them (“what's "
    "due this week?”), remember what you like, and calculate; `ana setup` brings a real model."
)
UNKNOWN = "I am a small rule-based reader of English and did not understand that"
HELP = f"{UNKNOWN}: {CAN}"
OPEN = {"status": {"$nin": list(CLOSED)}}
TO_DO = OPEN | {"$or": [{"status": {"$ne": None}}, {"due_date": {"$ne": None}}]}
"""What is open and to be done: notes and ideas that have neither a status nor a date are left out."""
DONE = {"status": "done"}
MOST = 50
_WHOLE_LINES = "I forget whole lines. Say it again with the words of one:"


def say(text: str) -> Plan:
    """Answer without doing anything."""
    yield from ()
    return text


class NotUnderstood(Exception):
    """The person was not understood; the message says so to them."""


def refuse(text: str) -> Plan:
    """Answer that the person was not understood."""
    yield from ()
    raise NotUnderstood(text)


def run_all(plans: Iterable[Plan]) -> Plan:
    """Run one plan after the other, and give their answers together."""
    answers = []
    for plan in plans:
        try:
            answers += [(yield from plan)]
        except NotUnderstood as exc:
            answers += [str(exc)]
    return "\n".join(dict.fromkeys(answers))


def add(content: str, properties: dict[str, Any]) -> Plan:
    item = yield "create_item", {"content": content, "properties": properties}
    if "existing" in item:  # nothing was stored, and the person decides
        again = "Say it once more in this conversation, and I keep a second one."
        return f"You have that already:\n{format_item(item['existing'])}\n{again}"
    due = f", due {format_due(item)}" if due_day(item) else ""
    is_timed = due and item["properties"].get("type") == "reminder"
    note = " I cannot ring: it shows when I am opened then, and in `ana due`." if is_timed else ""
    return f"Saved: {shorten(item)}{due}.{note}"


def learn(line: str, number: int | None = None) -> Plan:
    """Keep a line of Global Context, or rewrite the one with this number."""
    if number is None:
        done = yield "append_context", {"content": line}
        return f"I will remember: {done['content']}."
    done = yield "replace_context", {"content": line, "line": number}
    return f"I will remember: {done['content']} (no longer: {done['replaced']})."


def forget(what: str, lines: Mapping[int, str]) -> Plan:
    best = find_best(what, lines)
    if not best:
        return "I know nothing like that about you."
    # a line is forgotten as a whole, so most of it must have been named
    if len(best) > 1 or len(stems(lines[best[0]])) > 2 * len(stems(what) & stems(lines[best[0]])):
        return "\n".join([_WHOLE_LINES, *(f"- {lines[n]}" for n in best)])
    done = yield "delete_context", {"line": best[0]}
    return f"Forgotten: {done['deleted']}."


def undo() -> Plan:
    """Undo what the last turn of this conversation changed."""
    done = yield "undo", {}
    contents = [shorten(record) for change in done["changes"] for record in change.values()]
    return f"Taken back: {'; '.join(contents)}. “ana undo --turn {done['undo']}” brings it back."


def calculate(expression: str, is_bare: bool) -> Plan:
    done = yield "calculator", {"expression": expression}
    return str(done["result"]) if is_bare else f"{expression} = {done['result']}"


def tell_time(timezone: str) -> Plan:
    now = yield "now", {"timezone": timezone}
    return f"It is {now['iso'][11:16]} on {now['weekday']} {now['iso'][:10]} ({now['timezone']})."


def suggest_focus(view: View) -> Plan:
    """Name the most urgent item, and why."""
    found = yield "query_items", {"where": TO_DO, "limit": MOST}
    if not found["items"]:
        return "Nothing is waiting for you."
    top, *rest = sorted(found["items"], key=lambda item: (str(due_day(item) or "9999"), rank_priority(item)))
    day, why = due_day(top), "it has high priority" if rank_priority(top) <= 1 else "it is open"
    if day:
        why = f"it {'was' if day < view.today else 'is'} due {'today' if day == view.today else format_due(top)}"
    known = [view.lines[number] for number in find_best("focus work morning evening meeting", view.lines, 0)]
    answer = [f"{top['content']}, because {why}.", *["Then:"][: len(rest)], *map(format_item, rest[:3])]
    return "\n".join([*answer, *(f"What I know about you: {line}." for line in known[:1])])
