"""Questions and look-ups: what is due by its dates, the rest by search; at most five, none that is not alike."""

from typing import Any

from ana.memory.status import CLOSED, DONE
from ana.models.offline.plans import Plan, list_items, say
from ana.models.offline.view import View, pattern, words_of
from ana.phrases import find_words, fold
from ana.time.when import drop_mentions, find_named_days, has_only_fillers, read_due_question

MOST = 5
LIKE = 0.55
"""How like a question an item must be, by meaning and by words; docs/architecture.md says how it was chosen."""

_ASKED = (
    r"<looking>|(?:<which>\s+)*<kinds>|(?:\S+\s+){1,2}(?:tasks|to-?dos|notes|ideas|appointments|deadlines)\W*$"
    r"|(?:<asked>|don'?t|haven'?t)\s+(?:i|we|you|there|ich|wir)\b|.*\s(?:is|are|ist)\s+<asking>(?:\s+again)?\W*$"
    r"|(?:can|could|do|does|did)\s+(?!the|my|an?|some)\S+\s+(?:want|need|like|have|eat|take|get|come|go)\b"
    r"|(?:(?:for|about|on|at|in)(?:\s+\S+){1,3}?\s+)?<asking>(?:(?:\s+\S+){0,5}?\s+<asked>|(?:\s+\S+){0,3}\W*$)"
)


def read_agenda(view: View) -> Plan | None:
    """List what is due, to do or of a kind, where a message asks for nothing else."""
    text, today = pattern(r"\b(?:(?:in the|this) )?(?:morning|afternoon|evening)\b").sub("", view.low), view.now.date()
    days = find_named_days(text, today)
    words = {*find_words(drop_mentions(text, days))}
    cues = words & words_of("agenda", "is late", "is first", "is coming")
    asked = next((each for each in (text, f"due {text}") if read_due_question(each, today)), "")
    if asked and not cues & words_of("is late"):
        return _list({"text": asked})
    if not cues or not has_only_fillers(" ".join(words - cues), []):
        return None
    dated = {"$ne": None} if words & {"due", "fällig"} else {}
    span = {"$gte": str(days[0].first), "$lte": str(days[0].last)} if days else dated
    late, coming = {"$lt": view.now.isoformat(timespec="minutes")}, span or {"$gte": str(today)}
    bounds = {"is first": {}, "is late": late, "is coming": coming, "agenda": span}
    bound = next((bounds[row] for row in bounds if cues & words_of(row)), {})
    status = {"status": {"$in": list(DONE)} if cues & {"completed", "finished"} else {"$nin": list(CLOSED)}}
    kinds = {word.removesuffix("s") for word in words} & {"note", "idea", "reminder", "appointment"}
    kind = {"type": {"$in": sorted(kinds)} if kinds else {"$nin": ["note", "idea"]}}
    return _list({"where": status | kind | ({"due_date": bound} if bound else {})})


def _list(given: dict[str, Any]) -> Plan:
    (found,) = yield [("query_items", given | {"limit": MOST})]
    more = [f"… and {found['total'] - MOST} more: `ana due`, `ana items`."] if found["total"] > MOST else []
    return "\n".join([list_items(found["items"]), *more]) if found["items"] else "Nothing is kept for that."


def read_question(view: View) -> Plan | None:
    """Search for what a question or a look-up is about."""
    is_asked = pattern(_ASKED).match(view.low) and not pattern(r"[^:?]*:\s").match(view.low)
    if not is_asked and not view.low.rstrip("!. ").endswith("?"):
        return None
    if pattern(r".*\b(?:(?:know|learned|remember) about me|über mich)\b").match(view.low):
        return say("\n".join(f"- {line}" for line in view.lines.values()) or "Nothing yet. Tell me what you prefer.")
    return _search(view)


def _search(view: View) -> Plan:
    (found,) = yield [("query_items", {"text": view.text, "limit": 2 * MOST})]
    likeness = {id: why.get("vector", 1.0) + 0.6 * why.get("share", 0.0) for id, why in found["why"].items()}
    alike = [item for item in found["items"] if likeness[item["id"]] >= LIKE][:MOST]
    common = words_of("asked", "asking", "beside the clock")
    said = [word[:4] for word in find_words(view.low) if len(word) > 3 and word not in common]
    lines = [f"- {line}" for line in view.lines.values() if said and all(word in fold(line) for word in said)]
    told = ["What I know about you:", *lines] if lines else []
    return "\n".join([*told, *([list_items(alike)] if alike else [])]) or "Nothing like that is kept."
