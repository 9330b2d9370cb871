"""What is learned about the person: lasting facts, retold as one writes them down."""

import re

from ana.models.offline import plans
from ana.models.offline.details import tidy
from ana.models.offline.english import PATTERNS, expand_contraction, read_forms, read_pairs
from ana.models.offline.items import find_best, may_be_past, stems
from ana.models.offline.plans import Plan, say
from ana.models.offline.view import View
from ana.time.when import resolve

_FORMS = read_forms("learn")
_UNSURE = "I am not sure whether that is to be kept, and as what. Say “note: …” or “remind me to …”."
_VERBS = {mine: theirs.replace("_", " ") for theirs, mine in read_pairs("verb forms").items()}
_NEWS = (("from", "to"), ("out", "in"), ("old", "new"))
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
        if kind == "rule":
            best = find_best(text, view.lines, 0)
            return _remember(what, what, view, best[0] if len(best) == 1 else None)
        if _is_deed(what) or (kind == "told" and _is_doubtful(text, what, view)):
            return say(_UNSURE) if kind == "told" else None
        if kind == "told" or (_is_habit(what, view) and not PATTERNS["passing"].match(what)):
            return _remember(_retell(what), text, view)
    return None


def plan_fact(text: str, view: View) -> Plan | None:
    """Remember facts about what is the person's, and news of what is known: my partner's name is Tobias."""
    if text.endswith("?"):
        return None
    if PATTERNS["mine"].match(text):
        return _remember(_retell(text.rstrip(" .!")), text, view)
    return _remember(text, text, view, update=True) if PATTERNS["news"].search(text) else None


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


def _is_doubtful(text: str, what: str, view: View) -> bool:
    """Whether a fact that is to be remembered may not last."""
    if PATTERNS["mine"].match(what):
        return False
    is_update = re.match(r"update|correction|you should", text, re.I)
    is_passing = PATTERNS["no fact"].match(what) or (is_update and PATTERNS["passing"].match(what))
    return is_passing is not None or not _is_habit(what, view)


def _remember(line: str, said: str, view: View, number: int | None = None, *, update: bool = False) -> Plan | None:
    """Replace a line of Global Context where the sentence says what no longer holds, else add one."""
    said = re.sub(r",? from now on\b", "", re.sub(r" [-–—] ", ", ", said))
    if (wrong := PATTERNS["wrong"].search(said)) and (held := find_best(wrong["old"], view.lines, 0.6)):
        return plans.learn(_retell(f"I am {wrong['new']}".rstrip(" .!")), held[0])
    if (news := PATTERNS["news"].search(said)) and (plan := _plan_news(news, said, view, update)):
        return plan
    if (known := _find_subject(line, view)) is None:
        known = _find_changed(said, view)
    if known is not None:
        return plans.learn(line, known)
    if any(stems(line) <= stems(text) for text in view.lines.values()):
        return say(f"I know that: {tidy(line)}.")
    return None if update else plans.learn(tidy(line), number)


def _plan_news(news: re.Match[str], said: str, view: View, update: bool) -> Plan | None:
    """Put what is new into the line that holds what was: Klara moved from Oslo to Rome."""
    old, new = next((news[before], news[after]) for before, after in _NEWS if news[before])
    about = stems(said) - stems(f"{old} {new}")
    held = [n for n, text in view.lines.items() if _word(old).search(text) and find_best(said, {n: text}, 0.2)]
    held = [n for n in held if not update or about & stems(view.lines[n])]
    is_alike = bool(re.search(r"\d", old)) == bool(re.search(r"\d", new))
    if not held or not is_alike or not stems(new):
        return None
    parts = _word(old).split(view.lines[held[0]])  # where the line has both, they change places
    return plans.learn(new.join(_word(new).sub(old, part) for part in parts), held[0])


def _find_subject(line: str, view: View) -> int | None:
    """The number of the line that says something else of the same subject: their partner's name is ..."""
    subject = re.match(r"their [\w' ]+? (?:is|are)\b", line, re.I)
    held = (n for n, text in view.lines.items() if subject and text.lower().startswith(subject[0].lower()))
    return next(held, None)


def _find_changed(said: str, view: View) -> int | None:
    """The number of the one line that a sentence about a change shares at least two words with."""
    best = find_best(said, view.lines, 0.2) if PATTERNS["changed"].search(said) else []
    return best[0] if len(best) == 1 and len(stems(said) & stems(view.lines[best[0]])) > 1 else None


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b", re.I)


def _retell(text: str) -> str:
    """Return the words of a person about themselves in the third person: "I prefer my tea" is "Prefers their tea"."""
    if match := PATTERNS["first person"].match(text):
        verb = match[2].lower()
        ending = "es" if re.search("(?:s|sh|ch|x|z|o)$", verb) else "s"
        text = match[1].lower() + _VERBS.get(verb, re.sub(r"(?<=[^aeiou])y$", "ie", verb) + ending) + match[3]
    for own, other in _OWN.items():
        text = re.sub(own, other, text, flags=re.I)
    return tidy(text)
