"""What a sentence wants: ordered tables of patterns, the first that fits wins. Nothing is guessed."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import available_timezones

from ana.models.offline import changes, plans
from ana.models.offline.details import Unclear, carried, tidy
from ana.models.offline.learning import lasting, of_mine
from ana.models.offline.plans import HELP, Plan, say
from ana.models.offline.prompt import View
from ana.models.offline.questions import about_you, question
from ana.sums import expression_in
from ana.when import resolve

Make = Callable[[re.Match[str], View], Plan | None]

LONGEST = 2000
"""Longer texts are kept as notes where they say that they are one; no rule reads them."""

_LEADING = re.compile(
    r"^(?:(?:just so you know|please|plz|pls|kindly|hey|hi|hello|ok|okay|so|and|also|then|thanks|thank you|great|ana|well|oh|um+|actually|just"
    r"|finally|quickly|btw|by the way|for the record|fyi|right|alright|hmm+|one more thing|two things)\b[,.!:\s-]*)+(?=\S)"
    r"|^(?:can|could|would|will) (?:you|u) (?:please |pls |kindly |also |just )?|^(?:i'?d|i would) like (?:you )?to |^(?:let's|lets) "
    r"|^i want (?:you )?to (?=(?:add|create|delete|move|see|reschedule|mark|rename|cancel|change)\b)|^help me (?:to )?", re.I)  # fmt: skip
_TRAILING = re.compile(r"(?:[,;.!]? *\b(?:please|pls|plz|thanks|thank you|thx|cheers|for me|would you|will you|ok|okay|too)\b)+[.!? ]*$", re.I)
_TYPOS = {
    "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow", "2day": "today", "teh": "the", "u": "you", "ur": "your",
    "gotta": "have to", "wanna": "want to", "appt": "appointment", "mtg": "meeting", "dont": "don't", "im": "I'm",
    "ive": "I've", "whats": "what's", "cant": "can't", "prio": "priority", "plz": "please", "pls": "please", "remindme": "remind me",
}  # fmt: skip
_SPELT = (
    ["remind", "reminder", "tomorrow", "delete", "appointment", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "priority", "reschedule", "january", "february", "august", "september", "october", "november", "december", "meeting", "cancel", "remember"]
)
_FOREIGN = re.compile(r"\b(?:ich|der|das|und|mich|nicht|ist|que|para|una|mañana|les|pour|une|du|è)\b|[^\W\da-zA-ZÀ-ž]", re.I)
VERBS = frozenset(
    ["apply", "arrange", "ask", "assemble", "back", "bake", "bleed", "book", "borrow", "bring", "brush", "build", "buy", "call", "change", "charge", "check", "clean", "clear", "collect", "compare", "complete", "contact", "cook", "copy", "cut", "defrost", "descale", "deposit", "design", "do", "donate", "download", "draft", "drop", "dust", "email", "empty", "exchange", "feed", "fetch", "file", "fill", "find", "finish", "fix", "fold", "follow", "get", "give", "go", "grab", "hang", "help", "hire", "hoover", "install", "invite", "iron", "join", "keep", "lend", "load", "lock", "look", "mail", "make", "measure", "meet", "mend", "mop", "mow", "oil", "open", "order", "organise", "organize", "pack", "paint", "pay", "phone", "pick", "plan", "plant", "polish", "post", "practise", "practice", "prep", "prepare", "print", "proofread", "prune", "pump", "read", "recycle", "register", "renew", "rent", "repair", "replace", "reply", "report", "research", "reset", "return", "review", "ring", "rinse", "run", "sand", "scan", "seal", "sell", "send", "service", "settle", "sew", "sharpen", "ship", "shop", "shred", "sign", "sort", "speak", "start", "stop", "stretch", "submit", "survey", "sweep", "swap", "take", "talk", "test", "text", "thank", "tidy", "touch", "train", "transfer", "translate", "trim", "try", "turn", "unpack", "unsubscribe", "update", "upgrade", "upload", "vacuum", "visit", "wash", "watch", "water", "weed", "wipe", "work", "wrap", "write", "alphabetise", "alphabetize"]
)
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
_HEAD = frozenset(
    "add create make take save store keep put jot write record set up new quick another this it that a an the my me down in as "
    "for of to i i'd i'll we need want would like had have has got here's great wild good idea ideas note notes noting task tasks "
    "todo to-do reminder memo remind reminded give nudge ping scribble park list item don't do not let forget make sure remember "
    "undated should be please another one more stick and also self under on about appointment call it".split()
)
_TOPIC = re.compile(r"(?:\b(?:for|about|under|on)\s+(?:the )?(?P<a>(?-i:[A-Z])\w+)|#(?P<b>\w+)|^(?P<c>(?-i:[A-Z])\w+) (?:note|idea))", re.I)
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
    r"\b(?:remind|reminder|priority|urgent|asap|tomorrow|tonight|today|yesterday|o'clock|\d ?[ap]m|noon|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|(?:next|this|last) (?:week|month|year)|calendar)\b(?!')|^(?:on|at|by|for|in|with|or|is|as|of|from|until|i|my|need|have)\b|[:;]|\b(?:on|at|by|for|and|the|an?|to|is|of|with)$", re.I)  # fmt: skip
_VERB_AND_THING = re.compile(
    r"^(?!(?:what|such|not|is|are|was|were|like|all|half|quite|both|with|in|on|at|for|to|of|by|from|and|but|or|so|than|over|under|about|i|we|it|that|this|"
    r"there|here|no|yes|if|when|while|because|as|only|just|even|maybe|perhaps|hope|guess|think|know|love|hate|want|wish|had|have|has|got|did|do|does|can|will)\b)"
    r"[a-z]+ (?:the|an?|my|our|some|his|her|their|two|three|four|five|twelve|\d+|[A-Z]\w+'s) \w", re.I)  # fmt: skip
_NO_THING = re.compile(
    r"^(?:(?:know|understand|say|admit|be|what|when|who|where|how|why|if|whether)\b|have (?:\w+ed|been|done|gone|known|seen|said|made|taken|told|bought|paid)\b"
    r"|.*[.!?,;]\s+(?:actually|no\b|never ?mind|scratch|wait|don't|do not|forget)|(?:it|that|this|them)?$)", re.I)  # fmt: skip


def understood(view: View) -> Plan:
    """The plan for what the person wants."""
    if len(view.question) > LONGEST or _FOREIGN.search(view.question):
        return _headed(view.question, view) or say(HELP)
    try:
        plan = _wishes(_plain(view.question), view)
        if plan is None and view.asked:  # the answer to "which one": the same wish, named more closely
            plan = changes.change(f"{_plain(view.asked)}", view, narrowed=view.question)
        return plan or say(HELP)
    except Unclear as exc:
        return say(str(exc))


def _plain(text: str) -> str:
    """The text without politeness, its frequent misspellings corrected."""
    text = re.sub(r"\s+", " ", text.translate(str.maketrans("‘’“”", "''\"\""))).strip()
    text = re.sub(r"(?<![#@/\w])[\w']+", lambda match: _spelt(match[0]), text)
    if re.match(r"(?:[\w ]+[,!.] )?(?:can|could|would|will) (?:you|u)\b", text, re.I):
        text = text.rstrip("? ")  # an order, however polite
    text = re.sub(r",? ?\bplease\b(?! )|\bplease\b,? ", "", text, flags=re.I) or text
    for _ in range(3):
        shorter = _TRAILING.sub("", _LEADING.sub("", text))
        text = shorter if re.search(r"\w", shorter) else text
    return text


def _spelt(word: str) -> str:
    low = word.lower()
    if low in _TYPOS or len(low) < 5 or low in _SPELT:
        return _TYPOS.get(low, word)
    return next((right for right in _SPELT if right[0] == low[0] and right[-1] in low[-2:] and _one_slip(low, right)), word)


def _one_slip(word: str, right: str) -> bool:
    """Two letters swapped, or one left out or doubled."""
    short, long = sorted((word, right), key=len)
    if len(short) == len(long):
        return sorted(word) == sorted(right)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(1, len(long) - 1))


def _wishes(text: str, view: View) -> Plan | None:
    """Several wishes in one sentence where both sides of a joint are whole, else one."""
    for joint in re.finditer(r"(?:[,;.!] )?(?:and|then|&)(?: also| then| please)* |[;.!,] (?:also |and )*(?=\w)", text):
        left, right = text[: joint.start()].strip(), _plain(text[joint.end() :])
        if re.match(r"remind me\b", left, re.I) and re.match(r"to \w", right) and resolve(left, view.today) and resolve(right, view.today):
            right = f"remind me {right}"
        first, second = _whole(_plain(left), view), _whole(right, view)
        if first and second:
            return plans.several([first, second])
    return _wish(text, view)


def _whole(text: str, view: View) -> Plan | None:
    """The plan for what is a wish in itself: an order, a deed, or something to do with its day."""
    try:
        if re.search(r"\b(?:it|them|that one)\b", text, re.I):
            return None
        kept = (_headed, _noted, _add, _fragment) if _is_order(text, view) else ()
        return next((plan for step in (changes.change, *kept, changes.deed) if (plan := step(text, view))), None)
    except Unclear:
        return None


def _is_order(text: str, view: View) -> bool:
    order = text.split(" ")[0].lower() in VERBS and carried(text, view.now)[1]
    return bool(order) or re.match(r"(?:remind me|add|note|don't forget)\b", text, re.I) is not None


def _wish(text: str, view: View) -> Plan | None:
    if expression := expression_in(text):
        return plans.calculate(expression, re.search(r"\b(?:just|only)\b", text, re.I) is not None)
    for pattern, make in TALK:
        if (match := pattern.search(text)) and (plan := make(match, view)):
            return plan
    steps = (lasting, changes.change, _headed, _noted, _add, about_you, question, changes.deed, of_mine, _fragment)
    return next((plan for step in steps if (plan := step(text, view))), None)


def _headed(text: str, view: View) -> Plan | None:
    """A head that says what is to be kept, a joint, and what is: "new idea: ...", "a task for Friday, urgent: ..."."""
    for joint in sorted(_JOINT.finditer(text), key=lambda joint: joint["sign"][0] not in ":->–"):
        head, what = text[: joint.start()], text[joint.end() :]
        bare, properties = _details(head, view)
        words = set(re.findall(r"[\w'-]+", bare.lower()))
        kind = next((kind for kind, pattern in _KINDS if pattern.search(head)), None) or (properties and not bare and "task")
        plain, sign = words <= _HEAD, joint["sign"].lower()
        if not kind or len(head) > 70 or (sign.isalpha() or sign in ".,!") and not plain:
            continue
        if sign in ".,!" and kind not in ("idea", "note", "reminder") or sign == "to" and kind in ("idea", "note"):
            continue
        if kind in ("idea", "note"):
            return _note(kind, what, _TOPIC.search(head))
        if kind == "reminder" and re.match(r"(?:what|who|when|where|how|why|if)\b", what, re.I):
            return None
        content, properties = carried(what, view.now)[0], carried(text, view.now)[1]
        return None if _NO_THING.match(tidy(content)) else _kept(kind, tidy(content), properties)
    return None


def _noted(text: str, view: View) -> Plan | None:
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


def _add(text: str, view: View) -> Plan | None:
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
            what = tidy(re.sub(r"^(?:an? |the |my )?(?:new |appointment (?:with|for|at) )?(?:an? |the )?", "", what, flags=re.I))
        return _kept(kind, what, properties)
    return None


def _kept(kind: str, content: str, properties: dict[str, Any]) -> Plan:
    """A new item, unless its words hold what should have been understood: a day, a time, an order."""
    if doubt := _LEFT_OVER.search(content):
        return say(f"I am not sure what you mean by {doubt[0].strip()!r} in that. Say it like this: remind me to call Anna on Friday at 15:00.")
    return plans.add(content, {"type": kind, "status": "active"} | properties)


def _fragment(text: str, view: View) -> Plan | None:
    """An order of one's own ("buy milk tomorrow"), or an event with its day and time ("driving lesson at 5 on Tuesday")."""
    if text.endswith("?") or re.search(r"(?<!-)\b(?:you|he|she|they|me|yourself|us)\b", text, re.I):
        return None
    content, properties = carried(text, view.now)
    content = tidy(content)
    first = re.sub(r"^re(?=\w{3})", "", content.split(" ")[0].lower())
    due, tagged = str(properties.get("due_date", "")), properties.keys() - {"due_date"}
    is_order = {first, content.split(" ")[0].lower()} & VERBS or (properties and _VERB_AND_THING.match(content))
    if is_order and " " in content and not _NO_THING.match(content):
        return _kept("task", content, properties)
    if re.match(r"(?:i|i'm|i've|my|we|it|it's|this|that|what|how|so|very|no|not|there)\b", content, re.I) or not content:
        return None
    if due and (re.search(EVENT, content, re.I) or "T" in due) and not re.search(r"\b(?:is|are|was|were|has|had|went)\b", content):
        return _kept("appointment", content, properties)
    return _kept("task", content, properties) if tagged and " " in content else None


def _clock(match: re.Match[str], _: View) -> Plan | None:
    text = match.string.rstrip(" ?.!")
    place = re.search(r"\b([A-Z]\w+/[A-Z]\w+)|\b(?:in|for) (?:the )?([a-z][\w ]+?)(?: right now| now| today| at the moment)?$", text, re.I)
    if re.search(r"\butc\b|\bgmt\b", text, re.I) or place is None:
        return plans.clock("utc" if re.search(r"\butc\b|\bgmt\b", text, re.I) else "local")
    name = (place[1] or place[2]).replace(" ", "_").lower()
    zone = next((z for z in sorted(available_timezones()) if z.lower() == name or z.lower().endswith(f"/{name}")), None)
    return plans.clock(zone) if zone else say(f"I do not know the time zone of {place[1] or place[2]}; name a city such as Tokyo, or UTC.")


def _recall(_: re.Match[str], view: View) -> Plan:
    lines = "\n".join(f"- {text}" for text in view.lines.values())
    return say(f"This is what I know:\n{lines}" if lines else "Nothing yet. Tell me what you prefer, and I will keep it.")


def _talk(text: str) -> Make:
    return lambda *_: say(text)


def _rules() -> Iterator[tuple[re.Pattern[str], Make]]:
    moment = r"(?:current |exact |local )?(?:time|date|day|weekday)(?: and (?:the )?(?:date|time))?"
    place = r"(?: (?:right )?now| today| at the moment| please|,? (?:in|for) [\w /]+| use utc| utc)*"
    for pattern, make in (
        (r"^(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night|day))\b[\w ]{0,12}[.! ]*$", _talk("Hello. What is on your mind?")),
        (r"^(?:thanks?|thank you|thx|ty|cheers|great|perfect|nice|cool|awesome|lovely)\b[\w ,]{0,20}[.! ]*$", _talk("You are welcome.")),
        (r"^(?:(?:don't|do not|no need to|never) (?!(?:let me )?forget)|should i |do you think|what (?:would|if)|never ?mind|what happens|why )", _talk(HELP)),
        (rf"^(?:so )?(?:what(?:'s| is)?|which|how|tell me|give me|do you (?:know|have)(?: what)?)? ?(?:the |today's )?(?:{moment}|late)(?: is it| it is| is today| is it today)?{place}[.?! ]*(?:use utc[.]?)?$"
         r"|^what(?:'s| is) today[ ?]*$", _clock),
        (r"\bwhat (?:do you know|have you learn(?:ed|t)|do you remember)(?: about me)?[ ?]*$|\bwho am i\b|\bknow about me\b[^:]*\?$", _recall),
        (r"\bwhat (?:should|shall|could|must|do|can) i (?:\w+ )?(?:focus on|work on|do|start with|tackle|prioriti[sz]e|begin with)\b(?: first| next| now| today| this morning)*[ ?]*$|\bmost (?:important|urgent|pressing)\b(?! (?:task|item)s? (?:for|in))"
         r"|\bneeds? (?:my attention|doing)\b|\bwhere (?:should|do) i (?:start|begin)\b|\bwhat(?:'s| is| comes) (?:next|first|my (?:top )?(?:focus|priority|priorities))\b|\b(?:prioriti[sz]e|plan) my (?:day|tasks|week|morning)\b|\bonly (?:get|do|have time)\b.*\bwhich\b",
         lambda _, view: plans.focus(view)),
    ):  # fmt: skip
        yield re.compile(pattern, re.I), make


TALK = tuple(_rules())
