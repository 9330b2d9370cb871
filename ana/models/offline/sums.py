"""The expression in a question that asks for a number, in figures or in words."""

import re
from collections import Counter
from collections.abc import Iterator

from text_to_num import alpha2digit

from ana.patterns import compile_later

_N = r"[$€£]?(\d+(?:,\d{3})*(?:\.\d+)?)(?: ?(?:euros?|dollars?|pounds?|eur|usd|bucks))?"
_P = r"(\d+(?:\.\d+)?) ?%"
_SIGNS = (
    (r"\b(?:divided by|over)\b", "/"),
    (r"\b(?:times|multiplied by)\b|(?<=\d) ?x ?(?=\d)", "*"),
    (r"\b(?:plus|and then)\b", "+"),
    (r"\b(?:minus|less|take away)\b", "-"),
    (r"\b(?:to the power of|to the)\b", "^"),
    (r"\s+squared\b", "**2"),
    (r"\s+cubed\b", "**3"),
    (r"\b(\d+) factorial\b", r"\1!"),
    (r"\b(?:half|one half|a half)(?: of)? (?=[$€£(\d])", "1/2 * "),
    (r"\b(?:a|one) (?:third|3rd)(?: of)?\b", "1/3 *"),
    (r"\b(?:a|one) quarter(?: of)?\b", "1/4 *"),
    (r"\b(?:three quarters|3 quarters)(?: of)?\b", "3/4 *"),
    (r"\b(?:double|twice)\b", "2 *"),
    (r"\b(?:triple|thrice)\b", "3 *"),
)
_PERCENT = (r" ?\b(?:percent|per cent)\b", "%")
_EVERY = r"(?:daily|weekly|monthly|yearly|an hour|(?:a|per|each|every) (?:day|week|month|year|night|person|hour|head))"
# fmt: off
_SHAPES = tuple(
    (compile_later(shape, re.IGNORECASE), form)
    for shape, form in (
        (r"\bsquare root of (?:the number )?(\d+(?:\.\d+)?)", "{0} ** (1/2)"),
        (r"\bcube root of (?:the number )?(\d+(?:\.\d+)?)", "{0} ** (1/3)"),
        (rf"\bsave\b.*?{_P} off (?:of )?(?:the |an? )?(?:[a-z ]+)?{_N}", "{1} * {0}/100"),
        (rf"(?:increase|raise) {_N} by {_P}", "{0} * (1 + {1}/100)"),
        (rf"(?:reduce|decrease|lower|cut) {_N} by {_P}", "{0} * (1 - {1}/100)"),
        (rf"what ?(?:%|percentage) is {_N} (?:out )?of {_N}", "{0} / {1} * 100"),
        (rf"what ?(?:%|percentage) of {_N} is {_N}", "{1} / {0} * 100"),
        (rf"{_N} is what ?(?:%|percentage) of {_N}", "{0} / {1} * 100"),
        (rf"\b(\d+)/(\d+) of {_N}", "{0}/{1} * {2}"),
        (rf"{_N}.*?\b(?:spent|spend|takes?|pay|paid|gave|used)\b\D*{_N}.*\b(?:remains?|left|remaining)\b", "{0} - {1}"),
        (rf"(\d+) (?:of us|people|friends) (?:share|split)\D*{_N}", "{1} / {0}"),
        (rf"{_N} (?:split|shared|divided)(?: equally)? (?:between|among|by|into) (\d+)", "{0} / {1}"),
        (rf"(\d+) [a-z]+ cost {_N}(?!.*\beach\b).*\b(?:one|a single)\b", "{1} / {0}"),
        (rf"(\d+) [a-z]+, {_N}(?: [a-z]+)* each\b", "{0} * {1}"),
        (rf"{_P} off (?:of )?(?:the |an? )?(?:[a-z ]+)?{_N}", "{1} * (1 - {0}/100)"),
        (rf"{_N}.*?\b{_P} (?:off|discount|cheaper|reduction)", "{0} * (1 - {1}/100)"),
        (rf"add {_P}(?: [a-z]+)? to {_N}", "{1} * (1 + {0}/100)"),
        (rf"{_N} (?:an|a|per|each|every) month.* (?:in|per|for) (?:a|one) year", "{0} * 12"),
        (rf"{_N} (?:an|a|per|each|every) (?:hour|day|week|month)\b.*? for (\d+) \w+", "{0} * {1}"),
        (rf"{_N}.*?\b(?:with|plus|incl\w*|and|add) (?:an? )?{_P} (?:tip|tax|vat|service|surcharge|interest)", "{0} * (1 + {1}/100)"),
        (rf"(?:take|subtract|deduct) {_N} (?:away )?from {_N}", "{1} - {0}"),
        (rf"^(?:add|sum(?: of)?) {_N} (?:and|to) {_N}", "{0} + {1}"),
        (rf"multiply {_N} (?:by|with) {_N}", "{0} * {1}"),
        (rf"{_P}(?: [a-z]+){{0,2}} (?:of|on|for) (?:an? |the )?(?:[a-z]+ (?:of|bill) (?:of )?)?{_N}", "{0}% of {1}"),
        (rf"(?:split|divide|share)\D*{_N}.*?\b(?:between|among|amongst|by|with|into)\b\D*?(\d+)", "{0} / {1}"),
        (rf"{_N}[^\d?]*\b(?:between|among|by) (\d+)\b.*\b(?:each|apiece|everyone|per (?:person|head))", "{0} / {1}"),
        (rf"(\d+) (?:people|of us|friends|persons|guests|colleagues)\b.*?{_N}.*\b(?:each|apiece|everyone|per (?:person|head))", "{1} / {0}"),
        (rf"{_N}.*?(\d+) (?:people|of us|friends|persons|guests|ways)\b.*\b(?:each|apiece|everyone|per (?:person|head))", "{0} / {1}"),
        (rf"{_N} (?:[a-z]+ )*?{_EVERY}(?: [a-z]+)*? for (\d+) \w+", "{0} * {1}"),
        (rf"{_EVERY},? (?:for|costs?|is|at) {_N} for (\d+)", "{0} * {1}"),
        (rf"(\d+(?:\.\d+)?) (?:[a-z]+ )*?(?:at|for|of) {_N}(?: [a-z]+)? (?:each|apiece|a piece|per \w+|an? \w+)", "{0} * {1}"),
        (rf"(\d+) [a-z]+ of {_N} [a-z]+,? how (?:many|much)", "{0} * {1}"),
        (rf"(?:costs?|is|are|at|price of) {_N}(?: each| apiece)?\b.*\b(?:need|buy|want|get|take|order) (\d+)\b.*\b(?:pay|cost|total|altogether|much)", "{0} * {1}"),
        (rf"(?:need|buy|want|get|take|order) (\d+)\b.*?\b(?:costs?|is|are|at) {_N}(?: each| apiece)?\b.*\b(?:pay|cost|total|altogether|much)", "{0} * {1}"),
    )
)
_ASKED = re.compile(
    r"^(?:what|how much|how many|compute|calculate|calc|evaluate|solve|if|split|divide|share|work out|tip|half|a |add|sum|average|square|cube|increase|raise|reduce|decrease|lower|cut|multiply|take"
    r"|subtract|deduct|double|twice|triple|we|i |each|every|the |can you|tell me|(?:two|three|four) \d|\d+ (?:people|of us)|[\d(\-$€£])|\?$|.*\bhow (?:much|many)\b", re.IGNORECASE)
_RUN = re.compile(r"[$€£(\-]*\d(?:[\d\s.,()+*/%^!×÷$€£-]|of (?=[$€£]?\d))*")
_OPERATION = re.compile(r"\d\s*(?:!|% of|%\s*\d|[-+*/^×÷]+\s*[$€£(]*-?\d)|\)\s*[-+*/^]")
_DATED = re.compile(
    r"\b0x|\d ?[ap]m\b|\b\d+-\d+ (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d{4}-\d\d-\d\d|\d+:\d\d|\bdue\b|\b(?:on|by|for|until) \d+/\d+|\b(?:remind|note|task|idea|reminder|appointment)\b", re.IGNORECASE)
_RATE = compile_later(rf"(?P<each>{_EVERY}).* for (?P<n>\d+) (?P<unit>[a-z]+?)s?\b", re.IGNORECASE)
_LY = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_UNITS = compile_later(
    r"how many (\w+?)s? (?:are|is|in|make)(?: there)?(?: in)? (\d+(?:\.\d+)?|an?) (second|minute|hour|day|week)s?\b", re.IGNORECASE)
# fmt: on
_FEW = {"two": 2, "three": 3, "four": 4}
_PARTS = {"3rd": 3, "quarter": 4, "5th": 5}
_IN = {("day", "week"): 7, ("month", "year"): 12, ("hour", "day"): 24}


def find_expression(question: str) -> str | None:
    """Return the expression to calculate; None where a question asks for none, or has figures that are not in it."""
    text = alpha2digit(question, "en") if re.search(r"[a-z]", question) else question
    if not _ASKED.search(text) or _DATED.search(text):
        return None
    text = re.sub(*_PERCENT, text, flags=re.IGNORECASE)
    text = re.sub(r"\b(\d+) dozen\b", lambda n: str(int(n[1]) * 12), re.sub(r"\ba dozen\b", "12", text))
    whole = (found for found in _read_expressions(text) if found and _figures(text) <= _figures(found))
    return next(whole, None)


def _figures(text: str) -> Counter[float]:
    """The numbers in a text, each as often as it is there."""
    return Counter(map(float, re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))))


def _read_expressions(text: str) -> Iterator[str | None]:
    """The readings of a text, the surest first."""
    text = re.sub(
        r"\b(\d|two|three|four) (3rd|5th|quarter)s of\b", lambda n: f"{_FEW.get(n[1], n[1])}/{_PARTS[n[2]]} of", text
    )
    if (asked := _UNITS.search(text)) and asked[1].lower() in _SECONDS:
        count = "1" if asked[2].lower().startswith("a") else asked[2]
        yield f"{count} * {_SECONDS[asked[3].lower()]} / {_SECONDS[asked[1].lower()]}"
    if listed := re.search(
        rf"\b(?:sum of|add(?: up)?|total of|average of) ({_N}(?:(?:,| and|, and) {_N})+)", text, re.IGNORECASE
    ):
        numbers = re.findall(r"\d+(?:\.\d+)?", listed[1])
        yield f"({' + '.join(numbers)}) / {len(numbers)}" if "average" in listed[0].lower() else " + ".join(numbers)
    for shape, form in _SHAPES:
        if match := shape.search(text):
            yield _convert_unit(text, form.format(*match.groups()))
    yield _read_signs(text)


def _read_signs(text: str) -> str | None:
    """The longest run of figures and signs; 200 + 19% is a surcharge, and with more around it nobody knows of what."""
    for words, sign in _SIGNS:
        text = re.sub(words, sign, text, flags=re.IGNORECASE)
    longest = max((run.strip(" .,").rstrip(" (-") for run in _RUN.findall(text)), key=len, default="")
    longest = re.sub(r"^([^%]+?) ?([+-]) ?(\d[\d.]*) ?%$", r"(\1) * (1 \2 \3/100)", longest)
    is_unclear = re.search(r"[+-] ?\d[\d.]* ?%(?! ?(?:of|\d))", longest)
    return longest if _OPERATION.search(longest) and not is_unclear else None


def _convert_unit(text: str, expression: str) -> str | None:
    """A rate by one unit over a time in another: 5 a day for 2 weeks is 5 * 2 * 7; nothing where it is not exact."""
    rate = _RATE.search(text)
    each = rate["each"].lower().split()[-1] if rate else ""
    each = _LY.get(each, each)
    if rate is None or each in (rate["unit"].lower(), "person", "head"):
        return expression
    factor = _IN.get((each, rate["unit"].lower()))
    return f"{expression} * {factor}" if factor else None
