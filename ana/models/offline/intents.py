"""What a sentence wants: an ordered table of patterns, the first that fits wins. Nothing is guessed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ana.models.offline.phrases import carried, third_person
from ana.models.offline.prompt import View
from ana.models.offline.sums import expression_in
from ana.when import due_question, resolve


@dataclass(frozen=True)
class Intent:
    """What is wanted, and with what.

    Args:
        kind: add, learn, recall, forget, focus, find, change, calculate, clock, talk or unknown.
        data: What the kind needs.
    """

    kind: str
    data: dict[str, Any] = field(default_factory=dict)


Rule = tuple[re.Pattern[str], Callable[[re.Match[str], View], Intent | None]]

TYPES = {"task": "task", "todo": "task", "to-do": "task", "note": "note", "idea": "idea", "reminder": "reminder"}
TYPES |= {"appointment": "appointment", "meeting": "appointment"}
WITHOUT_STATUS = ("note", "idea")
_KINDS = "|".join(TYPES)
_VERBS = (
    "buy|call|ring|phone|email|mail|write|send|pay|book|review|finish|prepare|clean|fix|submit|get|renew|visit|order|"
    "return|print|read|wash|water|repair|collect|pick up|sign|check|plan|meet|bring|take"
)
_LASTING = (
    "prefer|like|love|hate|dislike|enjoy|live|work|eat|drink|speak|am|'m|have|'ve|own|can't|don't|usually|always|never|"
    "often|normally|generally|mostly|rarely|sometimes|only|use|sleep|run|study|teach"
)
_PASSING = r"(?:have to|have got to|'ve got to|(?:am|'m) (?:going|about|tired|here|back|sorry|fine|ok|not sure)|don't (?:know|think))\b"


def understand(view: View) -> Intent:
    """What the person wants."""
    said = re.sub(r"\s+", " ", view.question).strip()
    plain = re.sub(
        r"^(?:please|hey|ok|okay|so|and|ana)[, ]+|[, ]+(?:please|thanks|thank you)[.!]*$", "", said, flags=re.IGNORECASE
    )
    plain = re.sub(r"^(?:can|could|would|will) you (?:please )?", "", plain, flags=re.IGNORECASE)
    if expression := expression_in(plain):
        return Intent(
            "calculate", {"expression": expression, "bare": bool(re.search(r"\b(?:just|only)\b", plain, re.IGNORECASE))}
        )
    for pattern, make in RULES:
        match = pattern.search(plain)
        if match and (intent := make(match, view)):
            return intent
    return Intent("unknown")


def _add(type: str) -> Callable[[re.Match[str], View], Intent | None]:
    def make(match: re.Match[str], view: View) -> Intent | None:
        groups = match.groupdict()
        kind = TYPES.get((groups.get("type") or "").lower(), type)
        content, properties = carried(groups["what"], view.today)
        if not content:
            return None
        status = {} if kind in WITHOUT_STATUS else {"status": "active"}
        return Intent("add", {"content": content, "properties": {"type": kind} | status | properties})

    return make


def _put(match: re.Match[str], view: View) -> Intent | None:
    intent = _add("appointment")(match, view)
    return intent if intent and "due_date" in intent.data["properties"] else None


def _verb_first(match: re.Match[str], view: View) -> Intent | None:
    """An order of one's own ("buy milk tomorrow") is taken for a task only when it says when."""
    intent = _add("task")(match, view)
    return intent if intent and "due_date" in intent.data["properties"] and "?" not in match[0] else None


def _learn(match: re.Match[str], _: View) -> Intent | None:
    if re.search(_PASSING, match["what"], re.IGNORECASE) or "?" in match["what"]:
        return None
    return Intent("learn", {"line": third_person(match["what"].rstrip(" .!"))})


def _learn_of_mine(match: re.Match[str], _: View) -> Intent:
    return Intent("learn", {"line": f"Their {match['what'].rstrip(' .!')}"})


def _due(_: re.Match[str], view: View) -> Intent | None:
    span = due_question(view.question, view.today)
    if span is None:
        return None
    first, last = span
    bounds = {"$lte": last.isoformat()} | ({"$gte": first.isoformat()} if first.year > 1 else {})
    return Intent("find", {"where": {"due_date": bounds, "status": {"$ne": "done"}}, "limit": 50})


def _list(match: re.Match[str], _: View) -> Intent:
    where: dict[str, Any] = {"status": {"$ne": "done"}}
    if match["type"]:
        where["type"] = TYPES[match["type"].lower()]
    if match["priority"]:
        where["priority"] = "high"
    return Intent("find", {"where": where, "limit": 50})


def _find(match: re.Match[str], _: View) -> Intent:
    return Intent("find", {"text": match["what"].strip(" ?.!"), "limit": 5})


def _change(tool: str, properties: dict[str, Any]) -> Callable[[re.Match[str], View], Intent | None]:
    def make(match: re.Match[str], _: View) -> Intent:
        return Intent("change", {"tool": tool, "words": match["what"].strip(" ?.!"), "properties": properties})

    return make


def _move(match: re.Match[str], view: View) -> Intent | None:
    when = resolve(match["when"], view.today)
    day = {"due_date": when[0].last.isoformat()} if when else None
    return Intent("change", {"tool": "update_item", "words": match["what"], "properties": day}) if day else None


def _clock(match: re.Match[str], _: View) -> Intent:
    zone = re.search(r"\b(utc)\b|\b([A-Z][A-Za-z]+/[A-Z][A-Za-z_]+)", match.string, re.IGNORECASE)
    return Intent("clock", {"timezone": "utc" if zone and zone[1] else zone[2] if zone else "local"})


def _talk(text: str) -> Callable[[re.Match[str], View], Intent | None]:
    return lambda _, __: Intent("talk", {"text": text})


def _plain(kind: str) -> Callable[[re.Match[str], View], Intent | None]:
    return lambda match, _: Intent(kind, dict(match.groupdict()))


def _rule(pattern: str, make: Callable[[re.Match[str], View], Intent | None]) -> Rule:
    return re.compile(pattern, re.IGNORECASE), make


_WHAT = r"(?P<what>\S.*)"
RULES: tuple[Rule, ...] = (
    _rule(
        r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))( there| ana)?[.! ]*$",
        _talk("Hello. What is on your mind?"),
    ),
    _rule(r"^(?:thanks?|thank you|thx|cheers|great|perfect|nice)\b[\w ,]{0,20}[.! ]*$", _talk("You are welcome.")),
    _rule(r"\bwhat(?:'s| is)?(?: the)? (?:current )?time(?: is it| in| right now|\b[ ?]*$)|^time\??$", _clock),
    _rule(r"\bwhat(?:'s| is) (?:the |today's )(?:current )?date\b|\bwhat (?:day|date) is (?:it|today)\b", _clock),
    _rule(r"\bwhat (?:do you know|have you learn(?:ed|t)) about me\b|\bwho am i\b", _plain("recall")),
    _rule(
        r"\bwhat (?:should|shall|could) i (?:focus on|work on|do|start with|tackle)\b|\bwhat(?:'s| is) (?:most )?important\b",
        _plain("focus"),
    ),
    _rule(r"^", _due),
    _rule(
        rf"^(?:show|list|give|what are)(?: me)?(?: all)?(?: of)?(?: my| the)?(?P<priority> high[- ]priority| urgent)?(?: open| active)? (?:(?P<type>{_KINDS})s?|items|things|everything)[ ?.]*$",
        _list,
    ),
    _rule(
        r"^(?:find|search(?: for)?|look for|show me|(?:what|anything) (?:do you have |do i have |is there )?(?:on|about))(?: (?:my|the|notes? (?:on|about)))? "
        + _WHAT,
        _find,
    ),
    _rule(r"^(?:any |my |the )?(?:notes?|tasks?|ideas?|items?|things?) (?:about|on|for|regarding) " + _WHAT, _find),
    _rule(r"^(?:did|do) i (?:plan|want|have|need|mean) to " + _WHAT, _find),
    _rule(r"^forget (?:that |about )?(?:i |my |the )?" + _WHAT, _plain("forget")),
    _rule(
        r"^(?:mark|set|tick off) (?:the |my )?(?P<what>\S.*?) (?:as )?(?:done|complete[d]?|finished)[.! ]*$",
        _change("update_item", {"status": "done"}),
    ),
    _rule(
        r"^(?:i(?:'ve| have|'m| am)? )?(?:done|finished|completed)(?: with)? (?:the |my )?" + _WHAT,
        _change("update_item", {"status": "done"}),
    ),
    _rule(r"^(?:reopen|open again) (?:the |my )?" + _WHAT, _change("update_item", {"status": "active"})),
    _rule(
        r"^(?:move|reschedule|postpone|push|shift) (?:the |my )?(?P<what>\S.*?) (?:to|until|till) (?P<when>\S.*)", _move
    ),
    _rule(
        r"^(?:delete|erase|remove|drop) (?:the |my )?(?P<what>\S.*?)(?: (?:task|note|item|idea|reminder))?[.! ]*$",
        _change("delete_item", {}),
    ),
    _rule(r"^(?:remember that|keep in mind that|you should know(?: that)?) i(?P<what>[ '].*)", _learn),
    _rule(r"^remind me(?: (?:to|about|of|that))? " + _WHAT, _add("reminder")),
    _rule(
        r"^(?:remember to|don'?t (?:let me )?forget to|i (?:need|have|want|ought) to|i(?:'ve| have) got to|i must|i should) "
        + _WHAT,
        _add("task"),
    ),
    _rule(
        rf"^(?:(?:add|create|make|save|store|new|record|keep)\b)(?: (?:a|an|the|this|my|new))*(?: (?P<type>{_KINDS}))?(?: (?:to|that|about|called))?[ :,-]+"
        + _WHAT,
        _add("task"),
    ),
    _rule(r"^(?:note down|jot down|write down|note|remember)(?: that)?[ :-]+" + _WHAT, _add("note")),
    _rule(rf"^(?P<type>{_KINDS})\s*[:–-]+\s*" + _WHAT, _add("task")),
    _rule(r"^(?:put|schedule|book in) (?:the |my |a |an )?" + _WHAT, _put),
    _rule(rf"^i(?= |')(?P<what> ?(?:{_LASTING})\b.*)", _learn),
    _rule(r"^my (?P<what>\w[\w ]* (?:is|are|was)\b(?! (?:due|on|at|tomorrow|today)\b)[^?]*)$", _learn_of_mine),
    _rule(rf"^(?P<what>(?:{_VERBS})\b.*)", _verb_first),
)
