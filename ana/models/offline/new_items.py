"""What is to be kept: tasks, reminders, appointments, notes and ideas, and what they carry."""

import re
from typing import Any

from ana.models.offline import plans
from ana.models.offline.details import Unclear, carried, tidy
from ana.models.offline.english import LIKE, VERBS, forms
from ana.models.offline.items import is_past
from ana.models.offline.plans import Plan, say
from ana.models.offline.view import View

_TEXTS, _ITEMS = forms("text"), forms("item")
_UNSURE = "I am not sure what you mean by {!r} in that, so I kept nothing. “note: …” keeps any words as they are."


def pasted(text: str) -> Plan | None:
    """A long text, or one of several lines, is kept as it is where its first words say that it is a note or an idea."""
    match = LIKE["pasted"].match(text)
    return plans.add(match["what"], {"type": match["type"].lower().replace("memo", "note")}) if match else None


def kept(text: str, view: View) -> Plan | None:
    """Something to be kept. A note or an idea is kept word for word; details are taken from the rest."""
    for kind, pattern in _TEXTS:
        if (match := pattern.match(f" {text}")) and (":" in text or not text.endswith("?")):
            return _noted(kind, match["what"], match.groupdict())
    content, properties, unclear = text, dict[str, Any](), None
    try:
        content, properties = carried(text, view.now)
    except Unclear as exc:
        unclear = exc
    for kind, pattern in _ITEMS if not text.endswith("?") else ():
        if (match := pattern.match(f" {content}")) is None or LIKE["no thing"].match(what := tidy(match["what"])):
            continue
        if kind == "listed":
            if not (LIKE["list"].search(text) or " as a t" in text):
                continue
            kind = "task"
        if kind == "appointment":
            first, due = match["what"].split(" ")[0].lower(), str(properties.get("due_date", ""))
            if not due or first in VERBS | {"to"} or not ("T" in due or LIKE["event"].search(text)):
                continue
            what = LIKE["article"].sub("", what)
        if unclear:
            raise unclear
        project = match.groupdict().get("project")
        return _added(kind, tidy(what), properties | ({"project": project} if project else {}))
    return None


def _noted(kind: str, what: str, said: dict[str, str | None]) -> Plan:
    what, project = f"{said['topic']}: {what}" if said.get("topic") else what, said.get("project") or ""
    if doubt := LIKE["also"].search(what) or re.match(r"(?:down|it|that|this)$", what, re.I):
        return say(_UNSURE.format(doubt[0]))
    if tagged := LIKE["tag"].search(what):
        what, project = what[: tagged.start()], tagged[1] or tagged[2]
    return plans.add(tidy(what), {"type": kind} | ({"project": project.strip("#")} if project else {}))


def _added(kind: str, content: str, properties: dict[str, Any]) -> Plan:
    """A new item, unless its words hold what should have been understood: a day, a time, an order."""
    if doubt := LIKE["left over"].search(content) or (kind != "reminder" and LIKE["tells"].search(content)):
        return say(_UNSURE.format(doubt[0].strip()))
    return plans.add(content, {"type": kind, "status": "active"} | properties)


def fragment(text: str, view: View) -> Plan | None:
    """An order of one's own ("buy milk tomorrow"), or an event with its day ("driving lesson at 5 on Tuesday")."""
    if LIKE["others"].search(text):
        return None
    content, properties = carried(text, view.now)
    content, due = tidy(content), str(properties.get("due_date", ""))
    first = content.split(" ")[0].lower()
    if LIKE["no order"].match(content) or LIKE["no thing"].match(content):
        return None
    if is_past([*content.lower().split(), "", ""][1]):
        return None  # rent paid
    if {first, re.sub(r"^re(?=\w{3})", "", first)} & VERBS or (properties and LIKE["verb and thing"].match(content)):
        return _added("task", content, properties) if " " in content else None
    is_event = due and ("T" in due or LIKE["event"].search(content))
    if is_event and (LIKE["event"].match(content) or not LIKE["told"].search(content)):
        return _added("appointment", content, properties) if len(content.split()) < 7 else None
    is_task = (properties.keys() - {"due_date"} or re.search(r"\bdue\b", text)) and not LIKE["told"].search(content)
    return _added("task", content, properties) if is_task and " " in content else None
