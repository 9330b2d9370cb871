"""From a sentence to a plan: of its possible meanings, in order, the first that fits. Nothing is guessed."""

import re
from zoneinfo import available_timezones

from ana.models.offline import plans
from ana.models.offline.details import UnclearPhrase, take_details
from ana.models.offline.english import PATTERNS, VERBS, normalize, read_forms
from ana.models.offline.learning import plan_fact, plan_learning
from ana.models.offline.new_items import plan_fragment, plan_item, plan_pasted_text
from ana.models.offline.orders import plan_deed, plan_order
from ana.models.offline.plans import CAN, HELP, Plan, refuse, say
from ana.models.offline.questions import plan_answer_about_person, plan_search
from ana.models.offline.sums import find_expression
from ana.models.offline.view import View

LONGEST = 2000
"""Longer texts are kept as notes where they say that they are one; no rule reads them."""

_SMALL_TALK = read_forms("talk")
_ANSWERS = {
    "hello": "Hello. What is on your mind?",
    "thanks": "You are welcome.",
    "ok": "All right.",
    "bye": "Until next time.",
    "help": f"I am a small rule-based reader. {CAN}",
    "how to undo": "Type /undo, or run `ana undo`: it takes back the last turn that changed something.",
    "no": HELP,
}
_CHANGES = (plan_order, plan_deed)
_ORDERS = (plan_order, plan_item, plan_fragment, plan_deed)
_MEANINGS = (
    *(plan_learning, plan_order, plan_item, plan_answer_about_person),
    *(plan_search, plan_deed, plan_fact, plan_fragment),
)
"""All that a sentence may mean; the plainer the words that give a meaning away, the earlier it stands."""


def plan_turn(view: View) -> Plan:
    """Return the plan for what the person wants."""
    text = view.question.strip()
    unread = len(text) > LONGEST or PATTERNS["foreign"].search(text)
    if (unread or "\n" in text) and (whole := plan_pasted_text(text)):
        return whole
    try:
        plan = None if unread else _plan_wishes(normalize(text), view)
        if plan is None and view.asked and not text.endswith("?"):  # the answer to "which one": the same wish
            asked = normalize(view.asked)
            plan = plan_order(asked, view, narrowed=text) or plan_deed(asked, view, narrowed=text)
        told = PATTERNS["tells"].search(text) and not text.endswith("?") and not unread
        return plan or refuse(f"If I am to keep that, begin with “note:”; {HELP}" if told else HELP)
    except UnclearPhrase as exc:
        return refuse(str(exc))


def _plan_wishes(text: str, view: View) -> Plan | None:
    """Several wishes in one sentence where both sides of a joint are whole, else one."""
    if view.it and (correction := PATTERNS["correction"].match(view.question)):
        moved = f"move it {correction['on'] or 'to '}{correction['what'].rstrip(' .!')}"
        if plan := plan_order(moved, view):
            return plan
    for joint in PATTERNS["joint"].finditer(text):
        left, right = text[: joint.start()].strip(), normalize(text[joint.end() :])
        if PATTERNS["pasted"].match(left):  # all that follows is the note's
            break
        if (first := _plan_whole_wish(normalize(left), view)) and (second := _plan_whole_wish(right, view)):
            return plans.run_all([first, second])
    return _plan_wish(text, view)


def _plan_whole_wish(text: str, view: View) -> Plan | None:
    """The plan for what is a wish in itself: an order, a deed, or something to do with its day."""
    try:
        if PATTERNS["pronoun"].search(text):  # "it" is in the other half, so this one is not whole
            return None
        first = text.split(" ")[0].lower()
        is_order = PATTERNS["whole"].match(text) or (first in VERBS and take_details(text, view.now)[1])
        return next((plan for step in (_ORDERS if is_order else _CHANGES) if (plan := step(text, view))), None)
    except UnclearPhrase:
        return None


def _plan_wish(text: str, view: View) -> Plan | None:
    if expression := find_expression(text):
        return plans.calculate(expression, re.search(r"\b(?:just|only)\b", text, re.I) is not None)
    for kind, pattern in _SMALL_TALK:
        if pattern.match(f" {text}"):
            return _plan_small_talk(kind, text, view)
    return next((plan for step in _MEANINGS if (plan := step(text, view))), None)


def _plan_small_talk(kind: str, text: str, view: View) -> Plan:
    match kind:
        case "undo":
            return plans.undo()
        case "clock":
            return _plan_clock(text)
        case "focus" if PATTERNS["topic"].search(text):
            return plan_search(text, view) or refuse(HELP)
        case "focus":
            return plans.suggest_focus(view)
        case "recall":
            lines = "\n".join(f"- {line}" for line in view.lines.values())
            return say(f"This is what I know:\n{lines}" if lines else "Nothing yet. Tell me what you like.")
    return say(_ANSWERS[kind])


def _plan_clock(text: str) -> Plan:
    if re.search(r"\b(?:utc|gmt)\b", text, re.I):
        return plans.tell_time("utc")
    if not (place := PATTERNS["zone"].search(text)):
        return plans.tell_time("local")
    named = place[1] or place[2]
    name = named.replace(" ", "_").lower()
    zone = next((z for z in sorted(available_timezones()) if z.lower() == name or z.lower().endswith(f"/{name}")), None)
    unknown = f"I do not know the time zone of {named}; name a city such as Tokyo, or UTC."
    return plans.tell_time(zone) if zone else say(unknown)
