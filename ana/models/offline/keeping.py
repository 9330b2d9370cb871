"""Statements, kept in their own words; talk; and orders about one kept item. What else begins so changes nothing."""

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from ana.memory.status import CLOSED
from ana.models.offline.plans import OFFER, UNDO, Item, Plan, View, do, keep, list_items, name, pattern, say, words_of
from ana.phrases import find_words, fold
from ana.time.repeats import DATE_KEYS, find_rule, may_repeat
from ana.time.when import drop_mentions, find_moments, find_named_days, find_single, is_only_when, join_moment

HELP = (
    "I am a small rule-based reader: I keep what you tell me (“bike lock code is 4471”), find it (“bike lock?”, “due "
    "this week”), mark it as done, cancel, move or delete it, and calculate. `ana setup` brings a real model."
)
_BULLET = r"\s*(?:[-*•·–☐]|\d{1,2}[.)])\s+(?:\[ ?\]\s*)?(\S.*)"
_MAIL = r"(?:(?:from|to|cc|subject|date|von|an|betreff|de|a|objet|para|asunto|oggetto) ?:[^\n]*\n){2}|>"
_I = "(?:i|i'?m|i'?ve|ich|je|yo|soy|io|sono)"
_UNDO = r"(?:mach (?:da|e)s )?(?:bitte )?<undo>(?:\W+(?:<polite>|(undo-\S+)|th(?:at|is|e|ing)|it|last|one|change))*\W*$"
_SHELL = r"[$>] |\./|(?:git|sudo|npm|npx|pip|docker|kubectl)\s|(?:rm|cd|ls|ssh|curl|cat|cp|mv|apt)\s+(?:-|\S*[/.])"
ASKING, NOTHING = "Which one do you mean?", "All right. I changed nothing."
MANY = 100  # lines of a list that become items; a longer one is kept whole
SURE, NEAR = 0.95, 0.4
"""How well an item's words match: "passport renewal" fits "Renew passport" by .97, "fix the boiler" a printer by .7."""
_PLACES = {"first": 0, "1st": 0, "1": 0, "second": 1, "2nd": 1, "2": 1, "third": 2, "3rd": 2, "3": 2, "last": -1}
_IT = r"(?:it|that|this|them)(?: one)?"
_NO_LIST = r"(?! (?:down|(?:on|in|to) (?:my|the)) )"
_DATE_OF = r"(?:(?:the |my )?(?:due )?(?:date|time) (?:of|for) )?"
_END = r"(?:\s+(?:from|off|on) (?:my|the) (?:list|calendar|tasks|notes))?(?:\s+<polite>|\s+now|\s+instead)*[.! ]*$"
_BESIDE = r" from (?:\w+ )?\w+$|^down | (?:down|back|forward|up|over)$|^(?:(?:the|my|d(?:en|ie|as)|l[aeo]s?|el|il) |l')"
_FORMS = (
    ("delete", rf"<delete>\s+(?P<what>.+?){_END}"),
    ("cancel", rf"<cancel>\s+(?P<what>.+?){_END}"),
    ("discard", rf"<discard>(?! off\b)\s+(?P<what>.+?){_END}"),
    ("mark", rf"<mark>\s+(?P<what>.+?),?\s+<is done>{_END}"),
    ("done", rf"<done>:?\s+(?P<what>.+?){_END}"),
    ("news", rf"<finished>\s+(?P<what>.+?){_END}"),
    ("news", rf"(?!<looking>|<asking>)(?P<what>.+?),?\s+<is done>{_END}"),
)
_STATUS = {"mark": "done", "done": "done", "news": "done", "cancel": "cancelled"}
_CHANGE = (
    rf"(?:<delete>|<cancel>|<discard>|<move>|<change>)\s(?!off\b)|(?:<mark>|<set>)\s(?:{_IT}\b{_NO_LIST}|[^,]*<setting>)"
    rf"|<many>.+<is done>{_END}|.*(?:[,.;]|\band)\s+(?:<polite>\W+)*"
    rf"(?:(?:<cancel>|<discard>|<change>|<set>|<mark>)\s+{_IT}\b{_NO_LIST}|(?:<delete>|<move>)\s)"
)


def refuse(why: str) -> Plan:
    """Answer that nothing was changed, and offer to keep what was said."""
    return say(f"I changed nothing: {why} {OFFER}")


def read_talk(view: View) -> Plan | None:
    """Answer small talk, undo the last turn, and refuse shell commands."""
    said, words = fold(view.text), {*find_words(fold(view.text))}
    if undo := pattern(_UNDO).match(view.low):
        turn = {"turn": undo[1]} if undo[1] else {}
        return do("undo", turn, lambda done: f"Taken back. “undo {done['undo']}” brings it back.")
    if pattern(_SHELL).match(said):
        return refuse("that looks like a command for a shell.")
    if pattern(r"<help>\W*$").match(view.low):
        return say(HELP)
    if pattern(r"<never mind>(?:\W+\w+){0,3}\W*$|(?:<yes>|<no>)(?:\W+(?:<yes>|<no>|<polite>))*\W*$").match(said):
        return say(NOTHING)
    if words and not (words & words_of("talk", "thanks") and words <= words_of("talk", "thanks", "soft", "yes", "no")):
        return None
    return say("You are welcome." if words & words_of("thanks") else "Tell me what to keep, or ask for what is kept.")


def read_paste(view: View) -> Plan | None:
    """Keep a long text: each line as an item under bullets, else all as one note."""
    if "\n" not in view.text and not view.is_long:
        return None
    lines = [line for line in view.text.splitlines() if line.strip()]
    first, *others = map(pattern(_BULLET).fullmatch, lines if len(lines) <= MANY else [""])
    bullets = [bullet[1].strip() for bullet in (first, *others) if bullet]
    kind, content = _take_lead_in(view)
    if not (bullets and all(others)) or kind in ("note", "idea") or pattern(_MAIL).match(view.low):
        return keep([_make_item(content, kind or "note")], is_long=view.is_long or len(lines) > MANY)
    heading = "" if kind or first else lines[0].strip(" :")
    return keep([_make_item(bullet, kind, find_single(bullet, view.now), list=heading) for bullet in bullets])


def read_lead_in(view: View) -> Plan | None:
    """Keep a text that begins with its kind: "note:", "idea:"."""
    kind, content = _take_lead_in(view)
    return keep_as(kind, content, view) if kind and content else None


def read_about_person(view: View) -> Plan | None:
    """Keep what people say about themselves as a line of Global Context, unless it concerns a single day."""
    said = pattern(rf"<remember>\W+(?P<told>{_I}\b)|<about me>(?! \w+ed\b| met\b| said\b)").match(view.low)
    if not said or find_single(view.text, view.now, is_timed=False):
        return None
    line = {"content": view.wish[max(said.start("told"), 0) :]}
    return do("append_context", line, lambda done: f"I will remember about you: “{done['content']}”. {UNDO}")


def keep_as(kind: str, content: str, view: View) -> Plan:
    """Keep something as an item of a type, empty for none, with the day that the whole message names."""
    return keep([_make_item(content, kind, find_single(view.text, view.now, is_timed=kind not in ("note", "idea")))])


def _make_item(content: str, kind: str, due: str | None = None, **more: str) -> tuple[str, dict[str, Any]]:
    is_to_do = due or kind in ("reminder", "task", "appointment")
    repeats = "" if due or kind in ("note", "idea") else find_rule(content)
    properties = {"type": kind, "status": "active" if is_to_do else "", "due_date": due, "repeats": repeats} | more
    if kind == "reminder" and (due or repeats):
        properties["remind"] = "at the time" if "T" in str(due) or " at " in f" {repeats}" else "on the day"
    return "create_item", {"content": content, "properties": {key: value for key, value in properties.items() if value}}


def _take_lead_in(view: View) -> tuple[str, str]:
    for kind in ("reminder", "task", "note", "idea", "appointment"):
        match = pattern(rf"(?P<when>.*?)(?P<lead>(?:<making>\s+)*(?<!have |need )(?<!had )<{kind}>)").match(view.low)
        if not match or not is_only_when(match["when"], view.now):
            continue
        rest, asks = match.end("lead"), "|<asking>|wh\\w+'?s\\b" if kind == "reminder" else ""
        if pattern(rf"\W*(?:${asks})").match(view.low, rest):
            return "", view.text
        name = {"note": r"\s+<about>", "idea": r"\s+(?![–—:-])", "appointment": r"\s+(?![–—:-])"}.get(kind)
        if name and pattern(name).match(view.low, rest):
            return kind, view.text
        # the last joint that only a day or a time stands before
        joints = pattern(r"\s*(?::|,|[–—-](?=\s))\s*|\s+<joint>\s*").finditer(view.low, rest)
        ends = [joint.end() for joint in joints if is_only_when(view.wish[rest : joint.start()], view.now)]
        return kind, view.wish[ends[-1] if ends else rest :].strip(" \t\n,;:-–—")
    return "", view.text


class Order(NamedTuple):
    """What is to become of an item: its kind (a form's; move, plan or skip), the words for the item, and when."""

    kind: str
    what: str
    due: str = ""
    until: str = ""


def read_reply(view: View) -> Plan | None:
    """Do what the reader asked about, if the message says yes or which one; nothing if it says no."""
    asked = next((each for each in (OFFER, ASKING) if each in view.answer), "")
    earlier = view._replace(text=view.asked)
    if asked and pattern(r"<no>(?:\W+(?:<no>|<polite>|<thanks>))*\W*$").match(fold(view.text)):
        return say(NOTHING)
    if asked == ASKING:
        words, shown = {*find_words(fold(view.text))}, find_words(fold(view.answer.partition(ASKING)[2]))
        return read_order(earlier, view.text) if len(words) < 6 and words & {*shown, *_PLACES} else None
    is_yes = pattern(r"<yes>(?:\W+(?:<yes>|<polite>))*\W*$").match(fold(view.text))
    return keep_as("task", view.asked, earlier) if asked and is_yes else None


def read_order(view: View, pick: str = "") -> Plan | None:
    """Carry out an order about one item. If several may be meant, ask which (see `pick`); if none is, say so."""
    order = _find_move(view) or _find_skip(view) or _find_order(view)
    if order and not pattern("(?:(?:the|my) )*<many>").match(order.what):
        return _obey(order, view, pick)
    is_change = order or pattern(_CHANGE).match(view.low)
    return refuse("I mark as done or cancelled, delete or move one thing that you name.") if is_change else None


def _find_skip(view: View) -> Order | None:
    days = find_named_days(view.low, view.now.date())
    rest = drop_mentions(view.low, days) if len(days) == 1 else ""
    said = pattern(r"(?:no|skip|keine?n?|pas de|sin)\s+(?P<what>.+?)(?:\s+<to>)?[.! ]*$").match(rest)
    return said and Order("skip", pattern(_BESIDE).sub("", said["what"]), str(days[0].first), str(days[0].last))


def _find_order(view: View) -> Order | None:
    for kind, form in _FORMS:
        if match := pattern(form).match(view.low):
            what = pattern(_BESIDE).sub("", match["what"].strip(" \"'"))
            # a long one is news: done deal with Mueller, start in April
            if kind not in ("done", "news") or (len(find_words(what)) < 7 and "," not in what):
                return Order(kind, what)
    return None


def _find_move(view: View) -> Order | None:
    if not (start := pattern(rf"(?:(?P<sure><move>|<change>)|<set>)\s+{_DATE_OF}").match(view.low)):
        return None
    for joint in pattern(r"(?:\s+|\b)(?:<to>\s+)?").finditer(view.low, start.end()):
        when = pattern(_END).sub("", view.low[joint.end() :])
        what = pattern(_BESIDE).sub("", view.low[start.end() : joint.start()]).strip() or "it"
        days, times = find_moments(when, view.now)
        is_clear = is_only_when(when, view.now) and (start["sure"] or not find_moments(what, view.now)[0])
        if is_clear and len(days) < 2 and len(times) < 2 and (days or times):
            due = join_moment(days[0].first if days else None, times[0] if times else None)
            return Order("move" if start["sure"] else "plan", what, due)
    return None


def _obey(order: Order, view: View, pick: str) -> Plan:
    if is_it := pattern(f"{_IT}$").match(order.what):
        found = {"why": {}, "items": (named := [item for item in view.it if name(item) in view.answer])}
    else:
        where: dict[str, Any] = {"repeats": {"$ne": None}} if order.kind == "skip" else {}
        where |= {"status": {"$nin": list(CLOSED)}} if order.kind in _STATUS else {}
        (found,) = yield [("query_items", {"text": order.what, "limit": 20} | ({"where": where} if where else {}))]
        named = _find_named(order, found)
    if pick:
        places = [_PLACES[word] for word in find_words(fold(pick)) if word in _PLACES]
        counts = [len({*find_words(fold(pick))} & _words_in(item)) for item in named]
        best = [item for item, count in zip(named, counts, strict=True) if 0 < count == max(counts)]
        named = named[places[0] :][:1] if places else best
    if pick and len(named) != 1:
        return "That names none of them, or several. Say the whole order again, with the words of one."
    if len(named) > 1:
        return f"{ASKING}\n{list_items(named)}"
    if named:
        return (yield from _change(order, named[0]))
    if order.kind in ("news", "plan", "skip") and not is_it:  # nothing is ordered there
        return (yield from keep_as("", view.text, view))
    nearest = "".join(f" The nearest is {name(item)}." for item in _match(found, NEAR)[:1])
    missing = "I do not know which one you mean." if is_it else f"nothing that is kept is “{order.what}”."
    return (yield from refuse(f"{missing}{nearest}"))


def _find_named(order: Order, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = {*find_words(order.what)}
    named = _match(found, SURE)
    full = [item for item in named if _words_in(item) <= said]
    # what is discarded, one of several things, or a word of a long text is not enough
    named = [item for item in named if order.kind != "discard" and (len(named) > 1 or _is_whole(item, said))]
    to_do = pattern(r"<cancel>\b")  # who has "cancel Netflix" to do and says it again does not cancel that
    return full or [item for item in named if order.kind != "cancel" or not to_do.match(fold(item["content"]))]


def _match(found: Mapping[str, Any], least: float) -> list[dict[str, Any]]:
    fitting = {id for id, why in found["why"].items() if why.get("share", 0.0) >= least or why.get("first")}
    return [item for item in found["items"] if item["id"] in fitting]


def _is_whole(item: Item, said: set[str]) -> bool:
    parts = [{*find_words(part)} for part in pattern(r" (?:and|und|et|y) |[,;&+/\n]").split(fold(item["content"]))]
    return (len(parts) < 2 or all(part & said for part in parts)) and 10 * len(said) >= len(_words_in(item))


def _words_in(item: Item) -> set[str]:
    return {*find_words(fold(item["content"]))}


def _change(order: Order, item: Item) -> Plan:
    coming = next((str(item["properties"][key])[:10] for key in DATE_KEYS if key in item["properties"]), "")
    is_one_day = may_repeat(item["properties"]) and find_named_days(order.what, date(2000, 1, 1))
    if order.kind in ("delete", "discard") and not is_one_day:
        return do("delete_item", {"id": item["id"]}, lambda done: f"Deleted: {name(done['deleted'])}. {UNDO}")
    if order.kind in ("skip", "delete", "discard"):
        if not order.due <= (day := order.due if order.due == order.until != "" else coming) <= order.until:
            return say(f"I changed nothing. Say which day of {name(item)}: “no {fold(item['content'])} on 24 March”.")
        leave_out = {"id": item["id"], "properties": {"except": {"$add": [day]}}}
        return do("update_item", leave_out, lambda done: f"Left out on {day}: {name(done)}. {UNDO}")
    old = str(item["properties"].get("due_date", "")).partition(" ")[0]
    if order.due.startswith("T") and not old:
        return say(f"{name(item)} has no day yet. Say it with a day: “move it to Friday at 15:00”.")
    due = old[:10] + order.due if order.due.startswith("T") else order.due
    word, day = _STATUS.get(order.kind, "moved"), due + ("" if "T" in due else old[10:16])
    to: dict[str, Any] = {"moved": {old: due}} if may_repeat(item["properties"]) else {"due_date": day}
    given = {"id": item["id"], "properties": to if due else {"status": word}}
    return do("update_item", given, lambda done: f"{word.capitalize()}: {name(done)}. {UNDO}")
