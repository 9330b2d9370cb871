"""What a sentence wants: ordered tables of patterns, the first that fits wins. Nothing is guessed."""

import re
from collections.abc import Callable, Iterator
from zoneinfo import available_timezones

from ana.models.offline import changes, plans
from ana.models.offline.details import Unclear, carried
from ana.models.offline.keeping import VERBS, fragment, headed, noted, opened, pasted
from ana.models.offline.learning import lasting, of_mine
from ana.models.offline.plans import CAN, HELP, Plan, say
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
    r"|^(?:can|could|would|will) (?:you|u) (?:please |pls |kindly |also |just )?(?!(?:email|call|phone|ring|text|buy|send|pay|order|cook|clean|wash|print|write|sing|do|help|be)\b)|^(?:i'?d|i would) like (?:you )?to |^(?:let's|lets) "
    r"|^i want (?:you )?to (?=(?:add|create|delete|move|see|reschedule|mark|rename|cancel|change)\b)|^help me (?:to )?", re.I)  # fmt: skip
_TRAILING = re.compile(
    r"(?:[,;.!]? *\b(?:please|pls|plz|thanks|thank you|thx|cheers|for me|would you|will you|ok|okay|too)\b)+[.!? ]*$",
    re.I,
)
_TYPOS = {
    "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow", "2day": "today", "teh": "the", "u": "you", "ur": "your",
    "gotta": "have to", "wanna": "want to", "appt": "appointment", "mtg": "meeting", "dont": "don't", "im": "I'm",
    "ive": "I've", "whats": "what's", "cant": "can't", "prio": "priority", "plz": "please", "pls": "please", "remindme": "remind me",
}  # fmt: skip
_SPELT_WORDS = (
    "remind reminder tomorrow delete appointment monday tuesday wednesday thursday friday saturday sunday priority "
    "reschedule january february august september october november december meeting cancel remember"
)
_SPELT = _SPELT_WORDS.split()
_FOREIGN = re.compile(
    r"\b(?:ich|der|das|und|mich|nicht|ist|que|para|una|mañana|les|pour|une|du|è)\b|[^\W\da-zA-ZÀ-ž]", re.I
)


def understood(view: View) -> Plan:
    """The plan for what the person wants."""
    text = view.question.strip()
    if len(text) > LONGEST or "\n" in text or _FOREIGN.search(text):
        whole = pasted(text)
        if whole or len(text) > LONGEST or _FOREIGN.search(text):
            return whole or say(HELP)
    try:
        plan = _wishes(_plain(view.question), view)
        if plan is None and view.asked:  # the answer to "which one": the same wish, named more closely
            plan = changes.change(f"{_plain(view.asked)}", view, narrowed=view.question)
        return plan or say(HELP)
    except Unclear as exc:
        return say(str(exc))


def _plain(text: str) -> str:
    """The text without politeness, its frequent misspellings corrected."""
    text = re.sub(r"\s*\n\s*", "; ", text.translate(str.maketrans("‘’“”", "''\"\"")).strip())
    text = re.sub(r"\s+", " ", text)
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
    return next(
        (right for right in _SPELT if right[0] == low[0] and right[-1] in low[-2:] and _one_slip(low, right)), word
    )


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
        if (
            re.match(r"remind me\b", left, re.I)
            and re.match(r"to \w", right)
            and resolve(left, view.today)
            and resolve(right, view.today)
        ):
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
        kept = (headed, noted, opened, fragment) if _is_order(text, view) else ()
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
    steps = (lasting, changes.change, headed, noted, opened, about_you, question, changes.deed, of_mine, fragment)
    return next((plan for step in steps if (plan := step(text, view))), None)


def _clock(match: re.Match[str], _: View) -> Plan | None:
    text = match.string.rstrip(" ?.!")
    place = re.search(
        r"\b([A-Z]\w+/[A-Z]\w+)|\b(?:in|for) (?:the )?([a-z][\w ]+?)(?: right now| now| today| at the moment)?$",
        text,
        re.I,
    )
    if re.search(r"\butc\b|\bgmt\b", text, re.I) or place is None:
        return plans.clock("utc" if re.search(r"\butc\b|\bgmt\b", text, re.I) else "local")
    name = (place[1] or place[2]).replace(" ", "_").lower()
    zone = next((z for z in sorted(available_timezones()) if z.lower() == name or z.lower().endswith(f"/{name}")), None)
    return (
        plans.clock(zone)
        if zone
        else say(f"I do not know the time zone of {place[1] or place[2]}; name a city such as Tokyo, or UTC.")
    )


def _recall(_: re.Match[str], view: View) -> Plan:
    lines = "\n".join(f"- {text}" for text in view.lines.values())
    return say(
        f"This is what I know:\n{lines}" if lines else "Nothing yet. Tell me what you prefer, and I will keep it."
    )


def _talk(text: str) -> Make:
    return lambda *_: say(text)


def _rules() -> Iterator[tuple[re.Pattern[str], Make]]:
    moment = r"(?:current |exact |local )?(?:time|date|day|weekday)(?: and (?:the )?(?:date|time))?"
    place = r"(?: (?:right )?now| today| at the moment| please|,? (?:in|for) (?!\d|the )[a-z][\w /]*| use utc| utc)*"
    for pattern, make in (
        (r"^(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|day))\b[\w ]{0,12}[.! ]*$", _talk("Hello. What is on your mind?")),
        (r"^(?:thanks?|thank you|thx|ty|cheers|great|perfect|nice|cool|awesome|lovely)\b[\w ,]{0,20}[.! ]*$", _talk("You are welcome.")),
        (r"^(?:bye|goodbye|good ?night|see you|talk to you)\b[\w ,]{0,20}[.! ]*$", _talk("Until next time.")),
        (r"^(?:help|what can (?:you|i) (?:do|say|ask)\b.*|who are you|what are you|how do you work|how does this work)[ ?!.]*$", _talk(f"I am a small rule-based reader. {CAN}")),
        (r"^(?:please )?(?:undo|revert|take back)(?: (?:that|it|this|(?:the|my) last (?:change|thing|one)))?(?: please)?[.! ]*$|^take (?:that|it|this) back[.! ]*$", lambda *_: plans.take_back()),
        (r"^(?:undo|revert|take (?:that|it) back)\b[\w ]{0,20}[.! ]*$", _talk("Type /undo, or run `ana undo`: it takes back the last turn that changed something.")),
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
