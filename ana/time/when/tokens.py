"""The words of a text from which dates are made, each with its kinds in the grammar."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ana.phrases import fold

LONGEST = 4_000
"""Characters of a text in which days and times are looked for. A text that is longer is never only a day or a time."""

_FIGURES = {
    "ISO": r"\d{4}(?:-\d\d?-|/\d\d?/)\d\d?(?![\d/-])"
    r"(?:[t ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?(?!\w))?",
    "DATE": r"\d\d?\.\d\d?\.(?:\d{4}|\d\d)(?!\.?\d|:)|\d\d?-\d\d?-\d{4}(?![\d-])|\d\d?/\d\d?/(?:\d{4}|\d\d)(?![\d/])"
    r"|\d\d?/(?:1[3-9]|[23]\d)(?![\d/])|(?!24/7)(?:1[3-9]|[23]\d)/\d\d?(?![\d/])",
    "YEARMONTH": r"\d{4}[-/](?:0[1-9]|1[0-2])(?![\d/-])|(?:0?[1-9]|1[0-2])/\d{4}(?![\d/])",
    "FRACTION": r"(?!24/7)\d\d?/\d\d?(?![\d/])",
    "DAYMONTH": r"\d\d?\.\d\d?\.(?!\.?\d|:)",
    "ORDINAL": r"\d{1,3}(?:st|nd|rd|th)(?!\w)",
    "CLOCK": r"(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d|:\d)|(?:1[3-9]|2[0-3])h(?!\w)",
    "HOURS": r"\d\d?h(?!\w)",
    "DECIMAL": r"\d{1,4}[.,]\d\d?(?![.,:/]?\d)",
    "NUMBER": r"\d{1,4}(?![.,:/]?\d)",
    "": r"\d+(?:[.,:/]\d+)*",
}
"""What figures may be, by their kinds; the first that fits counts."""

_HALF = r"(?<=\d)[ap]\b\.?|[ap]\.? ?m\b\.?"
_TOKEN = re.compile(
    f"2moro|(?P<figures>{'|'.join(_FIGURES.values())})|(?P<half>{_HALF})|o'?clock|[^\\W\\d_]+|'s\\b|\\S"
)
_KINDS = [(kind, re.compile(pattern)) for kind, pattern in _FIGURES.items()]
_NUMBER = re.compile(r"\d+")


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _count(names: str, start: int = 1) -> dict[Any, str]:
    return dict(enumerate(names.split(", "), start))


_VERBS = words("may march mar")
"""Months that are also other words if written in small letters: we may go."""

_WORDS: Mapping[str, Mapping[Any, str]] = {
    "WEEKDAY": _count(
        "monday mon, tuesday tue tues, wednesday wed weds, thursday thu thur thurs, friday fri, saturday sat,"
        " sunday sun", 0,
    ),
    "WEEKDAYS": _count("mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays", 0),
    "MONTH": _count(
        "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept,"
        " october oct, november nov, december dec"
    ),
    "WORDNUMBER": _count("one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
    | {15: "fifteen", 20: "twenty", 30: "thirty", 40: "forty", 50: "fifty", 90: "ninety"},
    "NTH": _count("first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth"),
    "UNIT": {
        "minutes": "minute minutes min mins", "hours": "hour hours hr hrs h", "days": "day days d",
        "weeks": "week weeks wk", "fortnights": "fortnight", "months": "month months", "quarters": "quarter quarters",
        "years": "year years yr yrs",
    },
    "PERIOD": {
        "days": "day", "weeks": "week", "weekend": "weekend wkend", "months": "month", "quarters": "quarter",
        "years": "year yr",
    },
    "END": {"days": "eod", "weeks": "eow", "months": "eom", "quarters": "eoq", "years": "eoy"},
    "WHICH": {-1: "last past", 0: "this current", 1: "next"},
    "TODAY": {-1: "yesterday", 0: "today tonight tonite", 1: "tomorrow tomorow tommorow tommorrow tmr tmrw tmw 2moro"},
    "PART": {
        "morning": "morning", "noon": "lunch", "afternoon": "afternoon", "evening": "evening",
        "night": "night tonight tonite",
    },
    "SIDE": {"by": "by", "until": "until till through", "before": "before", "after": "after", "since": "since"},
    "EVERY": {1: "every each"},
    "ADVERB": {
        ("DAILY", 1): "daily everyday", ("WEEKLY", 1): "weekly", ("WEEKLY", 2): "fortnightly",
        ("MONTHLY", 1): "monthly", ("MONTHLY", 3): "quarterly", ("YEARLY", 1): "yearly annually",
    },
    "LEVEL": {2: "mon tue tues wed weds thu thur thurs fri", 3: "sat sun"},
    "PLAIN": {True: "january february july september october november december"},
}  # fmt: skip
"""Words by kind and value. A word with a `grammar.Level` may mean something else; a plain month never does."""

_LEXICON: dict[str, dict[str, Any]] = {}
for _kind, _values in _WORDS.items():
    for _value, _names in _values.items():
        for _name in _names.split():
            _LEXICON.setdefault(_name, {})[_kind] = _value


class Figures(NamedTuple):
    """Figures in a text: the numbers, and the text as written."""

    numbers: tuple[int, ...]
    text: str


class Token(NamedTuple):
    """A word, a number or a sign.

    Args:
        start: Its first character.
        end: The character after its last.
        word: The token in lower case; a sign of a range is -.
        kinds: The kinds of the grammar to which it belongs, with its value for each.
        names: Its word and its kinds.
    """

    start: int
    end: int
    word: str
    kinds: Mapping[str, Any]
    names: frozenset[str] = frozenset()


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of the beginning of a text."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(fold(text[:LONGEST])):
        word = "-" if match[0] in ("–", "—") else match[0]
        kinds = _LEXICON.get(word, {})
        if match["figures"]:
            kinds = _read_figures(word)
        elif match["half"]:
            kinds = {"HALF": word[0]}
        elif word in _VERBS and text[match.start()].islower():
            kinds = {**kinds, "VERB": True}
        tokens.append(Token(*match.span(), word, kinds, frozenset((word, *kinds))))
    return tokens


def _read_figures(text: str) -> dict[str, Any]:
    """Return the kinds of figures, with the value for each kind."""
    kind = next(kind for kind, pattern in _KINDS if pattern.fullmatch(text))
    numbers = tuple(map(int, _NUMBER.findall(text)))
    if kind not in ("NUMBER", "ORDINAL"):
        return {kind: Figures(numbers, text)} | ({"HOURS": numbers[0]} if text.endswith("h") else {})
    is_year = kind == "NUMBER" and 1900 <= numbers[0] < 2200
    return {kind: numbers[0]} | ({"YEAR": numbers[0]} if is_year else {})
