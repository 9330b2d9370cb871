"""What is to be kept: tasks, reminders, appointments, notes and ideas, and what they carry."""

import re
from typing import Any

from ana.models.offline import plans
from ana.models.offline.details import Unclear, carried, tidy
from ana.models.offline.plans import Plan, say
from ana.models.offline.prompt import View

_VERBS_WORDS = (
    "apply arrange ask assemble back bake bleed book borrow bring brush build buy call change charge check clean "
    "clear collect compare complete contact cook copy cut defrost descale deposit design do donate download draft "
    "drop dust email empty exchange feed fetch file fill find finish fix fold follow get give go grab hang help hire "
    "hoover install invite iron join keep lend load lock look mail make measure meet mend mop mow oil open order "
    "organise organize pack paint pay phone pick plan plant polish post practise practice prep prepare print "
    "proofread prune pump read recycle register renew rent repair replace reply report research reset return review "
    "ring rinse run sand scan seal sell send service settle sew sharpen ship shop shred sign sort speak start stop "
    "stretch submit survey sweep swap take talk test text thank tidy touch train transfer translate trim try turn "
    "unpack unsubscribe update upgrade upload vacuum visit wash watch water weed wipe work wrap write alphabetise "
    "alphabetize"
)
VERBS = frozenset(_VERBS_WORDS.split())
EVENT = (
    r"\b(?:appointment|meeting|call|lunch|dinner|breakfast|brunch|coffee|drinks|lesson|class|interview|exam|check-?up|haircut|"
    r"date|party|concert|session|viewing|training|workshop|game|match|flight|train|rehearsal|massage|dentist|doctor|therapy|"
    r"physio|gym|yoga|opera|theat(?:re|er)|cinema|webinar|conference|presentation|standup|demo|evening|recital|jab|visit|wedding)\b"
)
_KINDS = tuple((kind, re.compile(rf"\b(?:{words})\b", re.I)) for kind, words in (
    ("idea", "ideas?"), ("note", "notes?|noting|memo|jot|scribble|write (?:this|that|it)? ?down|note"),
    ("reminder", "remind|reminded|reminders?|nudge|ping|forget|make sure"), ("appointment", "appointments?|calendar|diary|event|schedule"),
    ("task", "tasks?|to-?dos?|to do|list|chore|job|add|following|important|urgent|priority|due"),
))  # fmt: skip
"""What the head of a sentence says that its body is."""

_JOINT = re.compile(r"\s*(?P<sign>:|->|[–-]+>?(?= )|[!.,](?= )|\b(?:that|saying|called|named|to)\b)\s+", re.I)
_HEAD_WORDS = (
    "add create make take save store keep put jot write record set up new quick another this it that a an the my me "
    "down in as for of to i i'd i'll we need want would like had have has got here's great wild good idea ideas note "
    "notes noting task tasks todo to-do reminder memo remind reminded give nudge ping scribble park list item don't "
    "do not let forget sure remember undated should be please one more stick and also self under on about appointment "
    "call"
)
_HEAD = frozenset(_HEAD_WORDS.split())
_TOPIC = re.compile(
    r"(?:\b(?:for|about|under|on)\s+(?:the )?(?P<a>(?-i:[A-Z])\w+)|#(?P<b>\w+)|^(?P<c>(?-i:[A-Z])\w+) (?:note|idea))",
    re.I,
)
_OPENINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple((kind, re.compile(pattern, re.I)) for kind, pattern in (
    ("reminder", r"^(?:remind me|remember(?= to)|(?:don'?t|do not) (?:let me )?forget|make sure(?: that)? i)(?: again)?(?: (?:to|about|of|that|for))*[,:]* (?!(?:what|who|when|where|how|why|if)\b)(?P<what>\S.*)$"),
    ("appointment", r"^(?:(?:add|make|create|put in|set up|book|schedule|i have|i've got|there's)[ ,]+)?(?:an? |my |another )?(?:new )?appointment(?: with| for| at|:|,)+ (?P<what>\S.*)$"),
    ("appointment", rf"^(?:(?:i|we)(?:'ve| have)(?: got)?|(?:i |we )?got|there(?:'s| is)|having) (?P<what>(?:an? |the |my |another )?(?:[\w'-]+ ){{0,3}}?{EVENT}.*)$"),
    ("appointment", rf"^(?:put|schedule|book(?: me)?(?: in)?|pencil in|set up|add|arrange)(?: for)? (?P<what>(?:an? |the |my )?(?:[\w'-]+ )?{EVENT}.*)$"),
    ("task", r"^(?:(?:i|we)(?: |(?=')))?(?:really |urgently |still |also )?(?:need|have|want|ought|'ve got|have got|got)(?: got)? to (?P<what>\S.*)$"),
    ("task", r"^(?:(?:i|we) )?(?:really )?(?:must|should|'d better|had better)(?! (?:i|we)\b) (?P<what>\S.*)$"),
    ("task", r"^(?:add|put|stick|save|store|create|record)(?: down)?[: ]+(?P<what>\S.*)$"),
))  # fmt: skip
_LEFT_OVER = re.compile(
    r"\b(?:remind|reminder|priority|urgent|asap|tomorrow|tonight|today|yesterday|o'clock|\d ?[ap]m|noon|weekend|calendar|instead|can wait|"
    r"eod|eow|\d{1,2}/\d{1,2}|\d{1,2}h|easter|christmas|new year|\d+ (?:days|weeks) (?:before|after)|the \d+(?:st|nd|rd|th)|the night before|moved|from now|has become|about me|(?:due|new) date|deadline|context|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:next|this|last) (?:week|month|year))\b(?!')"
    r"|^(?:on|at|by|for|in|with|or|is|as|of|from|until|i|my|need|have|under|put|add|block)\b|[:;@#]|, (?:i|we|so|both|they|he|she)\b"
    r"|\b(?:on|at|by|for|and|the|an?|to|is|of|with|both|week|one)$|^(?!.*\b(?:whether|that|if|who|what|when|where|how|why|which)\b).*\b(?:is|are|was|were|has|had|can't|won't|leaves|starts)\b", re.I)  # fmt: skip
"""What should have been understood, and was not: nothing is kept that holds it."""

_VERB_AND_THING = re.compile(
    r"^(?!(?:what|such|not|is|are|was|were|like|all|half|quite|both|with|in|on|at|for|to|of|by|from|and|but|or|so|than|over|under|about|i|we|it|that|this|"
    r"there|here|no|yes|if|when|while|because|as|only|just|even|maybe|perhaps|hope|guess|think|know|love|hate|want|wish|had|have|has|got|did|do|does|can|will)\b)"
    r"[a-z]+ (?:the|an?|my|our|some|his|her|their|two|three|four|five|twelve|\d+|[A-Z]\w+'s) \w", re.I)  # fmt: skip
_NO_THING = re.compile(
    r"^(?:(?:know|understand|say|admit|be|what|when|who|where|how|why|if|whether)\b|have (?:\w+ed|been|done|gone|known|seen|said|made|taken|told|bought|paid)\b"
    r"|.*[.!?,;]\s+(?:actually|no\b|never ?mind|scratch|wait|don't|do not|forget)|(?:it|that|this|them)?$)", re.I)  # fmt: skip


def pasted(text: str) -> Plan | None:
    """A long text, or one of several lines, is kept as it is where its first words say that it is a note or an idea."""
    match = re.match(r"[^\n:]{0,40}?\b(?P<type>note|idea|memo)s?\b[^\n:]{0,30}:\s*(?P<what>\S.*)", text, re.I | re.S)
    return plans.add(match["what"], {"type": match["type"].lower().replace("memo", "note")}) if match else None


def headed(text: str, view: View) -> Plan | None:
    """A head that says what is to be kept, a joint, and what is: "new idea: ...", "a task for Friday, urgent: ..."."""
    for joint in sorted(_JOINT.finditer(text), key=lambda joint: joint["sign"][0] not in ":->–"):
        head, what = text[: joint.start()], text[joint.end() :]
        bare, properties = _details(head, view)
        words = set(re.findall(r"[\w'-]+", bare.lower()))
        kind = next((kind for kind, pattern in _KINDS if pattern.search(head)), None) or (
            properties and not bare and "task"
        )
        plain, sign = words <= _HEAD, joint["sign"].lower()
        if not kind or len(head) > 70 or ((sign.isalpha() or sign in ".,!") and not plain):
            continue
        if (sign in ".,!" and kind not in ("idea", "note", "reminder")) or (sign == "to" and kind in ("idea", "note")):
            continue
        if kind in ("idea", "note"):
            return _note(kind, what, _TOPIC.search(head))
        if kind == "reminder" and re.match(r"(?:what|who|when|where|how|why|if)\b", what, re.I):
            return None
        content, properties = carried(what, view.now)[0], carried(text, view.now)[1]
        return None if _NO_THING.match(tidy(content)) else _kept(kind, tidy(content), properties)
    return None


def noted(text: str, view: View) -> Plan | None:
    """What is to be remembered is a note."""
    match = re.match(r"(?:remember|keep in mind|bear in mind|save this)(?: that|:)+ (?P<what>\S.*)$", text, re.I | re.S)
    return _note("note", match["what"], None) if match else None


def _note(kind: str, what: str, topic: re.Match[str] | None) -> Plan | None:
    """A note or an idea is kept word for word; only its project is taken out."""
    named = next(filter(None, topic.groups())) if topic else ""
    project = "" if named.lower() in _HEAD else named
    if tagged := re.search(r"\s+(?:#(\w+)|for the (\w+) project)$", what, re.I):
        what, project = what[: tagged.start()], tagged[1] or tagged[2]
    return plans.add(tidy(what), {"type": kind} | ({"project": project} if project else {})) if tidy(what) else None


def _details(text: str, view: View) -> tuple[str, dict[str, Any]]:
    try:
        return carried(text, view.now)
    except Unclear:
        return text, {}


def opened(text: str, view: View) -> Plan | None:
    """Something to be kept: its details are taken out first, wherever they stand, then its opening."""
    if text.endswith("?"):
        return None
    quoted = re.fullmatch(r"""(?P<before>[^"']*?)["'](?P<what>[^"']{3,})["'](?P<after>[^"']*)""", text)
    if quoted and re.match(r"(?:add|put|stick|create|make|save)\b", text, re.I):
        _, properties = carried(f"{quoted['before']} {quoted['after']}", view.now)
        return _kept("task", tidy(quoted["what"]), properties)
    for kind, pattern in _OPENINGS:
        if not pattern.match(_details(text, view)[0]):
            continue
        content, properties = carried(text, view.now)
        match = pattern.match(content) or pattern.match(f"{content} ")
        what = tidy(match["what"]) if match else ""
        if _NO_THING.match(what) or (kind == "appointment" and "due_date" not in properties):
            continue
        if kind == "appointment":
            what = tidy(
                re.sub(r"^(?:an? |the |my )?(?:new |appointment (?:with|for|at) )?(?:an? |the )?", "", what, flags=re.I)
            )
        return _kept(kind, what, properties)
    return None


def _kept(kind: str, content: str, properties: dict[str, Any]) -> Plan:
    """A new item, unless its words hold what should have been understood: a day, a time, an order."""
    if doubt := _LEFT_OVER.search(content):
        return say(
            f"I am not sure what you mean by {doubt[0].strip()!r} in that. Say it like this: remind me to call Anna on Friday at 15:00."
        )
    return plans.add(content, {"type": kind, "status": "active"} | properties)


def fragment(text: str, view: View) -> Plan | None:
    """An order of one's own ("buy milk tomorrow"), or an event with its day and time ("driving lesson at 5 on Tuesday")."""
    if text.endswith("?") or re.search(r"(?<!-)\b(?:you|he|she|they|me|yourself|us)\b", text, re.I):
        return None
    content, properties = carried(text, view.now)
    content = tidy(content)
    first = re.sub(r"^re(?=\w{3})", "", content.split(" ")[0].lower())
    due, tagged = str(properties.get("due_date", "")), properties.keys() - {"due_date"}
    if re.match(
        r"\w+ (?:it|that|this|them|these|those)\b|(?:change|make|turn|set|update) .+ (?:to|into)\b|(?:clear|empty|finish) (?:my|the) (?:list|tasks|notes|items|calendar)\b",
        content,
        re.I,
    ):
        return None
    is_order = {first, content.split(" ")[0].lower()} & VERBS or (properties and _VERB_AND_THING.match(content))
    if is_order and " " in content and not _NO_THING.match(content):
        return _kept("task", content, properties)
    if (
        re.match(r"(?:i|i'm|i've|my|we|it|it's|this|that|what|how|so|very|no|not|there)\b", content, re.I)
        or not content
    ):
        return None
    if (
        due
        and (re.search(EVENT, content, re.I) or "T" in due)
        and not re.search(r"\b(?:is|are|was|were|has|had|went)\b", content)
    ):
        return _kept("appointment", content, properties)
    return _kept("task", content, properties) if tagged and " " in content else None
