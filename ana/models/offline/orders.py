"""Orders to change stored items, and deeds that are told."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import Any

from ana.models.offline.details import UnclearPhrase, take_details, tidy
from ana.models.offline.edits import Edit, add_unless_kept, edit_items
from ana.models.offline.english import PATTERNS, VERBS, read_forms, read_words
from ana.models.offline.items import Item, due_day, may_be_past, stems
from ana.models.offline.new_items import plan_fragment
from ana.models.offline.plans import Plan, refuse, say
from ana.models.offline.view import View
from ana.time.when import drop_mentions, read_shift, resolve

_FORMS = read_forms("change")
_UNKNOWN_DEED = "I found no open item that this is about. If I am to keep it, begin with “note:”."
_ONE = "I change one thing at a time, named by its words: “delete the milk”. “What's due this week?” lists by date."
_DOING = stems(" ".join(read_words("doing")))


def _set(**properties: str) -> Callable[[Item], dict[str, Any]]:
    return lambda _: {"properties": properties}


_EDITS: dict[str, Callable[[dict[str, str]], Edit]] = {
    "reopen": lambda _: Edit(_set(status="active"), state="done"),
    "done": lambda _: Edit(_set(status="done"), state="open", by_day=False),
    "rename": lambda said: Edit(lambda _: {"content": tidy(said["new"])}),
    "priority": lambda said: Edit(_set(priority="low" if PATTERNS["low"].search(said["rest"]) else "high")),
    "project": lambda said: Edit(_set(project=said.get("new") or said["tag"])),
    "delete": lambda _: Edit(lambda _: {}, "delete_item"),
}


def plan_order(text: str, view: View, narrowed: str = "") -> Plan | None:
    """Obey an order to change something; None where the text is not one.

    Args:
        text: What was said.
        view: All that the reader knows.
        narrowed: Further words for what is to be changed.
    """
    if text.endswith("?"):
        return None
    if PATTERNS["many"].match(text):
        return refuse(_ONE)
    if order := PATTERNS["order"].match(text):
        what, rest = order["what"], order["rest"]
        if rest or not PATTERNS["moved"].search(what):
            what = re.split(r" (?:is|isn't|can|are|aren't|has|was)\b", what)[0]
        text = f"{order['verb']} {what}{rest}"
    for kind, pattern in _FORMS:
        # a form that fits may still turn out not to be an order; a later one may
        if (match := pattern.match(f" {text}")) and (plan := _plan_form(kind, match, view, narrowed, new=not order)):
            return plan
    # what is left may tell of a move without ordering it: "the dentist is now on Friday"
    is_order = text.split(" ")[0].lower() in VERBS and not re.search(r"instead| is due ", text)
    if is_order or PATTERNS["no name"].match(text) or PATTERNS["no move"].search(text):
        return None
    return _plan_move(text, view, narrowed, _plan_new(text, view) if " due " in text else None, sure=False)


def _plan_form(kind: str, match: re.Match[str], view: View, narrowed: str, *, new: bool) -> Plan | None:
    """The plan for a sentence of one form; `new` where an item that is not stored may be meant by it."""
    said, what = match[0].strip(), match["what"].strip(" ,:\"'")
    if kind != "delete":
        what = PATTERNS["of it"].sub("", what)
    what = re.sub(r"^(?:(?:both|all|the|my) )+", "", what)
    if kind == "move":
        return _plan_move_form(said, what, view, narrowed, new=new)
    if _is_no_order(kind, said, what, view):
        return None
    if kind == "delete" and PATTERNS["a part"].search(what):
        return say(f"I delete whole items. Name the one you mean by its words, not {what!r}.")
    rest = f"{match.groupdict().get('level', '')} {said.replace(what, '')}"
    edit = _EDITS[kind](match.groupdict() | {"rest": rest})
    if re.match(r"cancel|call off", said, re.I):
        edit = replace(edit, state="open")
    return _plan_edits(what, edit if new else replace(edit, share=0.5), view, narrowed)


def _plan_move_form(said: str, what: str, view: View, narrowed: str, *, new: bool) -> Plan | None:
    if PATTERNS["no move"].search(said):
        fresh = _plan_new(said, view)
        return add_unless_kept(take_details(said.partition(" ")[2], view.now)[0], fresh) if fresh else None
    is_order = new and said.split(" ")[0].lower() in VERBS and not re.search(r" to (?!.* by )", said)
    return _plan_move(what, view, narrowed, _plan_new(said, view) if is_order else None, sure=True, whole=new)


def _is_no_order(kind: str, said: str, what: str, view: View) -> bool:
    """Whether a sentence only looks like an order to change something: complete the form by Friday is a new task."""
    if re.match(r"(?:complete|drop off) ", said, re.I) and resolve(what, view.today):
        return True
    if re.match(r"(?:what you know|bit|thing)\b", what):
        return True
    is_told = kind in ("done", "reopen") and not re.match(r"(?:mark|set|tick|re-?open|i was wrong)", said, re.I)
    return is_told and bool(PATTERNS["all"].match(what) or PATTERNS["hedged"].search(said))


def _plan_new(text: str, view: View) -> Plan | None:
    """The plan for a new item if no stored one is meant: change the bed sheets on Sunday."""
    try:
        return plan_fragment(text, view)
    except UnclearPhrase:
        return None


def plan_deed(text: str, view: View, narrowed: str = "") -> Plan | None:
    """Mark as done what the person tells as done: every word must be the item's, save those of doing."""
    matches = (PATTERNS[name].match(text) for name in ("active", "passive"))
    match = next((m for m in matches if m and may_be_past(m["past"].lower())), None)
    if match is None or PATTERNS["hedged"].search(text):
        return None
    # what others did is news, not the person's deed
    if PATTERNS["someone calls"].match(text.rstrip(" .!")) or PATTERNS["someone"].match(match["what"]):
        return None
    said = _drop_days(f"{match['what']} {match['past']}", view.today)
    # "went to the dentist": the verb says little, unless nothing else is left
    idle = _DOING if len(stems(said) - _DOING) > 1 else frozenset()
    what = " ".join(dict.fromkeys(word for word in said.split() if stems(word) - idle))
    edit = Edit(_set(status="done"), state="open", otherwise=say(_UNKNOWN_DEED))
    return edit_items(what, [], edit, narrowed) if len(stems(what)) > 1 else None


def _plan_edits(what: str, edit: Edit, view: View, narrowed: str) -> Plan | None:
    """Change the named items; things that are joined by "and" one after the other."""
    if view.it and re.fullmatch(r"it|that|this", what, re.I):
        return edit_items(f"{view.it['content']} {view.it['id']}", [], edit)
    if PATTERNS["all"].match(what):
        return refuse(_ONE)
    name = _drop_days(what, view.today)
    parts = [part for part in re.split(r",? and |, ", name) if stems(part)]
    # "delete the dentist and water the plants" may be an order and a task
    if PATTERNS["not one"].search(what) or any(part.split(" ")[0].lower() in VERBS for part in parts[1:]):
        return refuse(f"I am not sure which you mean by {what!r}. Say one thing at a time.")
    # "delete Monday's call": the day is part of the name; "I called on Monday": it is when that was done
    if name != what and edit.by_day:
        edit = replace(edit, days=tuple(resolve(what, view.today)))
    # a new item is new as a whole: change the sheets and the towels on Sunday
    return edit_items(name, [name] if edit.otherwise else parts, edit, narrowed) if parts else None


def _plan_move(
    what: str, view: View, narrowed: str, otherwise: Plan | None, *, sure: bool, whole: bool = True
) -> Plan | None:
    """Reschedule: the name is before the first joint after which there is nothing but a day, a time or a span."""
    what = PATTERNS["of it"].sub("", what)
    text, is_marked = PATTERNS["aside"].sub("", PATTERNS["aside"].sub("", what)), sure or PATTERNS["moved"].search(what)
    for joint in PATTERNS["to"].finditer(text):
        name, rest = PATTERNS["moving"].sub("", text[: joint.start()]), text[joint.start() :].strip(" :")
        if not is_marked and (joint[0].strip() != "to" or name.count(" ") > 2):
            continue
        if date_item := _read_move(rest, view, sure=sure):
            edit = Edit(date_item, otherwise=otherwise, share=0.99 if whole else 0.5)
            return _plan_edits(name, edit, view, narrowed)
    return None


def _read_move(rest: str, view: View, *, sure: bool) -> Callable[[Item], dict[str, Any] | None] | None:
    """How an item's date is to change; None where there is more than a day, a time or a span."""
    if sure and (by := read_shift(rest)):
        return partial(_date_item, by=-by if re.search(r"\b(?:earlier|forward)\b", rest, re.I) else by)
    try:
        content, properties = take_details(re.sub(r"^from .{3,20} (?=to )", "", rest), view.now)
    except UnclearPhrase:
        return None
    due = str(properties.get("due_date", ""))
    if not due or PATTERNS["no word"].sub("", content):
        return None
    return partial(_date_item, to=due if resolve(rest, view.today) else due[10:])


def _date_item(item: Item, to: str = "", by: Any = None) -> dict[str, Any] | None:
    """A new date for an item: a day leaves the time that was set, a time ("T14:00") or a span the day."""
    old = str(item["properties"].get("due_date", "")).partition(" ")[0]
    if by is not None or to.startswith("T"):
        if due_day(item) is None:
            return None
        to = old[:10] + to if by is None else (datetime.fromisoformat(old) + by).isoformat()[: len(old)]
    return {"properties": {"due_date": to + old[10:16] if len(to) == 10 and due_day(item) else to}}


def _drop_days(text: str, today: date) -> str:
    """A name without the days in it, unless nothing else is left."""
    short = drop_mentions(text, resolve(text, today))
    return short if stems(short) else text
