"""New items: tasks, reminders, appointments, notes and ideas, and the details they carry."""

import re
from typing import Any

from ana.models.offline import plans
from ana.models.offline.details import UnclearPhrase, take_details, tidy
from ana.models.offline.edits import add_unless_kept
from ana.models.offline.english import PATTERNS, VERBS, read_forms
from ana.models.offline.items import may_be_past
from ana.models.offline.plans import Plan, refuse
from ana.models.offline.view import View

_TEXTS, _ITEMS = read_forms("text"), read_forms("item")
_UNSURE = "I am not sure what you mean by {!r} in that, so I kept nothing. “note: …” keeps any words as they are."


def plan_pasted_text(text: str) -> Plan | None:
    """Keep a text that is long or has several lines as it is, if its first words say that it is a note or an idea."""
    match = PATTERNS["pasted"].match(text)
    return plans.add(match["what"], {"type": match["type"].lower().replace("memo", "note")}) if match else None


def plan_item(text: str, view: View) -> Plan | None:
    """Keep a text that asks to be kept: a note or an idea word for word, the rest without the details taken from it."""
    for kind, pattern in _TEXTS:
        if (match := pattern.match(f" {text}")) and (":" in text or not text.endswith("?")):
            typed = PATTERNS["pasted"].match(view.question.strip())
            return _plan_text(kind, match["what"], match.groupdict(), typed["what"] if typed else "")
    if text.endswith("?"):
        return None
    content, properties, unclear = text, dict[str, Any](), None
    try:
        content, properties = take_details(text, view.now)
    except UnclearPhrase as exc:
        unclear = exc
    for form, pattern in _ITEMS:
        match = pattern.match(f" {content}")
        if match and (kept := _read_item(form, match, text, str(properties.get("due_date", "")))):
            # an unclear phrase is said to be unclear only once it is known that it was to be kept
            if unclear:
                raise unclear
            project = match.groupdict().get("project")
            return _add(*kept, properties | ({"project": project} if project else {}))
    return None


def _read_item(form: str, match: re.Match[str], text: str, due: str) -> tuple[str, str] | None:
    """The type and the content of a new item; None where a sentence of this form is not one."""
    what = tidy(match["what"])
    if PATTERNS["no thing"].match(what):
        return None
    if form == "listed":
        return ("task", tidy(what)) if PATTERNS["list"].search(text) or " as a t" in text else None
    if form == "appointment":
        is_order = match["what"].split(" ")[0].lower() in VERBS | {"to"}
        is_event = "T" in due or PATTERNS["event"].search(text)
        return (form, tidy(PATTERNS["article"].sub("", what))) if due and is_event and not is_order else None
    return form, tidy(what)


def _plan_text(kind: str, what: str, said: dict[str, str | None], typed: str) -> Plan:
    project = said.get("project") or ""
    if PATTERNS["also"].search(what):
        return refuse("I keep all that follows “note:”. Send me that and the rest in two messages.")
    if doubt := re.match(r"(?:down|it|that|this)$", what, re.I):
        return refuse(_UNSURE.format(doubt[0]))
    what = typed or tidy(what)
    if tagged := PATTERNS["tag"].search(what):
        what, project = what[: tagged.start()], tagged[1] or tagged[2]
    return plans.add(what, {"type": kind} | ({"project": project.strip("#")} if project else {}))


def _add(kind: str, content: str, properties: dict[str, Any]) -> Plan:
    """Add an item, unless its words hold what should have been understood: a day, a time, an order."""
    if doubt := PATTERNS["left over"].search(content) or (kind != "reminder" and PATTERNS["tells"].search(content)):
        return refuse(_UNSURE.format(doubt[0].strip()))
    plan = plans.add(content, {"type": kind, "status": "active"} | properties)
    # "put the dentist on Friday" may move the one there is
    return add_unless_kept(content, plan) if kind == "appointment" else plan


def plan_fragment(text: str, view: View) -> Plan | None:
    """Keep an order of one's own ("buy milk tomorrow"), or an event with its day ("driving lesson at 5 on Tuesday")."""
    if PATTERNS["others"].search(text):
        return None
    content, properties = take_details(text, view.now)
    content, due = tidy(content), str(properties.get("due_date", ""))
    # the second word tells what was done already: rent paid
    is_no_task = PATTERNS["no order"].match(content) or PATTERNS["no thing"].match(content)
    if is_no_task or may_be_past([*re.findall(r"[\w'-]+", content.lower()), "", ""][1]):
        return None
    first, is_told = content.split(" ")[0].lower(), PATTERNS["told"].search(content)
    if {first, re.sub(r"^re(?=\w{3})", "", first)} & VERBS or (
        properties and PATTERNS["verb and thing"].match(content)
    ):
        return _add("task", content, properties) if " " in content else None
    is_event = due and ("T" in due or PATTERNS["event"].search(content))
    if is_event and (PATTERNS["event"].match(content) or not is_told):
        return _add("appointment", content, properties) if len(content.split()) < 7 else None
    is_task = properties.keys() - {"due_date"} or re.search(r"\bdue\b", text)
    return _add("task", content, properties) if is_task and not is_told and " " in content else None
