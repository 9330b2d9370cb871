"""What the reader does: plans that call tools, are told the results, and end with an answer."""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ana.models.offline.items import Item, brief, day_of, described, fitting, line_of, listing, stems, when
from ana.models.offline.view import ASKING, View
from ana.time.when import Mention

Plan = Generator[tuple[str, dict[str, Any]], dict[str, Any], str]

CAN = (
    "I keep tasks and notes (“remind me to call Anna on Friday”, “note: the key is in the tin”), find them (“what's "
    "due this week?”), remember what you like, and calculate; OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_MODEL in "
    ".env brings a real model."
)
HELP = f"I am a small rule-based reader of English and did not understand that: {CAN}"
OPEN = {"status": {"$ne": "done"}}
DONE = {"status": "done"}
MOST = 50
NEAREST = 5
_KINDS = ("note", "idea", "reminder", "appointment")
_PLACES = {"first": 0, "1": 0, "1st": 0, "second": 1, "2": 1, "2nd": 1, "third": 2, "3": 2, "3rd": 2, "last": -1}


def say(text: str) -> Plan:
    """Answer without doing anything."""
    yield from ()
    return text


def several(plans: Iterable[Plan]) -> Plan:
    """One after the other."""
    answers = []
    for plan in plans:
        answers += [(yield from plan)]
    return "\n".join(dict.fromkeys(answers))


def add(content: str, properties: dict[str, Any]) -> Plan:
    item = yield "create_item", {"content": content, "properties": properties}
    if "existing" in item:
        again = "Say it once more in this conversation, and I keep a second one."
        return f"You have that already:\n{line_of(item['existing'])}\n{again}"
    due = f", due {when(item)}" if day_of(item) else ""
    rings = due and item["properties"].get("type") == "reminder"
    return f"Saved: {brief(item)}{due}." + (
        " I cannot ring: it shows when I am opened then, and in `ana due`." if rings else ""
    )


def learn(line: str, number: int | None = None) -> Plan:
    """Keep a line of Global Context, or rewrite the one with this number."""
    told = {"content": line} | ({} if number is None else {"line": number})
    done = yield "append_context" if number is None else "replace_context", told
    return f"I will remember: {done['content']}" + (f" (no longer: {done['replaced']})." if "replaced" in done else ".")


def forget(what: str, lines: Mapping[int, str]) -> Plan:
    best = fitting(what, lines)
    if len(best) != 1:
        return _asked(f"- {lines[number]}" for number in best) if best else "I know nothing like that about you."
    done = yield "delete_context", {"line": best[0]}
    return f"Forgotten: {done['deleted']}."


def take_back() -> Plan:
    """Undo what the last turn of this conversation changed."""
    done = yield "undo", {}
    contents = [brief(record) for change in done["changes"] for record in change.values()]
    return f"Taken back: {'; '.join(contents)}. “/undo {done['undo']}” brings it back."


def calculate(expression: str, bare: bool) -> Plan:
    done = yield "calculator", {"expression": expression}
    return str(done["result"]) if bare else f"{expression} = {done['result']}"


def clock(timezone: str) -> Plan:
    told = yield "now", {"timezone": timezone}
    return f"It is {told['iso'][11:16]} on {told['weekday']} {told['iso'][:10]} ({told['timezone']})."


@dataclass(frozen=True)
class Change:
    """How an item is to be changed.

    Args:
        given: What the tool is called with besides the id; None where an item without a date cannot be moved.
        tool: update_item or delete_item.
        where: What the item must be like.
        share: More than this share of the words must be the item's.
        otherwise: What is done where no item fits.
        days: The days that its name tells; it must lie on one of them.
        whole: Whether what joins two things must be named by both.
        by_day: Whether a day in its name is the item's; else it is when that was done.
    """

    given: Callable[[Item], dict[str, Any] | None]
    tool: str = "update_item"
    where: Mapping[str, Any] | None = None
    share: float = 0.99
    otherwise: Plan | None = None
    days: tuple[Mention, ...] = ()
    whole: bool = False
    by_day: bool = True

    def suits(self, item: Item, what: str) -> bool:
        """Whether an item may be meant: it is of the day that was told, and no more than what was told."""
        day, wanted = day_of(item), stems(what)
        is_other = bool(self.days) and not (day and any(m.first <= day <= m.last for m in self.days))
        if self.tool == "delete_item":
            is_other |= any(kind in what.lower().split() and kind != item["properties"].get("type") for kind in _KINDS)
        parts = [stems(part) for part in item["content"].split(" and ")] if self.whole else []
        return not (is_other or any(part and not part & wanted for part in parts))


def change(name: str, parts: list[str], how: Change, narrowed: str = "") -> Plan:
    """Change the one item that has the whole name; else those of its parts, one after the other."""
    if len(parts) > 1:
        found = yield "query_items", {"text": name, "limit": MOST}
        whole = fitting(name, {item["id"]: item["content"] for item in found["items"]}, 0.99)
        return (yield from several(_change(part, how, narrowed) for part in ([name] if len(whole) == 1 else parts)))
    return (yield from _change(name, how, narrowed))


def _change(what: str, how: Change, narrowed: str) -> Plan:
    """Change the one item that fits best; ask where several do, say so where none does."""
    found = yield "query_items", {"text": what, "limit": MOST} | ({"where": dict(how.where)} if how.where else {})
    items = {item["id"]: item for item in found["items"]}
    texts = {id: described(item) for id, item in items.items()}
    best = fitting(what, {id: item["content"] for id, item in items.items()}, how.share) or fitting(
        what, texts, how.share
    )
    whole = [id for id in best if stems(items[id]["content"]) == stems(what)]
    named = [id for id in best if items[id]["properties"].get("type", " ") in what.lower()]
    place = next((_PLACES[word] for word in narrowed.lower().split() if word in _PLACES), None)
    if narrowed and place is None:
        best = fitting(f"{what} {narrowed}", {id: texts[id] for id in best}, 0)
    best = [id for id in items if id in what.lower().split()] or whole or named or best
    best = best if place is None or place >= len(best) else [best[place]]
    best = [id for id in best if len(best) > 1 or id in what.lower().split() or how.suits(items[id], what)]
    if not best and how.otherwise:
        if near := fitting(what, {id: item["content"] for id, item in items.items()}):
            return _unsure(line_of(items[id]) for id in near)
        return (yield from how.otherwise)
    if len(best) != 1:
        state = "" if not how.where else " and is done" if how.where == DONE else " and is open"
        return _asked(line_of(items[id]) for id in best) if best else f'I found nothing that fits "{what}"{state}.'
    if (given := how.given(items[best[0]])) is None:
        return f"{items[best[0]]['content']} has no date yet. Say on which day."
    done = yield how.tool, {"id": best[0]} | given
    said = given.get("properties", {})
    verb = "Deleted" if "deleted" in done else "Marked as done" if said.get("status") == "done" else "Updated"
    return f"{verb}: {brief(done.get('deleted', done))}" + (f", now due {when(done)}." if "due_date" in said else ".")


def unless_kept(what: str, otherwise: Plan) -> Plan:
    """Something new, unless it may be meant for what is kept already."""
    found = yield "query_items", {"text": what, "limit": MOST}
    near = fitting(what, {item["id"]: item["content"] for item in found["items"]})
    if near:
        return _unsure(line_of(item) for item in found["items"] if item["id"] in near)
    return (yield from otherwise)


def find(text: str, words: str, where: Mapping[str, Any], *, own: bool, exact: bool, undated: bool) -> Plan:
    """Look something up.

    Args:
        text: The question, for its meaning.
        words: Its words that say what is looked for; empty for all that pass the filter.
        where: The filter.
        own: Whether what is nearest by meaning may be shown when no word fits.
        exact: Whether only items that have every word are meant.
        undated: Whether only items without a date are meant.
    """
    meaning = text if words else "without a date" if undated else None
    given = ({"where": where} if where else {}) | ({"text": meaning} if meaning else {})
    found = yield "query_items", given | {"limit": MOST}
    items = {item["id"]: item for item in found["items"] if not (undated and day_of(item))}
    total = len(items) if undated else found["total"]
    if words:
        texts = {id: described(item) for id, item in items.items()}
        every = [id for id in texts if stems(words) <= stems(texts[id])]
        best = every if exact else fitting(words, texts, 0.3)[:NEAREST]
        if not best and where.get("type") in ("task", "reminder", "appointment"):
            wider = {key: value for key, value in where.items() if key != "type"}
            return (yield from find(text, words, wider, own=own, exact=exact, undated=undated))
        if not best:
            near = (
                f" Nearest in meaning:\n{listing([*items.values()][:NEAREST])}" if items and own and not exact else ""
            )
            return f"I found nothing with the words {words!r}.{near or ('' if own else f' {HELP}')}"
        items, total = {id: items[id] for id in best}, len(best)
    more = f"\n(the first {len(items)} of {total})" if total > len(items) else ""
    count = f"{total}:\n" if text.lower().startswith("how many") and items else ""
    return count + listing([*items.values()]) + more if items else "Nothing."


def focus(view: View) -> Plan:
    """What is most urgent, and why."""
    found = yield "query_items", {"where": {"status": "active"}, "limit": MOST}
    if not found["items"]:
        return "Nothing is waiting for you."
    top, *rest = sorted(
        found["items"], key=lambda i: (str(day_of(i) or "9999"), i["properties"].get("priority") != "high")
    )
    day, why = day_of(top), "it has high priority" if top["properties"].get("priority") == "high" else "it is open"
    if day:
        why = f"it {'was' if day < view.today else 'is'} due {'today' if day == view.today else when(top)}"
    known = [
        f"What I know about you: {view.lines[n]}." for n in fitting("focus work morning evening meeting", view.lines, 0)
    ]
    return "\n".join(
        [f"{top['content']}, because {why}.", *["Then:"][: len(rest)], *map(line_of, rest[:3]), *known[:1]]
    )


def _asked(lines: Iterable[str]) -> str:
    return "\n".join([ASKING, *lines])


def _unsure(lines: Iterable[str]) -> str:
    return "\n".join(["I am not sure whether you mean this or something new. Say “add a task: …” or “move …”:", *lines])
