"""Questions about stored items: their filters, and which of their words say what is looked for."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from ana.memory.status import DONE
from ana.models.offline.english import PATTERNS, VERBS, read_patterns, read_words
from ana.models.offline.items import Item, describe, due_day, find_best, format_items, stems
from ana.models.offline.plans import HELP, MOST, OPEN, TO_DO, NotUnderstood, Plan, refuse, say
from ana.models.offline.view import View
from ana.time.when import drop_mentions, find_named_days, find_times, read_due_question

_FLAGS = read_patterns("question patterns")
_FILLERS = stems(" ".join(read_words("fillers")))
_TYPES = dict.fromkeys(("todo", "to-do", "chore", "job"), "task") | dict.fromkeys(("meeting", "event"), "appointment")
_TASKLIKE = ("task", "reminder", "appointment")
"""The types of items that have a status."""
_PLACES = {"errand": "errands", "work": {"$in": ["work", "office"]}, "office": {"$in": ["work", "office"]}}
_PRIORITIES = {"high": {"$in": ["high", 1]}, "low": "low"}
_FILTERS = "I filter by day (“before 1 December”), kind, project, place, priority, and open or done."
NEAREST = 5


def plan_answer_about_person(text: str, view: View) -> Plan | None:
    """Answer a question that a line of Global Context has the words of."""
    is_asked = PATTERNS["asking"].search(text)
    about_items = PATTERNS["kind"].search(text) and PATTERNS["at"].search(text)  # "tasks at work" is not about work
    if not is_asked or about_items or re.match(r"(?:find|show|list|search|did i|have i)\b|every|any", text, re.I):
        return None
    share = 0.45 if re.search(r"\b(?:i|my|me)\b", text, re.I) else 0.99
    best = find_best(" ".join(stems(text) - _FILLERS), view.lines, share)
    lines = "\n".join(f"- {view.lines[number]}" for number in best)
    return say(f"What I know about you:\n{lines}") if best and len(best) < 6 else None


def plan_search(text: str, view: View) -> Plan | None:
    """Look for items; None where the text is not a question, or not one about stored items."""
    is_asked = PATTERNS["asking"].search(text) is not None
    rest, flags = _take_flags(re.sub(r"[?!.]+$", "", text))
    rest, where = _take_filters(text, rest, flags, view.now)
    types = {kind.lower().removesuffix("s") for kind in PATTERNS["kind"].findall(rest)}
    types = {_TYPES.get(kind, kind) for kind in types}
    unread = PATTERNS["no filter"].search(rest)
    words = re.findall(r"#?[\w'-]+", PATTERNS["kind"].sub(" ", rest))
    rest = " ".join(word for word in words if stems(word) - _FILLERS)
    is_filtered, is_undated = bool(where) or "undated" in flags, "undated" in flags
    done_on = _take_done_days(where, flags)
    # without a question there must be a filter ("tasks for today"), or anything at all would be looked up
    if not is_asked and (not is_filtered or _is_statement(text) or (rest and "overdue" not in flags)):
        return None
    if unread and not _is_plain_not(unread[0], where, flags, types):
        return refuse(f"I did not understand {unread[0].strip()!r}, so I looked for nothing. {_FILTERS}")
    where |= {"type": types.pop()} if len(types) == 1 else {}
    is_exact = is_filtered or bool(flags & {"open", "done"})
    if not (rest or where or is_exact or PATTERNS["everything"].search(text)):
        return None
    if not rest or is_exact or where.get("type") in _TASKLIKE:
        where |= _choose_status(flags)
    is_own = PATTERNS["own"].search(text) is not None
    plan = _find(Search(text, rest.replace("#", ""), where, is_own, is_exact, is_undated, done_on))
    return _say_not_is_unread(plan) if unread else plan


def _is_plain_not(unread: str, *filters: Collection[str]) -> bool:
    """Whether it is a "not" beside plain words, as in "the nuts I must not eat", and not one of a filter."""
    return unread.startswith("not ") and not any(filters)


def _choose_status(flags: set[str]) -> dict[str, Any]:
    """The filter that says whether what is done, what is to be done or all that is open is meant."""
    return {"status": {"$in": list(DONE)}} if "done" in flags else TO_DO if "open" in flags else OPEN


def _take_done_days(where: dict[str, Any], flags: set[str]) -> dict[str, str]:
    """Take the days out of a filter if they say when something was done: results tell that, due dates do not."""
    days: dict[str, str] = where.pop("due_date", {}) if "done" in flags and "overdue" not in flags else {}
    if "$gte" in days:
        where["updated_at"] = {"$gte": days["$gte"]}
    return days


def _is_statement(text: str) -> bool:
    first = text.split(" ")[0].lower()
    return ":" in text or first in VERBS or re.match(r"i(?:'m|'ve)?$", first) is not None


def _take_flags(rest: str) -> tuple[str, set[str]]:
    """The text without the words that say the state or the kind of date of items, and what they say."""
    flags = set[str]()
    for name, pattern in _FLAGS.items():
        flags |= {name} if pattern.search(rest) else set()
        rest = pattern.sub(" did " if name == "done" else " ", rest)  # a day beside it is past
    return rest, flags


def _take_filters(text: str, rest: str, flags: set[str], now: datetime) -> tuple[str, dict[str, Any]]:
    """The text without the priority, the days, the place and the times in it, and the filter they make."""
    where: dict[str, Any] = {"priority": _PRIORITIES[min(flags & {*_PRIORITIES})]} if flags & {*_PRIORITIES} else {}
    if days := _take_days(text, rest, now, flags):
        rest, where["due_date"] = days
    if place := PATTERNS["at"].search(rest):
        name = next(filter(None, place.groups())).lower()
        where["context"] = _PLACES.get(name, name)
        rest = PATTERNS["at"].sub(" ", rest)
    return drop_mentions(rest, find_times(rest)), where


def _take_days(text: str, rest: str, now: datetime, flags: set[str]) -> tuple[str, dict[str, str]] | None:
    """The text without the days it names, and the filter they make; None where it names none."""
    if "overdue" in flags:
        return rest, {"$lt": now.isoformat(timespec="minutes")}
    mentions = find_named_days(rest, now.date())
    only = (mentions[0].first, mentions[0].last) if len(mentions) == 1 else None
    if (span := read_due_question(text, now.date()) or only) is None:
        return (rest, {"$gte": now.date().isoformat()}) if "coming" in flags else None
    bounds = {"$gte": span[0].isoformat()} if span[0] > date.min else {}
    return drop_mentions(rest, mentions), bounds | (
        {"$lte": span[1].isoformat()} if span[1] < date.max - timedelta(days=1) else {}
    )


@dataclass(frozen=True)
class Search:
    """A question for items.

    Args:
        text: The question, for its meaning.
        words: Its words that say what is looked for; empty for all that pass the filter.
        where: The filter.
        is_own: Whether it is about the person's own items: then the nearest by meaning are shown when no word fits.
        is_exact: Whether only items that have every word are meant.
        is_undated: Whether only items without a date are meant.
        done_on: The days on which they were done: the first as $gte, the last as $lte.
    """

    text: str
    words: str
    where: Mapping[str, Any]
    is_own: bool
    is_exact: bool
    is_undated: bool
    done_on: Mapping[str, str]

    def suits(self, item: Item) -> bool:
        """Whether an item is one of those meant, as far as no filter can tell."""
        day = str(item.get("completed_at", ""))[:10]
        was_done = not self.done_on or self.done_on.get("$gte", "1") <= day <= self.done_on.get("$lte", "9")
        return was_done and not (self.is_undated and due_day(item))

    def match(self, items: Mapping[str, Item]) -> list[str]:
        """The ids of the items that have the words."""
        texts = {id: describe(item) for id, item in items.items()}
        if self.is_exact:
            return [id for id in texts if stems(self.words) <= stems(texts[id])]
        return find_best(self.words, texts, 0.3)[:NEAREST]


def _find(search: Search) -> Plan:
    # without a text the items come sorted by date, so those without one might lie beyond the limit
    meaning = search.text if search.words else "without a date" if search.is_undated else ""
    given = ({"where": search.where} if search.where else {}) | ({"text": meaning} if meaning else {})
    found = yield "query_items", given | {"limit": MOST}
    items = {item["id"]: item for item in found["items"] if search.suits(item)}
    total = len(items) if len(items) < len(found["items"]) else found.get("total", len(items))
    if search.words:
        best = search.match(items)
        if not best and search.where.get("type") in _TASKLIKE:
            # people call a task a reminder
            wider = {key: value for key, value in search.where.items() if key != "type"}
            return (yield from _find(replace(search, where=wider)))
        if not best:
            return _say_none(search, [*items.values()][:NEAREST])
        items, total = {id: items[id] for id in best}, len(best)
    more = f"\n(the first {len(items)} of {total})" if total > len(items) else ""
    count = f"{total}:\n" if search.text.lower().startswith("how many") else ""
    place = " with that place" if "context" in search.where else ""
    return count + format_items([*items.values()]) + more if items else f"Nothing{place}."


def _say_not_is_unread(plan: Plan) -> Plan:
    return f"I do not read “not”; by the other words:\n{(yield from plan)}"


def _say_none(search: Search, nearest: list[Item]) -> str:
    nothing = f"I found nothing with the words {search.words!r}."
    if not search.is_own:
        raise NotUnderstood(f"{nothing} {HELP}")
    close = nearest and not search.is_exact
    return f"{nothing} Nearest in meaning:\n{format_items(nearest)}" if close else nothing
