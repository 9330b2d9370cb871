"""Orders about one kept item: done, cancel, delete, move to a day. What else begins like an order changes nothing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ana.memory.status import CLOSED
from ana.models.offline.keeping import MANY, NOTHING, keep_as, read_paste
from ana.models.offline.plans import OFFER, UNDO, Item, Plan, do, list_items, name, refuse, say
from ana.models.offline.view import View, pattern
from ana.phrases import find_words, fold
from ana.time.when import find_moments, is_only_when, join_moment

ASKING = "Which one do you mean?"
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
    rf"(?:<delete>|<cancel>|<discard>|<move>|<change>)\s(?!off\b)|(?:<mark>|<set>)\s(?:{_IT}\b{_NO_LIST}|.*<setting>)"
    rf"|<many>.+<is done>{_END}|.*(?:[,.;]|\band)\s+(?:<polite>\W+)*"
    rf"(?:(?:<cancel>|<discard>|<change>|<set>|<mark>)\s+{_IT}\b{_NO_LIST}|(?:<delete>|<move>)\s)"
)


class Order(NamedTuple):
    """What is to become of an item: its kind (a form's; move or plan), the words for the item, the new day or time."""

    kind: str
    what: str
    due: str = ""


def read_reply(view: View) -> Plan | None:
    """Do what the reader asked about, if the message says yes or which one; nothing if it says no."""
    asked = next((each for each in (OFFER, MANY, ASKING) if each in view.answer), "")
    earlier = view._replace(text=view.asked)
    if asked and pattern(r"<no>(?:\W+(?:<no>|<polite>|<thanks>))*\W*$").match(fold(view.text)):
        return say(NOTHING)
    if asked == ASKING:
        words, shown = {*find_words(fold(view.text))}, find_words(fold(view.answer.partition(ASKING)[2]))
        return read_order(earlier, view.text) if len(words) < 6 and words & {*shown, *_PLACES} else None
    if not asked or not pattern(r"<yes>(?:\W+(?:<yes>|<polite>))*\W*$").match(fold(view.text)):
        return None
    return read_paste(earlier, most=1000) if asked == MANY else keep_as("task", view.asked, earlier)


def read_order(view: View, pick: str = "") -> Plan | None:
    """Do what is ordered of one item; ask where several are meant, which `pick` then says; say so where none is."""
    order = _find_move(view) or _find_order(view)
    if order and not pattern("(?:(?:the|my) )*<many>").match(order.what):
        return _obey(order, view, pick)
    is_change = order or pattern(_CHANGE).match(view.low)
    return refuse("I mark as done or cancelled, delete or move one thing that you name.") if is_change else None


def _find_order(view: View) -> Order | None:
    for kind, form in _FORMS:
        if match := pattern(form).match(view.low):
            what = pattern(_BESIDE).sub("", match["what"].strip(" \"'"))
            # a long one is news: done deal with Mueller, start in April
            if kind not in ("done", "news") or (len(find_words(what)) < 7 and "," not in what):
                return Order(kind, what)
    return None


def _find_move(view: View) -> Order | None:
    """The order to move something; after the name there is a day or a time and nothing else."""
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
        where = {"where": {"status": {"$nin": list(CLOSED)}}} if order.kind in _STATUS else {}
        (found,) = yield [("query_items", {"text": order.what, "limit": 20} | where)]
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
    if order.kind in ("news", "plan") and not is_it:  # nothing is ordered there
        return (yield from keep_as("", view.text, view))
    nearest = "".join(f" The nearest is {name(item)}." for item in _match(found, NEAR)[:1])
    missing = "I do not know which one you mean." if is_it else f"nothing that is kept is “{order.what}”."
    return (yield from refuse(f"{missing}{nearest}"))


def _find_named(order: Order, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The items that have all of the words; if the words are all of some items', those."""
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
    if order.kind in ("delete", "discard"):
        return do("delete_item", {"id": item["id"]}, lambda done: f"Deleted: {name(done['deleted'])}. {UNDO}")
    old = str(item["properties"].get("due_date", "")).partition(" ")[0]
    if order.due.startswith("T") and not old:
        return say(f"{name(item)} has no day yet. Say it with a day: “move it to Friday at 15:00”.")
    due = old[:10] + order.due if order.due.startswith("T") else order.due
    word, day = _STATUS.get(order.kind, "moved"), due + ("" if "T" in due else old[10:16])
    to: dict[str, Any] = {"moved": {old: due}} if "repeats" in item["properties"] else {"due_date": day}
    given = {"id": item["id"], "properties": to if due else {"status": word}}
    return do("update_item", given, lambda done: f"{word.capitalize()}: {name(done)}. {UNDO}")
