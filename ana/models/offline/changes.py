"""Orders to change what is kept, and deeds that are told."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import Any

from ana.models.offline import plans
from ana.models.offline.details import Unclear, carried, tidy
from ana.models.offline.english import LIKE, VERBS, forms, words
from ana.models.offline.items import Item, day_of, is_past, stems
from ana.models.offline.new_items import fragment
from ana.models.offline.plans import DONE, OPEN, Change, Plan, say
from ana.models.offline.view import ASKING, View
from ana.time.when import resolve, shift_of

_FORMS = forms("change")
_UNKNOWN_DEED = "I found no open item that this is about. If I am to keep it, begin with “note:”."
_DOING = stems(" ".join(words("doing")))


def _set(**properties: str) -> Callable[[Item], dict[str, Any]]:
    return lambda _: {"properties": properties}


def _project(said: dict[str, str]) -> Change:
    context = said.get("place")
    return Change(_set(context=context) if context else _set(project=said.get("new") or said["tag"]))


_HOW: dict[str, Callable[[dict[str, str]], Change]] = {
    "reopen": lambda _: Change(_set(status="active"), where=DONE),
    "done": lambda _: Change(_set(status="done"), where=OPEN, by_day=False),
    "rename": lambda said: Change(lambda _: {"content": tidy(said["new"])}),
    "priority": lambda said: Change(_set(priority="low" if LIKE["low"].search(said["rest"]) else "high")),
    "project": _project,
    "delete": lambda _: Change(lambda _: {}, "delete_item", whole=True),
}


def change(text: str, view: View, narrowed: str = "") -> Plan | None:
    """The plan for an order to change something; None where it is none.

    Args:
        text: What was said.
        view: All that the reader knows.
        narrowed: Further words for what is to be changed.
    """
    if text.endswith("?"):
        return None
    if order := LIKE["order"].match(text):
        what, rest = order["what"], order["rest"]
        if rest or not LIKE["moved"].search(what):
            what = re.split(r" (?:is|isn't|can|are|aren't|has|was)\b", what)[0]
        text = f"{order['verb']} {what}{rest}"
    for kind, pattern in _FORMS:
        if (match := pattern.match(f" {text}")) and (plan := _changed(kind, match, view, narrowed, new=not order)):
            return plan
    if (thrown := LIKE["thrown"].match(text)) and (fresh := _new(text, view)):
        return plans.unless_kept(_without_days(thrown["what"], view.today), fresh)
    is_order = text.split(" ")[0].lower() in VERBS and not re.search(r"instead| is due ", text)
    if is_order or LIKE["no name"].match(text) or LIKE["no move"].search(text):
        return None
    return _moved(text, view, narrowed, _new(text, view) if " due " in text else None, sure=False)


def _changed(kind: str, match: re.Match[str], view: View, narrowed: str, *, new: bool) -> Plan | None:
    said, what = match[0].strip(), match["what"].strip(" ,:\"'")
    if re.match(r"(?:all|every)\b", what) and kind in ("delete", "move", "priority"):
        return say(f"{ASKING} Name it by its words; I change one at a time.")
    if kind != "delete":
        what = LIKE["of it"].sub("", what)
    what = re.sub(r"^(?:(?:both|all|the|my) )+", "", what)
    if kind == "move":
        if LIKE["no move"].search(said):
            fresh = _new(said, view)
            return plans.unless_kept(carried(said.partition(" ")[2], view.now)[0], fresh) if fresh else None
        is_order = new and said.split(" ")[0].lower() in VERBS and not re.search(r" to (?!.* by )", said)
        return _moved(what, view, narrowed, _new(said, view) if is_order else None, sure=True, whole=new)
    told = kind in ("done", "reopen") and not re.match(r"(?:mark|set|tick|re-?open|i was wrong)", said, re.I)
    is_new = re.match(r"(?:complete|drop off) ", said, re.I) and resolve(what, view.today)
    if is_new or re.match(r"(?:what you know|bit|thing)\b", what):
        return None
    if told and (LIKE["all"].match(what) or LIKE["hedged"].search(said)):
        return None
    rest = f"{match.groupdict().get('level', '')} {said.replace(what, '')}"
    if kind == "delete" and LIKE["a part"].search(what):
        return say(f"I delete whole items. Name the one you mean by its words, not {what!r}.")
    how = _HOW[kind](match.groupdict() | {"rest": rest})
    if re.match(r"cancel|call off", said, re.I):
        how = replace(how, where=OPEN)
    return _each(what, how if new else replace(how, share=0.5), view, narrowed)


def _new(text: str, view: View) -> Plan | None:
    """What is new if nothing that is kept is meant: change the bed sheets on Sunday."""
    try:
        return fragment(text, view)
    except Unclear:
        return None


def deed(text: str, view: View) -> Plan | None:
    """Something that was to be done is told as done: every word must be the item's, save those of doing."""
    matches = (LIKE[name].match(text) for name in ("active", "passive"))
    match = next((m for m in matches if m and is_past(m["past"].lower())), None)
    if (
        match is None
        or LIKE["hedged"].search(text)
        or LIKE["someone calls"].match(text.rstrip(" .!"))
        or LIKE["someone"].match(match["what"])
    ):
        return None
    said = _without_days(f"{match['what']} {match['past']}", view.today)
    idle = _DOING if len(stems(said) - _DOING) > 1 else frozenset()
    what = " ".join(dict.fromkeys(word for word in said.split() if stems(word) - idle))
    how = Change(_set(status="done"), where=OPEN, share=0.99, whole=True, otherwise=say(_UNKNOWN_DEED))
    return plans.change(what, [], how) if len(stems(what)) > 1 else None


def _each(what: str, how: Change, view: View, narrowed: str) -> Plan | None:
    """Change what is named; things that are joined by "and" one after the other."""
    if view.it and re.fullmatch(r"it|that|this", what, re.I):
        return plans.change(f"{view.it['content']} {view.it['id']}", [], how)
    if LIKE["all"].match(what):
        return say(f"{ASKING} Name it by its words; I change one at a time.")
    if LIKE["not one"].search(what):
        return say(f"I am not sure which you mean by {what!r}. Say one thing at a time.")
    name = _without_days(what, view.today)
    if name != what and how.by_day:
        how = replace(how, days=tuple(resolve(what, view.today)))
    parts = [part for part in re.split(r",? and |, ", name) if stems(part)]
    if how.otherwise and parts:  # what is new is so as a whole: change the sheets and the towels on Sunday
        parts = [name]
    return plans.change(name, parts, how, narrowed) if parts else None


def _moved(
    what: str, view: View, narrowed: str, otherwise: Plan | None, *, sure: bool, whole: bool = True
) -> Plan | None:
    """Reschedule: what stands before the first joint behind which there is nothing but a day, a time or a span."""
    share = 0.99 if whole else 0.5
    what = LIKE["of it"].sub("", what)
    text, marked = LIKE["aside"].sub("", LIKE["aside"].sub("", what)), sure or LIKE["moved"].search(what)
    for joint in LIKE["to"].finditer(text):
        name, rest = LIKE["moving"].sub("", text[: joint.start()]), text[joint.start() :].strip(" :")
        if not marked and (joint[0].strip() != "to" or name.count(" ") > 2):
            continue
        if sure and (by := shift_of(rest)):
            by = -by if re.search(r"\b(?:earlier|forward)\b", rest, re.I) else by
            return _each(name, Change(partial(_dated, by=by), otherwise=otherwise, share=share), view, narrowed)
        try:
            content, properties = carried(re.sub(r"^from .{3,20} (?=to )", "", rest), view.now)
        except Unclear:
            continue
        if (due := properties.get("due_date")) and not LIKE["no word"].sub("", content):
            to = due if resolve(rest, view.today) else due[10:]
            return _each(name, Change(partial(_dated, to=to), otherwise=otherwise, share=share), view, narrowed)
    return None


def _dated(item: Item, to: str = "", by: Any = None) -> dict[str, Any] | None:
    """A new date for an item: a day leaves the time that was set, a time ("T14:00") or a span the day."""
    old = str(item["properties"].get("due_date", "")).partition(" ")[0]
    if by is not None or to.startswith("T"):
        if day_of(item) is None:
            return None
        to = old[:10] + to if by is None else (datetime.fromisoformat(old) + by).isoformat()[: len(old)]
    return {"properties": {"due_date": to + old[10:16] if len(to) == 10 and day_of(item) else to}}


def _without_days(text: str, today: date) -> str:
    """A name without the days in it, unless nothing else is left."""
    short = text
    for mention in reversed(resolve(text, today)):
        short = f"{short[: mention.start]} {short[mention.end :]}"
    return short if stems(short) else text
