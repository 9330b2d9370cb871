"""What is learned about the person: lasting facts, retold as one writes them down."""

import re

from ana.models.offline import plans
from ana.models.offline.details import tidy
from ana.models.offline.english import PATTERNS, expand_contraction, read_forms, read_pairs
from ana.models.offline.items import may_be_past, stems
from ana.models.offline.plans import Plan, refuse, say
from ana.models.offline.view import View
from ana.time.when import resolve

_FORMS = read_forms("learn")
_UNSURE = "I am not sure whether that is to be kept, and as what. Say “note: …” or “remind me to …”."
_OUTDATED = "What of this no longer holds? Say “forget that …”, and then what is true:"
_VERBS = {mine: theirs.replace("_", " ") for theirs, mine in read_pairs("verb forms").items()}
_OWN = {
    r"\b(?:my|our)\b": "their",
    r"\bme\b": "them",
    r"\bmyself\b": "themselves",
    r"\bI(?:'m| am)\b": "they are",
    r"\bI\b": "they",
}


def plan_learning(text: str, view: View) -> Plan | None:
    """Forget or remember what the person says of themselves, where they ask for it or where it is plainly lasting."""
    for kind, pattern in _FORMS if not text.endswith("?") else ():
        if not (match := pattern.match(f" {text}")):
            continue
        what = expand_contraction(match["what"].rstrip(" .!"))
        if kind == "forget":
            return _plan_forgetting(text, what.split(",")[0], view)
        if _is_deed(what) or (kind == "told" and _is_doubtful(what, view)):
            return refuse(_UNSURE) if kind == "told" else None
        if kind == "told" or (_is_habit(what, view) and not PATTERNS["passing"].match(what)):
            return _remember(_retell(what), text, view)
    return None


def plan_fact(text: str, view: View) -> Plan | None:
    """Remember facts about what is the person's: my partner's name is Tobias."""
    is_fact = not text.endswith("?") and PATTERNS["mine"].match(text)
    return _remember(_retell(text.rstrip(" .!")), text, view) if is_fact else None


def _plan_forgetting(text: str, what: str, view: View) -> Plan | None:
    # "forget the dentist" may mean an item, "forget that I like tea" cannot
    is_vague = re.match(r"(?:you can )?forget (?!that|what|my|where|i\b)", text, re.I)
    return None if is_vague and len(stems(what)) < 2 else plans.forget(what, view.lines)


def _is_deed(what: str) -> bool:
    """Whether it tells what was done once: I walked, but not I need."""
    verb = PATTERNS["first person"].match(what)
    past = verb[2].lower() if verb else ""
    return may_be_past(past) and not past.endswith("eed")


def _is_habit(what: str, view: View) -> bool:
    return PATTERNS["habit"].search(what) is not None or not resolve(what, view.today)


def _is_doubtful(what: str, view: View) -> bool:
    """Whether a fact that is to be remembered may not last."""
    if PATTERNS["mine"].match(what):
        return False
    return PATTERNS["no fact"].match(what) is not None or not _is_habit(what, view)


def _remember(line: str, said: str, view: View) -> Plan:
    """Replace the line of Global Context that says something else of the same subject, else add one."""
    if (known := _find_subject(line, view)) is not None:
        return plans.learn(line, known)
    said_before = (text for text in view.lines.values() if stems(line) == stems(text))
    if known_line := next((text for text in said_before if ("not " in line) == ("not " in text)), None):
        return say(f"I know that: {known_line}.")
    old = [f"- {text}" for text in view.lines.values() if len(stems(said) & stems(text)) > 1]
    if old and PATTERNS["changed"].search(said):  # which of them no longer holds is the person's to say
        return refuse("\n".join([_OUTDATED, *old]))
    return plans.learn(tidy(line))


def _find_subject(line: str, view: View) -> int | None:
    """The number of the line that says something else of the same subject: their partner's name is ..."""
    subject = re.match(r"their [\w' ]+? (?:is|are)\b", line, re.I)
    held = (n for n, text in view.lines.items() if subject and text.lower().startswith(subject[0].lower()))
    return next(held, None)


def _retell(text: str) -> str:
    """Return the words of a person about themselves in the third person: "I prefer my tea" is "Prefers their tea"."""
    if match := PATTERNS["first person"].match(text):
        verb = match[2].lower()
        ending = "es" if re.search("(?:s|sh|ch|x|z|o)$", verb) else "s"
        text = match[1].lower() + _VERBS.get(verb, re.sub(r"(?<=[^aeiou])y$", "ie", verb) + ending) + match[3]
    for own, other in _OWN.items():
        text = re.sub(own, other, text, flags=re.I)
    return tidy(text)
