"""What is learned about the person: what is lasting, retold as one writes it down."""

import re

from ana.models.offline import plans
from ana.models.offline.details import tidy
from ana.models.offline.matching import fitting
from ana.models.offline.plans import Plan
from ana.models.offline.prompt import View
from ana.when import resolve

_LASTING = (
    "prefer|like|love|hate|dislike|enjoy|live|work|eat|drink|speak|am|'m|have|'ve|own|can't|cannot|don't|usually|always|never|"
    "often|normally|generally|mostly|rarely|sometimes|only|use|sleep|run|code|study|teach|take|play|go|get|wear|drive|commute"
)
_PASSING = re.compile(
    r"^\s*(?:(?:have|'ve) (?:to|got|been|just|already|finally|\w+(?:ed|ten|ne|ought|ent)\b|an?(?: \w+){0,2} (?:headache|cold|fever|question|problem|idea|meeting|appointment|call|plan|feeling))"
    r"|(?:don't|can't|cannot) (?:know|think|care|mind|want|understand|remember|see|get|have|need|believe|agree|wait|find|figure|decide|sleep|stop|help)\b"
    r"|(?:go|get|take|run|play|wear|drive|only) (?:to|a|an|the|it|that|this|some|my)\b|\w+ (?:thought|saids?|said|knew|had|was|were|went|got|felt|saw|did|made|took|came|told|\w+ed)\b"
    r"|\w+ (?:you|that|this|it)\b|.*[.!?;]\s+\S|(?:am|'m)\b(?! (?:not )?(?:an? (?!bit|little|lot|mess)\w|allergic|intolerant|vegetarian|vegan|lactose|coeliac|celiac|"
    r"diabetic|married|single|from|based|left-handed|right-handed|colou?r-?blind|pescatarian|afraid|deaf|never|usually|always|\d+ years old)))", re.I)  # fmt: skip
"""What passes, is past or speaks of the conversation. It is not learned."""

_MINE = re.compile(
    r"^(?:my|our) (?P<what>(?:[\w']+ ){0,2}(?:name|birthday|job|address|diet|time ?zone|working hours|favou?rite [\w ]+?|blood type|size|anniversary|boss|number)s?"
    r" (?:is|are)\b.*|[\w' ]+ (?:is|are) (?:called|named|allergic|vegan|vegetarian)\b.*|(?:\w+ ){1,3}(?:lives?|works?)\b.*)$", re.I)  # fmt: skip
_TOLD = r"(?:remember|keep in mind|bear in mind|note|you should know|for future reference|it is important to know(?: for you)?|add to what you know about me|don't forget|learn|correction|update)(?: that|:|,)*"
_FORGET = re.compile(
    r"^(?:you (?:can|may|should) )?(?:forget|unlearn|stop remembering|(?:delete|drop|scratch|remove|erase) (?:what you know|the (?:bit|thing|line|part))|it's no longer true|it is no longer true|it's not true any ?more)"
    r" (?:that |about |what i said about )*(?:i'm |i am |i |my |the fact that )*(?P<what>\S.*?)[.! ]*$", re.I)  # fmt: skip
_RULE = re.compile(
    r"^(?:update|change|correct) (?:my |the )?(?:rule|preference|habit|line) (?:about|on|for) (?P<what>.+)$", re.I
)
_FORMS = {
    "am": "is", "'m": "is", "have": "has", "'ve": "has", "do": "does", "go": "goes", "don't": "does not", "can't": "cannot",
    "cannot": "cannot", "won't": "will not", "never": "never", "can": "can", "will": "will",
}  # fmt: skip
_ADVERBS_WORDS = "usually always never often normally generally mostly really rarely sometimes only also still"
_ADVERBS = frozenset(_ADVERBS_WORDS.split())
_OWN = {
    r"\bmy\b": "their",
    r"\bme\b": "them",
    r"\bmyself\b": "themselves",
    r"\bI'm\b|\bI am\b": "they are",
    r"\bI\b": "they",
}


def lasting(text: str, view: View) -> Plan | None:
    """What is to be forgotten or remembered, or is plainly lasting."""
    if text.endswith("?"):
        return None
    if match := _FORGET.match(text):
        return plans.forget(match["what"], view.lines)
    if match := _RULE.match(text):
        return known(match["what"], match["what"], view)
    told = re.match(rf"^{_TOLD} (?=(?:i|my|we)\b|i')", text, re.I)
    said = text[told.end() :] if told else text
    own = re.match(rf"^(?:i|we)(?= |')(?P<what> ?(?:{_LASTING})\b.*)$", said, re.I) or (
        told and re.match(r"^i(?P<what>[ '].*)$", said, re.I)
    )
    if own and (told or not _PASSING.match(own["what"])):
        days = not told and resolve(own["what"], view.today)
        if not days or re.search(
            r"\b(?:can't|cannot|don't|never|always|usually|(?:\w+day|morning|evening|afternoon|weekend|night)s)\b",
            own["what"],
            re.I,
        ):
            return known(third_person(own["what"].rstrip(" .!")), own["what"], view)
    return known(f"Their {said[3:]}", said, view) if told and said.lower().startswith("my ") else None


def of_mine(text: str, view: View) -> Plan | None:
    """Facts about what is the person's: my partner's name is Tobias."""
    match = None if text.endswith("?") else _MINE.match(text)
    if match is None:
        news = re.match(r"^(?P<what>.+ (?:is|lives|are) .+, not .+)$", text)
        return known(news["what"], news["what"], view, replace=True) if news else None
    return known(third_person(f"their {match['what'].rstrip(' .!')}", conjugate=False), match["what"], view)


def known(line: str, said: str, view: View, *, replace: bool = False) -> Plan | None:
    """A line of Global Context is replaced where the sentence says what no longer holds, else one is added."""
    news = re.search(
        r"(?P<new>[\w:-]+)(?: now)?,? (?:and )?(?:not|instead of|rather than|no longer)(?: in| on| at| after| the)* (?P<old>[\w:-]+)",
        said,
        re.I,
    )
    wrong = re.search(r"\bnot (?P<old>.+?), (?:but |i'm |i am |it's )*(?P<new>.+)", said, re.I)
    best = fitting(said, view.lines, 0.2)
    if wrong and (held := fitting(wrong["old"], view.lines, 0.6)):
        return plans.learn(third_person(f"am {wrong['new']}".rstrip(" .!")), held[0])
    if news and (
        held := [n for n, text in view.lines.items() if re.search(rf"\b{re.escape(news['old'])}\b", text, re.I)]
    ):
        return plans.learn(
            re.sub(rf"\b{re.escape(news['old'])}\b", news["new"], view.lines[held[0]], flags=re.I), held[0]
        )
    if re.search(r"\b(?:now|no longer|any ?more|these days|actually|changed|over)\b", said, re.I) and len(best) == 1:
        return plans.learn(line, best[0])
    return None if replace else plans.learn(tidy(line))


def third_person(text: str, *, conjugate: bool = True) -> str:
    """What someone says of themselves, as one writes it down: "prefer my tea" is "Prefers their tea"."""
    words = text.split()
    adverbs = [words.pop(0).lower() for _ in words[:2] if len(words) > 1 and words[0].lower() in _ADVERBS]
    first = _conjugated(words[0].lower()) if words and conjugate else " ".join(words[:1])
    told = " ".join([*adverbs, first, *words[1:]])
    for own, other in _OWN.items():
        told = re.sub(own, other, told)
    return tidy(told)


def _conjugated(verb: str) -> str:
    if verb in _FORMS or verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return _FORMS.get(verb, verb + "es")
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"
