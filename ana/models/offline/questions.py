"""Questions about what is kept: what they filter by, and which of their words say what is looked for."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from ana.models.offline.english import LIKE, VERBS, patterns, words
from ana.models.offline.items import fitting, stems
from ana.models.offline.plans import OPEN, Plan, find, say
from ana.models.offline.view import View
from ana.time.when import due_question, named_days, times

_FILTERS = patterns("question patterns")
_FILLERS = stems(" ".join(words("fillers")))
_KINDS = {
    "todo": "task",
    "to-do": "task",
    "chore": "task",
    "job": "task",
    "meeting": "appointment",
    "event": "appointment",
}


def about_you(text: str, view: View) -> Plan | None:
    """The answer to a question that a line of Global Context has the words of."""
    if not LIKE["asking"].search(text) or re.match(r"(?:find|show|list|search|did i|have i)\b|every|any", text, re.I):
        return None
    share = 0.45 if re.search(r"\b(?:i|my|me)\b", text, re.I) else 0.99
    best = fitting(" ".join(stems(text) - _FILLERS), view.lines, share)
    lines = "\n".join(f"- {view.lines[number]}" for number in best)
    return say(f"What I know about you:\n{lines}") if best and len(best) < 6 else None


def question(text: str, view: View) -> Plan | None:
    """The plan for a question, or None where it is none, or none about what is kept."""
    asks, first = LIKE["asking"].search(text), text.split(" ")[0].lower()
    rest, said = re.sub(r"[?!.]+$", "", text), set[str]()
    for name, pattern in _FILTERS.items():
        said |= {name} if pattern.search(rest) else set()
        rest = pattern.sub(" ", rest)
    where: dict[str, Any] = {"priority": "high" if "high" in said else "low"} if said & {"high", "low"} else {}
    if days := _days(text, rest, view.now, said):
        rest, where["due_date"] = days
    if place := LIKE["at"].search(rest):
        name = next(filter(None, place.groups())).lower()
        where["context"] = {"errand": "errands", "work": "office"}.get(name, name)
        rest = LIKE["at"].sub(" ", rest)
    for time in reversed(times(rest)):
        rest = f"{rest[: time.start]} {rest[time.end :]}"
    kinds = {kind.lower().removesuffix("s") for kind in LIKE["kind"].findall(rest)}
    kinds = {_KINDS.get(kind, kind) for kind in kinds}
    filtered, undated = where or "undated" in said, "undated" in said
    where |= {"type": kinds.pop()} if len(kinds) == 1 else {}
    rest = " ".join(w for w in re.findall(r"#?[\w'-]+", LIKE["kind"].sub(" ", rest)) if stems(w) - _FILLERS)
    exact = bool(filtered or said & {"open", "done"})
    if not asks and (":" in text or first in VERBS or re.match(r"i(?:'m|'ve)?$", first) or not filtered):
        return None
    if not (rest or where or exact or LIKE["everything"].search(text)) or (rest and not asks and "overdue" not in said):
        return None
    if not rest or exact or where.get("type") in ("task", "reminder", "appointment"):
        where |= {"status": "done"} if "done" in said else {"status": "active"} if "open" in said else OPEN
    own = LIKE["own"].search(text) is not None
    return find(text, rest.replace("#", ""), where, own=own, exact=exact, undated=undated)


def _days(text: str, rest: str, now: datetime, said: set[str]) -> tuple[str, dict[str, str]] | None:
    """The text without the days it names, and the filter they make."""
    if "overdue" in said:
        return rest, {"$lt": now.isoformat(timespec="minutes")}
    mentions = named_days(rest, now.date())
    span = due_question(text, now.date()) or ((mentions[0].first, mentions[0].last) if len(mentions) == 1 else None)
    if span is None:
        return (rest, {"$gte": now.date().isoformat()}) if "coming" in said else None
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    bounds = {"$gte": span[0].isoformat()} if span[0] > date.min else {}
    return rest, bounds | ({"$lte": span[1].isoformat()} if span[1] < date.max - timedelta(days=1) else {})
