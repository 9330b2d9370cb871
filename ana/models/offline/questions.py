"""Questions: sums, times and days by tools; what is due by its dates; what was done; the rest by search."""

import re
from collections import Counter
from datetime import date, timedelta
from typing import Any

from text_to_num import alpha2digit

from ana.memory.status import CLOSED, DONE
from ana.models.offline.plans import Plan, View, do, list_items, pattern, say, words_of
from ana.phrases import find_words, fold
from ana.time.when import drop_mentions, find_named_days, has_only_fillers, is_only_when, read_due_question

MOST, LIKE = 5, 0.55  # LIKE is how like a question an item must be; docs/architecture.md says how it was chosen
_LOOKED_UP = (
    r"<looking>|(?:<which>\s+)*<kinds>|(?:\S+\s+){1,2}(?:tasks|to-?dos|notes|ideas|appointments|deadlines)\W*$"
    r"|(?:<asked>|don'?t|haven'?t)\s+(?:i|we|you|there|ich|wir)\b|.*\s(?:is|are|ist)\s+<asking>(?:\s+again)?\W*$"
    r"|(?:can|could|do|does|did)\s+(?!the|my|an?|some)\S+\s+(?:want|need|like|have|eat|take|get|come|go)\b"
    r"|(?:(?:for|about|on|at|in)(?:\s+\S+){1,3}?\s+)?<asking>(?:(?:\s+\S+){0,5}?\s+<asked>|(?:\s+\S+){0,3}\W*$)"
)
_DONE = r"(?:what|was) (?:did|have|habe?) (?:i|we|ich|wir) (?:get )?(?:do|done|finish\w*|gemacht|erledigt)(?: on)?\W*$"
_VERBS, _TOLD = ("created", "changed", "deleted"), 10
_N, _P = r"[$€£]?(?<![\d.,])(\d++(?:,\d{3})*+(?:\.\d++)?)", r"(?<![\d.,])(\d++(?:\.\d++)?) ?%"
# fmt: off
_SIGNS = (
    (r" ?\b(?:percent|per cent)\b", "%"), (r"(?<=\d) ?\b(?:euros?|dollars?|pounds?|quid|eur|usd|gbp)\b", ""), (r"\bdivided by\b", "/"), (r"\bplus\b", "+"), (r"\b(?:minus|less)\b", "-"),
    (r"\b(?:times|multiplied by|fois|mal)\b|(?<=\d) ?x ?(?=\d)", "*"), (r"\bto the power of\b", "^"), (r"\s+squared\b", "**2"), (r"\b(?:a )?half(?: of)? (?=[$€£(\d])", "1/2 * "), (r"\b(?:double|twice)\b", "2 *"),
)
_SHAPES = tuple((re.compile(shape, re.IGNORECASE), form) for shape, form in (
    (r"\bsquare root of (\d+(?:\.\d+)?)", "{0} ** (1/2)"), (rf"{_P} off (?:of )?{_N}", "{1} * (1 - {0}/100)"),
    (rf"{_N}.*?(?:with|incl\w*|and|\+) ?(?:an? )?{_P} (?:tip|tax|vat|service)", "{0} * (1 + {1}/100)"),
    (rf"{_P}(?: [a-z]+){{0,2}} (?:of|on|for) (?:an? |the )?{_N}", "{0}% of {1}"),
    (rf"(?:subtract|deduct|take) {_N} (?:away )?from {_N}", "{1} - {0}"),
    (rf"(?:split|divide|share)\D*{_N}.*?\b(?:between|among|by|with|into)\b\D*?(\d+)", "{0} / {1}"),
    (rf"(\d+) (?:people|of us|friends|guests)\b.*?{_N}.*\b(?:each|apiece|per (?:person|head))", "{1} / {0}"),
    (rf"{_N} (?:[a-z]+ )*?(?:daily|(?:an?|per|each|every) day)\b.*? for (\d+) days", "{0} * {1}"),
    (rf"{_N} (?:[a-z]+ )*?(?:an?|per|each|every) (hour|week|month|night)\b.*? for (\d+(?:\.\d+)?) \2s", "{0} * {2}"),
    (rf"(\d+(?:\.\d+)?) (?:[a-z]+ )*?(?:at|for|of) {_N}(?: [a-z]+)? (?:each|apiece|per \w+|an? \w+)", "{0} * {1}"),
))
# fmt: on
_ASKED = re.compile(
    r"(?i)^(?:what|how|wie|was ist|combien|cuanto|quanto|compute|calc|if|split|divide|share|work out|tip|half|a |square"
    r"|subtract|deduct|take|double|twice|three|we |i |our |tell me|[\d(\-$€£]|.*\bhow (?:much|many)\b)"
)
_RUN = re.compile(r"[$€£(\-]*\d(?:[\d\s.,()+*/%^!×÷$€£-]|(?<=%) ?of (?=[$€£]?\d))*")
_OPERATION = re.compile(r"\d\s*(?:!|% of|%\s*\d|[-+*/^×÷]+\s*[$€£(]*-?\d)|\)\s*[-+*/^]")
_NO_SUM = re.compile(r"\b0x|\bdozen|\bsave\b.*%|\d ?[ap]m\b|\d{4}-\d\d-\d\d|\d:\d\d|\b(?:on|by|for|until|due) \d+/\d+")
_UNTIL = r"(?:.{0,20}\bhow (?:many days|long|far)\b.{0,20}?\b|days )(?:till?|until|to|before)\s+(?P<day>.+?)[?. ]*$"
_OF = r".{0,15}\b(?:what|which) (?:week)?(?:day|date) (?:is|does|will) (?:it )?(?P<day>.+?)(?: (?:fall|be)(?: on)?)?[?. ]*$"
_IN = r"(?P<asked>.*?)\s(?:in|for|use)\s+(?:the\s+)?(?P<place>[a-z][a-z /_]+?)(?:\s+(?:right|now|today|please|pls))*[?. ]*$"


def read_sum(view: View) -> Plan | None:
    """Calculate what a question asks for."""
    if expression := find_expression(view.wish):
        return do("calculator", {"expression": expression}, lambda done: f"{expression} = {done['result']}")
    is_sum = re.match(r"(?:calculate|split|divide|multiply|subtract|average|sum)\b\D*\d.*\d", view.low)
    return say("I cannot read that sum. Write it in figures: 84 / 3 + 10.") if is_sum else None


def find_expression(question: str) -> str | None:
    """Return the expression to calculate; None where a question asks for none, or has figures that are not in it."""
    text = alpha2digit(question, "en") if re.search(r"[a-z]", question) else question
    if not _ASKED.search(text) or _NO_SUM.search(text):
        return None
    for words, sign in _SIGNS:
        text = re.sub(words, sign, text, flags=re.IGNORECASE)
    shaped = (form.format(*match.groups()) for shape, form in _SHAPES if (match := shape.search(text)))
    return next((found for found in (*shaped, _read_signs(text)) if found and _figures(text) <= _figures(found)), None)


def _figures(text: str) -> Counter[float]:
    return Counter(map(float, re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))))


def _read_signs(text: str) -> str | None:
    longest = max((run.strip(" .,").rstrip(" (-") for run in _RUN.findall(text)), key=len, default="")
    longest = re.sub(r"^([^%]+?) ?([+-]) ?(\d[\d.]*) ?%$", r"(\1) * (1 \2 \3/100)", longest)
    is_unclear = re.search(r"[+-] ?\d[\d.]* ?%(?! ?(?:of|\d))", longest)
    return longest if _OPERATION.search(longest) and not is_unclear else None


def read_clock(view: View) -> Plan | None:
    """Tell the time, the date, the date of a day, or how long it is until then."""
    until, of, place = (pattern(form).match(view.low) for form in (_UNTIL, _OF, _IN))
    if until and is_only_when(until["day"], view.now):
        return do("resolve_date", {"phrase": until["day"]}, lambda found: _tell_day(found, view.now.date()))
    words = {*find_words(place["asked"] if place else view.low)}
    if words & words_of("clock") and words <= words_of("clock", "polite", "beside the clock"):
        zone = place["place"] if place else "utc" if "utc" in words else "local"
        return do("now", {"timezone": zone}, _tell_now)
    return do("resolve_date", {"phrase": of["day"]}, _tell_day) if of and is_only_when(of["day"], view.now) else None


def _tell_now(now: dict[str, str]) -> str:
    day = date.fromisoformat(now["iso"][:10])
    return f"It is {now['iso'][11:16]} on {now['weekday']} {day.day} {day:%B %Y} ({now['timezone']})."


def _tell_day(found: dict[str, str], today: date | None = None) -> str:
    day = date.fromisoformat(found["date"])
    return f"{f'{(day - today).days} days until ' if today else ''}{found['weekday']} {day.day} {day:%B %Y}."


def read_agenda(view: View) -> Plan | None:
    """List items that are due, open or of a kind, if a message asks for nothing else."""
    text, today = pattern(r"\b(?:(?:in the|this) )?(?:morning|afternoon|evening)\b").sub("", view.low), view.now.date()
    days = find_named_days(text, today)
    words = {*find_words(pattern("<to do>").sub("todo", " ".join(drop_mentions(text, days).split())))}
    cues = words & words_of("agenda", "is late", "is first", "is coming")
    is_whole = has_only_fillers(" ".join(words - cues), [])
    said = ["overdue"] if is_whole and cues & words_of("is late") else [text, f"due {text}"]
    if asked := next((each for each in said if read_due_question(each, today)), ""):
        return _list({"text": asked})
    if not cues or not is_whole:
        return None
    dated = {"$ne": None} if words & {"due", "fallig"} else {}
    span = {"$gte": str(days[0].first), "$lte": str(days[0].last)} if days else dated
    bounds = {"is first": {}, "is coming": span or {"$gte": str(today)}, "agenda": span}
    bound = next((bounds[row] for row in bounds if cues & words_of(row)), {})
    status = {"status": {"$in": list(DONE)} if cues & {"completed", "finished"} else {"$nin": list(CLOSED)}}
    kinds = {word.removesuffix("s") for word in words} & {"note", "idea", "reminder", "appointment"}
    kind = {"type": {"$in": sorted(kinds)} if kinds else {"$nin": ["note", "idea"]}}
    return _list({"where": status | kind | ({"due_date": bound} if bound else {})})


def _list(given: dict[str, Any]) -> Plan:
    (found,) = yield [("query_items", given | {"limit": MOST})]
    more = [f"… and {found['total'] - MOST} more: `ana due`, `ana items`."] if found["total"] > MOST else []
    return "\n".join([list_items(found["items"]), *more]) if found["items"] else "Nothing is kept for that."


def read_done(view: View) -> Plan | None:
    """Tell what was done on past days, if a question asks for nothing else."""
    today = view.now.date()
    days = find_named_days(view.low, today)
    if not pattern(_DONE).match(" ".join(drop_mentions(view.low, days).split())):
        return None
    back = timedelta(7 if days and days[0].first > today else 0)  # of a weekday the last one
    bounds = {"since": str(days[0].first - back), "until": str(days[0].last - back)} if days else {}
    return do("history", bounds, _tell_done)


def _tell_done(found: dict[str, Any]) -> str:
    changes = [change for turn in found["turns"] for change in turn["changes"]]
    told = [f"- {verb}: {change[verb]}" for change in changes for verb in _VERBS if verb in change]
    more = ["… and more: `ana history`."] if len(told) > _TOLD else []
    return "\n".join([*told[:_TOLD], *more]) or "Nothing was kept or changed then."


def read_question(view: View) -> Plan | None:
    """Search for what a question or a look-up is about."""
    is_asked = pattern(_LOOKED_UP).match(view.low) and not pattern(r"[^:?]*:\s").match(view.low)
    if not is_asked and not view.low.rstrip("!. ").endswith("?"):
        return None
    if pattern(r".*\b(?:(?:know|learned|remember) about me|uber mich)\b").match(view.low):
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
