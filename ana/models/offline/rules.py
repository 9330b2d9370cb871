"""What a sentence wants: of what it may be, in order, the first that fits. Nothing is guessed."""

import re
from zoneinfo import available_timezones

from ana.models.offline import changes, plans
from ana.models.offline.details import Unclear, carried
from ana.models.offline.english import LIKE, VERBS, forms, plain
from ana.models.offline.learning import learned, of_mine
from ana.models.offline.new_items import fragment, kept, pasted
from ana.models.offline.plans import CAN, HELP, Plan, say
from ana.models.offline.questions import about_you, question
from ana.models.offline.sums import expression_in
from ana.models.offline.view import View
from ana.time.when import resolve

LONGEST = 2000
"""Longer texts are kept as notes where they say that they are one; no rule reads them."""

_TALK = forms("talk")
_SAID = {
    "hello": "Hello. What is on your mind?",
    "thanks": "You are welcome.",
    "ok": "All right.",
    "bye": "Until next time.",
    "help": f"I am a small rule-based reader. {CAN}",
    "how to undo": "Type /undo, or run `ana undo`: it takes back the last turn that changed something.",
    "no": HELP,
}


def understood(view: View) -> Plan:
    """The plan for what the person wants."""
    text = view.question.strip()
    unread = len(text) > LONGEST or LIKE["foreign"].search(text)
    if (unread or "\n" in text) and (whole := pasted(text)):
        return whole
    try:
        plan = None if unread else _wishes(plain(text), view)
        if plan is None and view.asked:  # the answer to "which one": the same wish, named more closely
            plan = changes.change(plain(view.asked), view, narrowed=text)
        told = LIKE["tells"].search(text) and not text.endswith("?") and not unread
        return plan or say(f"If I am to keep that, begin with “note:”; {HELP}" if told else HELP)
    except Unclear as exc:
        return say(str(exc))


def _wishes(text: str, view: View) -> Plan | None:
    """Several wishes in one sentence where both sides of a joint are whole, else one."""
    if view.it and (correction := LIKE["correction"].match(view.question)):
        moved = f"move it {correction['on'] or 'to '}{correction['what'].rstrip(' .!')}"
        if plan := changes.change(moved, view):
            return plan
    for joint in LIKE["joint"].finditer(text):
        left, right = text[: joint.start()].strip(), plain(text[joint.end() :])
        if left.lower().startswith("remind me ") and right.startswith("to ") and resolve(left, view.today):
            right = f"remind me {right}" if resolve(right, view.today) else right
        if (first := _whole(plain(left), view)) and (second := _whole(right, view)):
            return plans.several([first, second])
    return _wish(text, view)


def _whole(text: str, view: View) -> Plan | None:
    """The plan for what is a wish in itself: an order, a deed, or something to do with its day."""
    try:
        if LIKE["pronoun"].search(text):
            return None
        is_order = LIKE["whole"].match(text) or (text.split(" ")[0].lower() in VERBS and carried(text, view.now)[1])
        steps = (changes.change, kept, fragment, changes.deed) if is_order else (changes.change, changes.deed)
        return next((plan for step in steps if (plan := step(text, view))), None)
    except Unclear:
        return None


def _wish(text: str, view: View) -> Plan | None:
    if expression := expression_in(text):
        return plans.calculate(expression, re.search(r"\b(?:just|only)\b", text, re.I) is not None)
    for kind, pattern in _TALK:
        if pattern.match(f" {text}"):
            return _talk(kind, text, view)
    steps = (learned, changes.change, kept, about_you, question, changes.deed, of_mine, fragment)
    return next((plan for step in steps if (plan := step(text, view))), None)


def _talk(kind: str, text: str, view: View) -> Plan:
    match kind:
        case "undo":
            return plans.take_back()
        case "clock":
            return _clock(text)
        case "focus":
            return plans.focus(view)
        case "recall":
            lines = "\n".join(f"- {line}" for line in view.lines.values())
            return say(f"This is what I know:\n{lines}" if lines else "Nothing yet. Tell me what you like.")
    return say(_SAID[kind])


def _clock(text: str) -> Plan:
    if re.search(r"\b(?:utc|gmt)\b", text, re.I):
        return plans.clock("utc")
    if not (place := LIKE["zone"].search(text)):
        return plans.clock("local")
    named = place[1] or place[2]
    name = named.replace(" ", "_").lower()
    zone = next((z for z in sorted(available_timezones()) if z.lower() == name or z.lower().endswith(f"/{name}")), None)
    unknown = f"I do not know the time zone of {named}; name a city such as Tokyo, or UTC."
    return plans.clock(zone) if zone else say(unknown)
