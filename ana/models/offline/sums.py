"""The expression in a question that asks for a number."""

import re

_N = r"[$€£]?(\d[\d,]*(?:\.\d+)?)"
_WORDS = (
    (r"\bdivided by\b|\bover\b", "/"),
    (r"\b(?:times|multiplied by)\b", "*"),
    (r"\bplus\b", "+"),
    (r"\bminus\b", "-"),
    (r"\bto the power of\b", "^"),
    (r"\b(?:percent|per cent)\b", "%"),
    (r"\s+squared\b", "**2"),
    (r"\s+cubed\b", "**3"),
)
_PERIOD = r"(?:daily|weekly|monthly|yearly|(?:a|per|each|every) (?:day|week|month|year|night|person|hour))"
_SHAPES = (
    (re.compile(rf"{_N} ?% off (?:of )?(?:the )?{_N}", re.IGNORECASE), "{1} * (1 - {0}/100)"),
    (re.compile(rf"{_N} ?% of {_N}", re.IGNORECASE), "{0}% of {1}"),
    (
        re.compile(
            rf"(?:split|divide|share)\D*{_N}.*?\b(?:between|among|amongst|by|with|into)\b\D*?(\d+)", re.IGNORECASE
        ),
        "{0} / {1}",
    ),
    (re.compile(rf"{_N} (?:\w+ )?{_PERIOD} for (\d+) (?:\w+)", re.IGNORECASE), "{0} * {1}"),
    (re.compile(rf"{_PERIOD} (?:for|costs?|is) {_N} for (\d+)", re.IGNORECASE), "{0} * {1}"),
)
_ASKED = re.compile(
    r"^(?:so |and |please |hey )*(?:what|how much|how many|compute|calculate|calc|evaluate|solve|if|split|divide|share|work out|[\d(\-$])",
    re.IGNORECASE,
)
_RUN = re.compile(r"[$(\-]*\d[\d\s.,()+*/%^!×÷$-]*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d+:\d\d|\bdue\b|\b(?:on|by) \d+/\d+")
_RATE = re.compile(rf"(?P<each>{_PERIOD}).* for \d+ (?P<unit>[a-z]+?)s?\b", re.IGNORECASE)
_LY = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}


def expression_in(question: str) -> str | None:
    """What is to be calculated, or None where nothing is."""
    if not _ASKED.match(question) or _DATE.search(question) or _mixes_units(question):
        return None
    for shape, form in _SHAPES:
        if match := shape.search(question):
            return form.format(*match.groups())
    text = question
    for words, sign in _WORDS:
        text = re.sub(words, sign, text, flags=re.IGNORECASE)
    runs = [run.strip(" .,") for run in _RUN.findall(text)]
    longest = max(runs, key=len, default="")
    return longest if re.search(r"\d\s*(?:!|%|[-+*/^×÷]+\s*[$(]*-?\d)|\)\s*[-+*/^]", longest) else None


def _mixes_units(question: str) -> bool:
    """Whether a rate is by one unit and the time in another: 5 a day for 2 weeks is not 5 * 2."""
    rate = _RATE.search(question)
    each = rate["each"].lower().split()[-1] if rate else ""
    return rate is not None and _LY.get(each, each) != rate["unit"].lower()
