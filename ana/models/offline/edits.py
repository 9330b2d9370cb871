"""Plans that change the one item that is meant."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ana.models.offline.english import PATTERNS
from ana.models.offline.items import Item, describe, due_day, find_best, format_due, format_item, shorten, stems
from ana.models.offline.plans import DONE, MOST, OPEN, Plan, run_all
from ana.models.offline.view import ASKING
from ana.time.when import Mention

_KINDS = ("note", "idea", "reminder", "appointment")
_PLACES = {"first": "1", "second": "2", "third": "3", "last": "0"}
_WHOLE = f"{ASKING} You named a part of this, and “the first” means all of it:"
_AGAIN = "That fits several or none of them. Say the whole order again, with the words of one."
_STATES: dict[str, dict[str, Any]] = {"": {}, "open": {"where": OPEN}, "done": {"where": DONE}}


@dataclass(frozen=True)
class Edit:
    """How an item is to be changed.

    Args:
        given: The tool's arguments besides the id; None where an item without a date cannot be moved.
        tool: update_item or delete_item.
        state: What the item must be.
        share: More than this share of the words must be the item's.
        otherwise: The plan where no item fits.
        days: The days that its name tells; it must lie on one of them.
        by_day: Whether a day in its name is the item's; else it is when that was done.
    """

    given: Callable[[Item], dict[str, Any] | None]
    tool: str = "update_item"
    state: Literal["", "open", "done"] = ""
    share: float = 0.99
    otherwise: Plan | None = None
    days: tuple[Mention, ...] = ()
    by_day: bool = True

    def suits(self, item: Item, what: str) -> bool:
        """Whether an item may be meant: it is of the day and the kind that were told."""
        day = due_day(item)
        if self.days and not (day and any(m.first <= day <= m.last for m in self.days)):
            return False
        words, kind = what.lower().split(), item["properties"].get("type")
        return not (self.tool == "delete_item" and any(other in words and other != kind for other in _KINDS))


def edit_items(name: str, parts: list[str], edit: Edit, narrowed: str = "") -> Plan:
    """Change the one item that has the whole name; else those of its parts, one after the other."""
    if len(parts) > 1:
        found = yield "query_items", {"text": name, "limit": MOST}
        # "salt and pepper" may be one item or two
        whole = find_best(name, _contents(found["items"]), 0.99)
        return (yield from run_all(_edit(part, edit, narrowed) for part in ([name] if len(whole) == 1 else parts)))
    return (yield from _edit(name, edit, narrowed))


def _edit(what: str, edit: Edit, narrowed: str) -> Plan:
    """Change the one item that fits best; ask where several do, say so where none does."""
    found = yield "query_items", {"text": what, "limit": MOST} | _STATES[edit.state]
    items = {item["id"]: item for item in found["items"]}
    best = _choose(what, items, edit, narrowed)
    if narrowed and len(best) != 1:
        return _AGAIN
    if not best and edit.otherwise:
        if near := find_best(what, _contents(found["items"])):
            return _ask_whether_new(items[id] for id in near)
        return (yield from edit.otherwise)
    if not best:
        return f'I found nothing that fits "{what}"{f" and is {edit.state}" if edit.state else ""}.'
    if len(best) > 1 or (not narrowed and _is_part(what, items[best[0]])):
        return "\n".join([_WHOLE if len(best) == 1 else ASKING, *(format_item(items[id]) for id in best)])
    return (yield from _apply(edit, items[best[0]]))


def _choose(what: str, items: Mapping[str, Item], edit: Edit, narrowed: str) -> list[str]:
    """The ids of the items that may be meant."""
    contents, words = _contents(items.values()), what.lower().split()
    texts = {id: describe(item) for id, item in items.items()}
    best = find_best(what, contents, edit.share) or find_best(what, texts, edit.share)
    exact = [id for id in best if stems(contents[id]) == stems(what)]
    of_kind = [id for id in best if items[id]["properties"].get("type", " ") in what.lower()]
    named = [id for id in items if id in words]
    best = named or exact or of_kind or best
    if narrowed:
        return _narrow(narrowed, {id: texts[id] for id in best})
    # several are asked about in any case; a single one is changed, so it must be the one that was told
    return [id for id in best if len(best) > 1 or id in words or edit.suits(items[id], what)]


def _narrow(answer: str, texts: Mapping[str, str]) -> list[str]:
    """The ids of the items that an answer to "which one?" names by place or words."""
    if place := PATTERNS["place"].fullmatch(answer):
        nth = int(_PLACES.get(place["nth"].lower(), place["nth"]))
        return [*texts][nth - 1 :][:1]
    is_name = stems(answer) and not PATTERNS["hedged"].search(answer)
    return find_best(answer, texts, 0.99) if is_name else []


def _is_part(what: str, item: Item) -> bool:
    """Whether an item joins several things, and not every one of them was named."""
    if item["id"] in what or item["properties"].get("type") in ("note", "idea"):
        return False
    parts = [part.strip() for part in re.split(r" and |[,;&+/\n]", item["content"])]
    # the verb says little: buy milk and eggs
    things = [stems(part.partition(" ")[2]) or stems(part) for part in parts]
    return len(parts) > 1 and not all(thing & stems(what) for thing in things if thing)


def _apply(edit: Edit, item: Item) -> Plan:
    if (given := edit.given(item)) is None:
        return f"{item['content']} has no date yet. Say “move it to Friday at 15:00”."
    changed = given.get("properties", {})
    if changed.get("status") == "done" and (repeats := item["properties"].get("recurrence")):
        # done once is not done for good
        return f"{item['content']} repeats ({repeats}). Say when it is due next: “move it to Friday”."
    done = yield edit.tool, {"id": item["id"]} | given
    verb = "Deleted" if "deleted" in done else "Marked as done" if changed.get("status") == "done" else "Updated"
    due = f", now due {format_due(done)}" if "due_date" in changed else ""
    return f"{verb}: {shorten(done.get('deleted', done))}{due}."


def add_unless_kept(what: str, otherwise: Plan) -> Plan:
    """Add something new, unless an item may be meant that is kept already."""
    found = yield "query_items", {"text": what, "limit": MOST}
    if near := find_best(what, _contents(found["items"])):
        return _ask_whether_new(item for item in found["items"] if item["id"] in near)
    return (yield from otherwise)


def _contents(items: Iterable[Item]) -> dict[str, str]:
    return {item["id"]: item["content"] for item in items}


def _ask_whether_new(items: Iterable[Item]) -> str:
    ask = "I am not sure whether you mean this or something new. Say “add a task: …” or “move …”:"
    return "\n".join([ask, *map(format_item, items)])
