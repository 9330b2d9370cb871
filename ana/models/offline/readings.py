"""The readings of a message: an order from a short list, a question, or a statement, which is kept in its own words."""

import re
from typing import Any

from ana.memory.status import CLOSED
from ana.models.offline.view import LONGEST, Call, View, drop_politeness, list_items, name
from ana.phrases import find_words, fold
from ana.time.repeats import find_rule, tell_unread
from ana.time.when import find_named_days, find_single, has_only_fillers, is_only_when, read_due_question
from ana.time.when.tokens import words

Step = Call | str | None
MODEL = "`ana setup` connects a model, which understands more."
HELP = f"Tell me things to keep, ask for them later, or say “done: …”, “delete …” or “undo”. I read English. {MODEL}"
UNCHANGED, FAILED = "I changed nothing:", "That did not work:"
INSTEAD = f"“task: …” keeps it as a task. {MODEL}"
ONE_THING = f"{UNCHANGED} I cannot do that. “done: …” and “delete …” change one thing that you name. {INSTEAD}"
ASKING = "Which one do you mean? Say a word that only it has."
_WHOLE = " It is one note, and I read no day, question or order in it."
_FOREIGN = f" I understand only English; in other languages I read dates in figures. {MODEL}"
_TALK = words(
    "hi hello hey yo good morning evening night day bye fine alright stop cool great nice perfect lovely lol haha wow"
    " oops sorry done wrong thanks thank thx ty cheers yes yeah sure ok okay no nope both wait help what can you u very"
    " much dear mate a lot that it all for now the again there one please pls me to do leave ana idea sounds"
)
_UNDO = re.compile(
    r"(?:undo|take (?:that|it) back)(?:\W+(?:please|(undo-\S+)|that|it|the|your|my|last|one|change))*\W*$"
)
_NEVER_MIND = re.compile(r"(?:nvm|never ?mind|forget it|ignore that|scratch that)\b")
_LEADS = {
    "reminder": r"(?:(?:i need|set|add|a|me)\s+)*(?:remind me(?!,? (?:wh|how))|reminder|don'?t forget|remember to)\b",
    "task": r"(?:(?:add|create|make|new|a)\s+)*(?:task|to-?do)\b",
    "note": r"(?:(?:add|make|take|a)\s+)*note(?: to self)?\b",
    "idea": r"(?:(?:new|another|an)\s+)*idea\b",
}
_JOINT = re.compile(r"\s*[:,]\s*|\s+[–—-]\s+|\s+(?:to|that|about)\s+")
_ASKING = r"(?:what|when|where|who|whose|how|why|which)"
_ASKED = r"(?:is|are|am|was|were|do|does|did|have|has|had|can|could|should|must|will|would|time|needs|many|much|long)"
_LOOKED_UP = re.compile(
    rf"(?:(?:by|at|in|on|for|about)\s+(?:\S+\s+){{0,2}})?{_ASKING}\b(?:(?:\s+\S+){{0,5}}?\s+{_ASKED}\b"
    r"|(?:\s+\S+){0,3}\W*$)|(?:wh(?:at|en|ere|o)|how|wat)'?s\b|.*\s(?:is|are) wh\w+(?: again)?\W*$"
    r"|(?:is|are|was|were|did|does|has|can|could|would|should|isn't|didn't|(?:do|don't|have|am|must) (?:i|we|you))\b"
    r"|(?:show|list|search|look (?:up|for)|tell me|find (?:the|my|all|every\w*|any\w*)|give me (?:the|my)|any(?:thing)?"
    r"|everything (?:about|for)|who won|do \w+ want|time in|(?:(?:my|all|every|the|open|overdue|undated|unfinished|next"
    r"|upcoming|urgent|\S+-priority) )*(?:tasks?|to-?dos|notes|ideas|errands|reminders))\b|\w+ tasks\W*$"
)
_DONE = r"(?:done|finished|complete|completed)"
_END = r"(?:\s+(?:from|off|on) (?:my|the) (?:list|calendar|tasks|notes))?(?:\s+(?:please|now))*[.! ]*$"
_ORDERS = {
    "delete": re.compile(rf"(?:delete|remove|erase)\s+(.+?){_END}"),
    "mark": re.compile(rf"(?:mark|set|tick|check|cross)\s+(.+?),?\s+(?:(?:as|to)\s+{_DONE}|done|off){_END}"),
    "done": re.compile(rf"(?:done(?: with)?|finished with|complete|(?:tick|check|cross) o(?:ff|ut)):?\s+(.+?){_END}"),
    "finished": re.compile(rf"(?:(?:i|i've|have|just|i'?m)\s+)*(?:finished|done|did)\s+(?:with\s+)?(.+?){_END}"),
    "is done": re.compile(rf"(.+?),?\s+(?:(?:is|are)\s+)?{_DONE}{_END}"),
}
_OTHER_ORDER = re.compile(
    r"(?:delete|remove|erase|undo|cancel|call off|scrap|trash|bin the|discard|drop(?! off)|clear|empty|get rid of|move"
    r"|throw out|shift|reschedule|postpone|delay|snooze|bump|defer|push|put off|change|amend|edit|update|rename|modify"
    r"|replace|reopen|merge|archive|sort|prioriti[sz]e|forget|git|sudo|npm|pip|docker|rm|ssh|curl)\s"
    r"|(?:make|set|put|flag|mark|give)\s(?:(?:it|that|this|them|both|all|me)\b(?! (?:down )?(?:on|in|to|among) m)"
    r"|[^,]*\b(?:as|priority|prio|urgent|due|done)\b)|(?:take|cross|tick|check)\s.*\boff\b"
    r"|.*(?:[,.;]|\band)\s+(?:also |then |please )*(?:delete|remove|cancel|move|change|undo)\s(?:it|that|them|the|my)\b"
    rf"|(?:all|every|both|each)\b.*\b{_DONE}{_END}|(?:no|skip)\s.+\b(?:today|tomorrow|week|\w+day)\b"
    r"|[\d\s.,()=€$]+(?:[-+*/x×÷^%]|% of)[\d\s.,()+*/x×÷%^=€$-]*$"
    r"|(?:split|divide|multiply|subtract|calculate|work out|double|half|square root)\b.*\d"
    r"|\S+ (?:times|plus|minus|percent of|divided by|quarters of) \S+\W*$"
)
_DAY_IN_FIGURES = re.compile(r"\b(?:\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:\d{4})?)(?!\w)")
_ENGLISH = words("and at by for from i is it my of on that the this to with")
_OTHER = words("das dem den der des du ein el en et ich il ist je la las le les los mit para por que um un una von y")
NEWS = ("finished", "is done")  # what is no order if nothing is called so
MOST, LIKE = 5, 0.55  # of items that are shown, and how like a question they must be
SURE = 0.95  # of an order's words an item must have: "passport renewal" fits "Renew passport" by .97


def read_reply(view: View) -> Step:
    """Carry out the earlier order on the item that the reply to a question names."""
    order = _find_order(fold(drop_politeness(view.asked))) if view.told[-1].startswith(ASKING) else None
    shown = find_words(fold(view.told[-1].removeprefix(ASKING)))
    if not order or not {*shown}.intersection(find_words(fold(view.text))):
        return None
    return _obey(order[0], f"{order[1]} {view.text}", view)


def read_long(view: View) -> Step:
    """Keep several lines, or a long text, unchanged."""
    if "\n" not in view.text and len(view.text) <= LONGEST:
        return None
    note = {"content": view.text, "properties": {"type": "note"}}
    return Call("create_item", note, lambda made: _tell_kept(made, view) + _WHOLE)


def read_talk(view: View) -> Step:
    """Answer small talk, and undo the last turn."""
    if undo := _UNDO.match(view.low):
        turn = {"turn": undo[1]} if undo[1] else {}
        return Call("undo", turn, lambda done: f"Taken back. “undo {done['undo']}” brings it back.")
    return HELP if _TALK.issuperset(find_words(view.low)) or _NEVER_MIND.match(view.low) else None


def read_due(view: View) -> Step:
    """List items that are due or open, if a message asks for nothing else."""
    kinds = {} if "everything" in view.low else {"type": {"$nin": ["note", "idea"]}}
    given: dict[str, Any] = {"where": {"status": {"$nin": list(CLOSED)}} | kinds}
    is_asked = has_only_fillers(re.sub(r"\bopen\b", "", view.low), [])
    for text in (f"due {view.low}", view.low):
        if read_due_question(text, view.now.date()):
            given, is_asked = {"text": text}, True
    return Call("query_items", given | {"limit": MOST}, lambda found: _tell_found(found, -1)) if is_asked else None


def read_lead(view: View) -> Step:
    """Keep a text that begins with its type: "remind me to", "note:"."""
    for kind, lead in _LEADS.items():
        match = re.match(rf"(?P<when>.*?)(?<!\w)(?:{lead})", view.low)
        if match and is_only_when(match["when"], view.now):
            # the last joint that only a day or a time stands before
            joints = _JOINT.finditer(view.low, match.end())
            ends = [each.end() for each in joints if is_only_when(view.wish[match.end() : each.start()], view.now)]
            return keep(view, view.wish[ends[-1] :] if ends else view.text, kind)
    return None


def read_question(view: View) -> Step:
    """Search for the subject of a question or a look-up."""
    is_asked = _LOOKED_UP.match(view.low) and not re.match(r"[^:?]*:\s", view.low)
    if not is_asked and not view.low.rstrip("!. ").endswith("?"):
        return None
    return Call("query_items", {"text": view.text, "limit": 2 * MOST}, lambda found: _tell_found(found, LIKE))


def _tell_found(found: dict[str, Any], least: float) -> str:
    likeness = {id: why.get("vector", 1.0) + 0.6 * why.get("share", 0.0) for id, why in found["why"].items()}
    alike = [item for item in found["items"] if likeness.get(item["id"], 1.0) >= least]
    more = max(found.get("total", 0), len(alike)) - MOST
    told = [list_items(alike[:MOST]), *([f"… and {more} more, in the list of items."] if more > 0 else [])]
    return "\n".join(told) if alike else f"I found nothing like that. {MODEL}"


def read_order(view: View) -> Step:
    """Carry out an order about one item. If several items fit, ask which one; if none fits or it cannot, say so."""
    kind, what = _find_order(view.low) or ("", "")
    if kind == "delete" and find_named_days(what, view.now.date()):
        return f"{UNCHANGED} I delete a thing on all its days: name it without a day."
    if kind and not re.match(r"(?:it|that|this|them)$|(?:all|every|everything|each|both)\b", what):
        return _obey(kind, what, view)
    return ONE_THING if kind or _OTHER_ORDER.match(view.low) else None


def _find_order(low: str) -> tuple[str, str] | None:
    for kind, form in _ORDERS.items():
        match = form.match(low)
        what = re.sub(r"^(?:(?:the|my)\s+)+", "", match[1].strip(" \"'")) if match else ""
        # a long one is news: done deal with Mueller, start in April
        if what and (kind == "delete" or (len(find_words(what)) < 7 and "," not in what)):
            return kind, what
    return None


def _obey(kind: str, what: str, view: View) -> Call:
    where = {} if kind == "delete" else {"where": {"status": {"$nin": list(CLOSED)}}}
    text = re.sub(r"^(\w\w+[^\We])ed\b", r"\1", what) if kind in NEWS else what  # called mum, done
    return Call("query_items", {"text": text, "limit": 20} | where, lambda found: _change(kind, what, found, view))


def _change(kind: str, what: str, found: dict[str, Any], view: View) -> Call | str:
    fitting = {id for id, why in found["why"].items() if why.get("share", 0.0) >= SURE or why.get("first")}
    named = [item for item in found["items"] if item["id"] in fitting]
    if len(named) > 1:
        return f"{ASKING}\n{list_items(named)}"
    if not named or not _is_named(what, fold(named[0]["content"])):
        nearest = f" The nearest is {name(named[0])}." if named else ""
        return keep(view) if kind in NEWS else f"{UNCHANGED} I have nothing called “{what}”.{nearest} {INSTEAD}"
    id = {"id": named[0]["id"]}
    if kind == "delete":
        return Call("delete_item", id, lambda _: "Deleted.")
    return Call("update_item", id | {"properties": {"status": "done"}}, lambda _: "Done.")


def _is_named(what: str, content: str) -> bool:
    """Whether words name an item, and not one of several things in it or a word of a long text."""
    said = {*find_words(what)}
    parts = [{*find_words(part)} for part in re.split(r" and |[,;&+/\n]", content)]
    return (len(parts) < 2 or all(part & said for part in parts)) and 10 * len(said) >= len(find_words(content))


def keep(view: View, content: str = "", kind: str = "") -> Call:
    """Keep a message, or the rest of it, as an item with or without a type, with the day or rule that it names."""
    is_note, is_foreign = kind in ("note", "idea"), _is_foreign(view.text)
    # a time beside a day in words that are not read would be another day's
    dated = " ".join(_DAY_IN_FIGURES.findall(view.text)) if is_foreign else view.text
    due = find_single(dated, view.now, is_timed=not is_note)
    repeats = "" if due or is_note else find_rule(dated)
    status = "active" if due or kind in ("reminder", "task") else ""
    properties = {"type": kind, "status": status, "due_date": due, "repeats": repeats}
    if kind == "reminder" and (due or repeats):
        properties["remind"] = "at the time" if "T" in str(due) or " at " in f" {repeats}" else "on the day"
    given = {"content": content or view.text, "properties": {key: value for key, value in properties.items() if value}}
    return Call("create_item", given, lambda made: _tell_kept(made, view) + _FOREIGN * is_foreign)


def _is_foreign(text: str) -> bool:
    """Whether a text seems to be in another language than English: it has such words, and no small English one."""
    said = {*re.findall(r"[^\W_]+", text.lower())}
    return any(word in _OTHER or not word.isascii() for word in said) and not said & _ENGLISH


def _tell_kept(made: dict[str, Any], view: View) -> str:
    if "id" not in made:
        return "You have that already; say it again right away for a second one."
    rings = str(made.get("reminder", ""))
    is_new = not any(rings in answer for answer in view.told)
    return f"Kept.{tell_unread([made['content']])} {rings if is_new else ''}".rstrip()


READINGS = (read_reply, read_long, read_talk, read_due, read_lead, read_question, read_order, keep)
"""What is tried, in this order: the first that fits counts."""
