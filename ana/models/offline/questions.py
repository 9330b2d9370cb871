"""Questions about what is kept: what they filter by, and which of their words say what is looked for."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from ana.models.offline.matching import fitting, stems
from ana.models.offline.plans import OPEN, Asked, Plan, find, say
from ana.models.offline.prompt import View
from ana.when import due_question, named_days

TYPES = {f"{word}{s}": kind for kind, words in {
    "task": "task todo to-do chore job", "note": "note", "idea": "idea", "reminder": "reminder",
    "appointment": "appointment meeting event"}.items() for word in words.split() for s in ("", "s")}  # fmt: skip
_ASKING = re.compile(
    r"^(?:(?:at|in|on|for|by|to|from) )?(?:what|which|when|where|who|whose|how|any|anything|is there|are there|show|list|give me|tell me|display|see|check"
    r"|do i|did i|have i|had i|am i|was i|is (?:my|the|it)|are (?:my|the)|do we|did we|have we|find|search|look|pull up|bring up|get me|run (?:me )?through|go through|remind me what)\b", re.I)  # fmt: skip
_KIND = "|".join(sorted(TYPES, key=len, reverse=True))
_LISTED = re.compile(
    rf"^(?:[\w@#-]+ ){{0,2}}(?:{'|'.join(k for k in TYPES if k.endswith('s'))}|errands)\b(?!:)|^(?:everything|anything|all)\b",
    re.I,
)
_PLACES = {"errand": "errands", "home": "home", "office": "office", "work": "office"}
_FILTERS: tuple[tuple[str, re.Pattern[str]], ...] = tuple((name, re.compile(rf"\b(?:{words})\b", re.I)) for name, words in (
    ("overdue", "overdue|past due|(?:running |am i )?late(?: with| on)?|missed|slipped|behind (?:on|with)"),
    ("undated", r"undated|(?:without|with no|no|have no|has no|don't have) (?:an? |any )?(?:due )?(?:dates?|deadlines?)(?: set)?"),
    ("done", r"did i (?:get )?.{0,12}\bdone|(?:already |have i |did i |i've |been )(?:got )?(?:finish(?:ed)?|complete[d]?|done|tick(?:ed)? off)|(?:finished|completed|done)(?= (?:tasks?|items?|things|stuff|this|last|so|today|yesterday|$))"),
    ("open", "(?:still |not yet )?(?:open|left|pending|unfinished|outstanding|remaining|active|not done|incomplete|to be done)|still (?:have )?to do"),
    ("high", r"(?:high|top)[ -]priority|urgent|(?:most )?important|priority high"),
    ("low", "low[ -]priority|priority low|unimportant|not urgent"),
    ("coming", "coming up|upcoming|ahead|from now on|next up"),
))  # fmt: skip
_CONTEXT = re.compile(
    rf"\b(errand)s?\b|@(\w+)|\bat (?:the )?(home|office|work)\b|\b(home|office)(?= (?:{_KIND}|things|stuff|jobs|to-dos?)\b)",
    re.I,
)
_FILLERS = stems(
    "show list find give get tell me see check search look pull bring display all every everything anything something "
    "things stuff happening scheduled planned plan going having have has had got saved kept stored wrote write down know "
    "about regarding related concerning for of that project deadline deadlines calendar agenda schedule plate week month "
    "day far again currently total many much how did made put say said called like upcoming coming up us please could tagged context whatever free long time start run through doing everything else "
    "missed completed done finished open left late mean meant want wanted whole any other few most priority set on's"
)
_OWN = re.compile(
    r"\b(?:i|i've|i'm|my|me|mine|we|our|notes?|ideas?|tasks?|find|search|anything|thing|stuff|again)\b", re.I
)


def about_you(text: str, view: View) -> Plan | None:
    """The answer to a question that a line of Global Context has the words of."""
    if not re.search(r"\b(?:i|my|me)\b", text, re.I) or not _ASKING.search(text):
        return None
    wanted = " ".join(stems(text) - _FILLERS)
    best = fitting(wanted, view.lines, 0.45)
    lines = "\n".join(f"- {view.lines[number]}" for number in best)
    return say(f"What I know about you:\n{lines}") if best and len(best) < 3 else None


def question(text: str, view: View) -> Plan | None:
    """The plan for a question, or None where it is none, or none about what is kept."""
    asks = _ASKING.search(text) is not None or text.rstrip().endswith("?") or _LISTED.match(text) is not None
    rest = re.sub(r"[?!.]+$", "", text)
    said = {}
    for name, pattern in _FILTERS:
        said[name] = pattern.search(rest) is not None
        rest = pattern.sub(" ", rest)
    where: dict[str, Any] = {}
    if days := _days(text, rest, view.now, said):
        rest, where["due_date"] = days
    if place := _CONTEXT.search(rest):
        name = next(filter(None, place.groups())).lower()
        where["context"] = _PLACES.get(name, name)
        rest = _CONTEXT.sub(" ", rest)
    kinds = re.findall(rf"\b(?:{_KIND})\b", rest, re.I)
    rest = re.sub(rf"\b(?:{_KIND})\b", " ", rest, flags=re.I)
    where |= {"type": TYPES[kinds[0].lower()]} if len(set(kinds)) == 1 else {}
    where |= {"priority": "high"} if said["high"] else {"priority": "low"} if said["low"] else {}
    words = " ".join(word for word in re.findall(r"#?[\w'-]+", rest) if stems(word) - _FILLERS)
    filtered = where.keys() - {"type"} or said["undated"]
    if not asks and re.match(r"i(?:'m| am| was| have|'ve)?\b", text, re.I):
        return None
    if not asks and not (filtered and (not words or said["overdue"])):
        return None
    exact = bool(where.keys() - {"type"}) or said["open"] or said["done"] or said["undated"]
    everything = re.search(r"\b(?:everything|all|items?|things|stuff|list|what do i have|what have i)\b", text, re.I)
    if not words and not where and not exact and not everything:
        return None
    if not words or exact:
        where |= {"status": "done"} if said["done"] else {"status": "active"} if said["open"] else OPEN
    return find(Asked(text, words.replace("#", ""), where, bool(_OWN.search(text)), exact, said["undated"]))


def _days(text: str, rest: str, now: datetime, said: dict[str, bool]) -> tuple[str, dict[str, str]] | None:
    """The text without the days it names, and the filter they make."""
    today = now.date()
    if said["overdue"]:
        return rest, {"$lt": now.isoformat(timespec="minutes")}
    if span := due_question(text, today):
        mentions = named_days(rest, today)
        first, last = span
    elif len(mentions := named_days(rest, today)) == 1:
        first, last = mentions[0].first, mentions[0].last
    else:
        return (rest, {"$gte": today.isoformat()}) if said["coming"] else None
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    bounds = {"$gte": first.isoformat()} if first > date.min else {}
    return rest, bounds | ({"$lte": last.isoformat()} if last < date.max - timedelta(days=1) else {})
