"""What is learned about the person: what is lasting, retold as one writes it down."""

import re

from ana.models.offline import plans
from ana.models.offline.details import tidy
from ana.models.offline.english import LIKE, forms, pairs, whole
from ana.models.offline.items import fitting, is_past, stems
from ana.models.offline.plans import Plan, say
from ana.models.offline.view import View
from ana.time.when import resolve

_FORMS = forms("learn")
_UNSURE = "I am not sure whether that is to be kept, and as what. Say “note: …” or “remind me to …”."
_VERBS = {mine: theirs.replace("_", " ") for theirs, mine in pairs("verb forms").items()}
_OWN = {
    r"\b(?:my|our)\b": "their",
    r"\bme\b": "them",
    r"\bmyself\b": "themselves",
    r"\bI(?:'m| am)\b": "they are",
    r"\bI\b": "they",
}


def learned(text: str, view: View) -> Plan | None:
    """What is to be forgotten or remembered, or is plainly lasting."""
    for kind, pattern in _FORMS if not text.endswith("?") else ():
        if not (match := pattern.match(f" {text}")):
            continue
        what = whole(match["what"].rstrip(" .!"))
        if kind == "forget":
            named = stems(what.split(",")[0])
            if len(named) < 2 and re.match(r"(?:you can )?forget (?!that|what|my|where|i\b)", text, re.I):
                return None
            return plans.forget(what.split(",")[0], view.lines)
        if kind == "rule":
            best = fitting(text, view.lines, 0)
            return _known(what, what, view, best[0] if len(best) == 1 else None)
        verb = LIKE["first person"].match(what)
        if verb and is_past(verb[2].lower()) and not verb[2].lower().endswith("eed"):
            return say(_UNSURE) if kind == "told" else None
        is_habit = LIKE["habit"].search(what) or not resolve(what, view.today)
        mine = LIKE["mine"].match(what)
        passes = re.match(r"update|correction|you should", text, re.I) and LIKE["passing"].match(what)
        doubted = not is_habit or LIKE["no fact"].match(what) or passes
        if kind == "told" and not mine and doubted:
            return say(_UNSURE)
        if kind == "told" or (is_habit and not LIKE["passing"].match(what)):
            return _known(_third_person(what), text, view)
    return None


def of_mine(text: str, view: View) -> Plan | None:
    """Facts about what is the person's, and news of what is known: my partner's name is Tobias; Klara moved to Rome."""
    if text.endswith("?"):
        return None
    if LIKE["mine"].match(text):
        return _known(_third_person(text.rstrip(" .!")), text, view)
    return _known(text, text, view, replace=True) if LIKE["news"].search(text) else None


def _known(line: str, said: str, view: View, number: int | None = None, *, replace: bool = False) -> Plan | None:
    """A line of Global Context is replaced where the sentence says what no longer holds, else one is added."""
    said = re.sub(r",? from now on\b", "", re.sub(r" [-–—] ", ", ", said))
    if (wrong := LIKE["wrong"].search(said)) and (held := fitting(wrong["old"], view.lines, 0.6)):
        return plans.learn(_third_person(f"I am {wrong['new']}".rstrip(" .!")), held[0])
    if news := LIKE["news"].search(said):
        old, new = next((news[a], news[b]) for a, b in (("from", "to"), ("out", "in"), ("old", "new")) if news[a])
        about = stems(said) - stems(f"{old} {new}")
        held = [n for n, text in view.lines.items() if _word(old).search(text) and fitting(said, {n: text}, 0.2)]
        held = [n for n in held if not replace or about & stems(view.lines[n])]
        if held and bool(re.search(r"\d", old)) == bool(re.search(r"\d", new)) and stems(new):
            parts = _word(old).split(view.lines[held[0]])  # where the line has both, they change places
            return plans.learn(new.join(_word(new).sub(old, part) for part in parts), held[0])
    subject = re.match(r"their [\w' ]+? (?:is|are)\b", line, re.I)
    if subject and (held := [n for n, text in view.lines.items() if text.lower().startswith(subject[0].lower())]):
        return plans.learn(line, held[0])
    best = fitting(said, view.lines, 0.2) if LIKE["changed"].search(said) else []
    if len(best) == 1 and len(stems(said) & stems(view.lines[best[0]])) > 1:
        return plans.learn(line, best[0])
    if any(stems(line) <= stems(text) for text in view.lines.values()):
        return say(f"I know that: {tidy(line)}.")
    return None if replace else plans.learn(tidy(line), number)


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b", re.I)


def _third_person(text: str) -> str:
    """What someone says of themselves, as one writes it down: "I prefer my tea" is "Prefers their tea"."""
    told = text
    if match := LIKE["first person"].match(text):
        verb = match[2].lower()
        ending = "es" if re.search("(?:s|sh|ch|x|z|o)$", verb) else "s"
        told = match[1].lower() + _VERBS.get(verb, re.sub(r"(?<=[^aeiou])y$", "ie", verb) + ending) + match[3]
    for own, other in _OWN.items():
        told = re.sub(own, other, told, flags=re.I)
    return tidy(told)
