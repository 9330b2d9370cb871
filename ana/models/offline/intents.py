"""What a sentence wants: an ordered table of patterns, the first that fits wins. Nothing is guessed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import available_timezones

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
_PASSING = (
    r"(?:have|'ve) (?:to|got|been|an?(?: \w+){0,2} (?:headache|cold|fever|question|problem|idea|meeting|appointment|call|plan))\b"
    r"|(?:don't|can't) (?:know|think|care|mind|want|understand|remember|see|get|have|need|believe|agree|wait|find)\b"
    r"|\w+ (?:thought|saids?|said|knew|had|was|were|went|got|felt|saw|did|made|took|came|told|\w+ed)\b"
    r"|\w+ (?:you|that|this|it)\b|.*[.!?;]\s+\S"
)
"""What passes, is past or speaks of the conversation. It is not learned."""
_BEING = (
    r"^\s*(?:am|'m)\b(?! (?:not )?(?:an? (?!bit|little|lot|mess)\w|allergic|intolerant|vegetarian|vegan|lactose|coeliac|"
    r"celiac|diabetic|married|single|from|based|left-handed|colou?r-?blind))"
)
_LASTING_OF_MINE = (
    r"(?:\w+'s )?(?:name|birthday|job|address|diet|time ?zone|working hours|favou?rite [\w ]+?|blood type) (?:is|are)\b"
    r"|[\w ]+ (?:is|are) (?:called|named|allergic)\b"
)
_NOTHING_TO_KEEP = (
    r"(?:know|understand|say|admit|be|what|when|who|where|how|why|if|whether)\b"
    r"|have (?:\w+ed|been|done|gone|known|seen|said|made|taken|told|bought|paid)\b"
    r"|.*[.!?,;]\s+(?:actually|no\b|never ?mind|scratch|wait|don't|do not|forget)"
)
_POINTING = r"(?:it|that|this|them|these|those|all\b.*|every\w*\b.*)"
_WHICH = "Which one do you mean? Name it by its words; I change one at a time."


def understand(view: View) -> Intent:
    """What the person wants."""
    said = re.sub(r"\s+", " ", view.question).strip()
    plain = re.sub(
        r"^(?:(?:please|hey|ok|okay|so|and|ana)[, ]+|(?:hi|hello|hey)[,.!] +)+|[, ]+(?:please|thanks|thank you)[.!]*$",
        "",
        said,
        flags=re.IGNORECASE,
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
        if re.match(_NOTHING_TO_KEEP, groups["what"], re.IGNORECASE):
            return None
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


def _learn(match: re.Match[str], view: View) -> Intent | None:
    """Learned unasked is only what is plainly lasting; what was to be remembered is, whatever it is."""
    what, unasked = match["what"].strip(), match[0].lower().startswith("i")
    if "?" in what or (unasked and (re.match(_PASSING, what, re.IGNORECASE) or re.match(_BEING, what, re.IGNORECASE))):
        return None
    if unasked and resolve(what, view.today):
        return None
    return Intent("learn", {"line": third_person(match["what"].rstrip(" .!"))})


def _learn_of_mine(match: re.Match[str], _: View) -> Intent | None:
    if not re.match(_LASTING_OF_MINE, match["what"], re.IGNORECASE):
        return None
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
        if re.fullmatch(_POINTING, match["what"].strip(" ?.!"), re.IGNORECASE):
            return Intent("talk", {"text": _WHICH})
        return Intent("change", {"tool": tool, "words": match["what"].strip(" ?.!"), "properties": properties})

    return make


def _move(match: re.Match[str], view: View) -> Intent | None:
    rest, day = carried(match["when"], view.today)
    if rest or "due_date" not in day or not resolve(match["when"], view.today):
        return None
    return _change("update_item", day)(match, view)


def _clock(match: re.Match[str], _: View) -> Intent | None:
    zone = re.search(r"\b(utc)\b|\b([A-Z][A-Za-z]+/[A-Z][A-Za-z_]+)", match.string, re.IGNORECASE)
    if zone is None and (place := re.search(r"\bin ([A-Z][\w ]+?)(?: right now| now)?[ ?.!]*$", match.string)):
        name = "/" + place[1].replace(" ", "_")
        found = next((z for z in sorted(available_timezones()) if z.endswith(name)), None)
        return Intent("clock", {"timezone": found}) if found else None
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
