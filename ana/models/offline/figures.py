"""Sums, the present time, the date of a day and how far away it is: what tools work out."""

import re
from collections import Counter
from datetime import date

from text_to_num import alpha2digit

from ana.models.offline.plans import Plan, do, say
from ana.models.offline.view import View, pattern, words_of
from ana.phrases import find_words
from ana.time.when import is_only_when

_N = r"[$€£]?(\d+(?:,\d{3})*(?:\.\d+)?)"
_P = r"(\d+(?:\.\d+)?) ?%"
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
    """The longest run of figures and signs; 200 + 19% is a surcharge, and with more around it nobody knows of what."""
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
