"""The words of a text that dates are made of, each with the kinds that the grammar knows it by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from ana.phrases import fold

LONGEST = 4_000
"""Characters of a text in which days and times are looked for. A text that is longer is never only a day or a time."""

_TOKEN = re.compile(
    r"(?P<iso>\d{4}([-/])\d\d?\2\d\d?(?![\d/-])(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?(?!\w))?)"
    r"|(?P<days>\d\d?-\d\d?-\d{4})(?![\d-])|(?P<month>\d{4}[-/](?:0[1-9]|1[0-2]))(?![\d/-])"
    r"|(?P<ordinal>\d{1,3}(?:st|nd|rd|th))(?!\w)|(?P<clock>\d\d?[:h]\d\d)(?!\d|:\d)|(?P<hours>\d\d?h)(?!\w)"
    r"|(?P<dotted>\d\d?\.\d\d?\.(?:\d{4}|\d\d(?!\d))?)(?!\.?\d|:)|(?P<number>\d+(?:[.,/:]\d+)*+)"
    r"|(?P<half>(?<=\d)[ap]\b\.?|[ap]\.? ?m\b\.?)|(?P<word>o'?clock|[^\W\d_]+)|(?P<sign>'s\b|\S)"
)
_HALF_DAY = re.compile(r"[ap]")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTHS = "january february march april may june july august september october november december".split()
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_NTHS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "ninety": 90}
_UNITS = {
    "minutes": "minute min mins", "hours": "hour hr hrs h", "days": "day d", "weeks": "week wk", "quarters": "quarter",
    "months": "month", "years": "year yr yrs",
}  # fmt: skip
_PERIODS = {"day": "days", "week": "weeks", "month": "months", "year": "years", "yr": "years", "quarter": "quarters"}
_PERIODS |= {"weekend": "weekend", "wkend": "weekend"}
_WHICH = {"last": -1, "past": -1, "this": 0, "current": 0, "next": 1}
_PARTS = {"night": "night", "tonight": "night", "tonite": "night", "lunch": "lunch", "lunchtime": "lunch"}
_PARTS |= {part: part for part in ("morning", "afternoon", "evening")}
_VERBS = ("may", "march", "mar")
"""Months that are also other words, in small letters: we may go."""

_TODAY = {"today": 0, "tonight": 0, "tonite": 0, "tomorrow": 1, "yesterday": -1}
_TODAY |= dict.fromkeys("tomorow tommorow tommorrow tmr tmrw tmw 2moro".split(), 1)


@dataclass(frozen=True)
class Token:
    """A word, a number or a sign.

    Args:
        start: Its first character.
        end: The character after its last.
        word: It in small letters; a sign of a range is -.
        kinds: The kinds of the grammar that it is of, with its value as each.
        joins: Whether it may stand between the words of one date: Tue, 13 Jan. 2026.
    """

    start: int
    end: int
    word: str
    kinds: Mapping[str, Any]
    joins: bool = False


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of the beginning of a text."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(fold(text[:LONGEST])):
        form, word = str(match.lastgroup), "-" if match[0] in "–—" else match[0]
        kinds = LEXICON.get(word, {}) if form in ("word", "sign") else _read_form(form, word)
        if word in _VERBS and text[match.start()].islower():
            kinds = {**kinds, "VERB": True}
        is_abbreviated = word == "." and tokens and tokens[-1].end == match.start()
        tokens.append(Token(*match.span(), word, kinds, joins=word == "," or bool(is_abbreviated)))
    return tokens


def _read_form(form: str, word: str) -> dict[str, Any]:
    """Return the kinds of a token that is written in figures."""
    numbers = [int(number) for number in re.findall(r"\d+", word)]
    match form:
        case "iso":
            return {"ISO": (tuple(numbers[:3]), _read_moment(word))}
        case "days":
            return {"DASHED": tuple(numbers)}
        case "month":
            return {"YEARMONTH": tuple(numbers)}
        case "ordinal":
            return {"ORDINAL": numbers[0]}
        case "clock" | "hours":
            hour, minute = (*numbers, 0)[:2]
            is_time = hour < 24 and minute < 60 and (form == "clock" or hour > 12)  # a 3h drive
            kinds: dict[str, Any] = {"CLOCK": (hour, minute, word)} if is_time else {}
            return kinds | ({"HOURS": hour} if form == "hours" else {})
        case "dotted":
            return {"DOTTED" if len(numbers) > 2 else "DAYMONTH": tuple(numbers)}
        case "half":
            return {"HALF": _HALF_DAY.match(word)[0]}  # type: ignore[index]
    return _read_number(word, numbers)


def _read_number(word: str, numbers: list[int]) -> dict[str, Any]:
    """Return the kinds of figures, alone or with signs between them."""
    if word.isdecimal():
        kinds: dict[str, Any] = {"NUMBER": numbers[0]} if len(word) <= 4 else {}
        if len(word) == 4 and 1900 <= numbers[0] < 2200:
            kinds["YEAR"] = numbers[0]
        if len(word) in (3, 4) and numbers[0] < 2400 and numbers[0] % 100 < 60:
            kinds["HOURMINUTE"] = divmod(numbers[0], 100)
        return kinds
    if re.fullmatch(r"\d\d?/\d\d?(?:/(?:\d{4}|\d\d))?", word):
        return {"FRACTION" if len(numbers) < 3 and max(numbers) < 13 else "SLASHED": tuple(numbers)}
    if re.fullmatch(r"(?:0?[1-9]|1[0-2])/\d{4}", word):
        return {"YEARMONTH": (numbers[1], numbers[0])}
    if re.fullmatch(r"\d{1,4}[.,]\d{1,2}", word):
        return {"DECIMAL": (*numbers, word)}
    return {}


def _read_moment(word: str) -> datetime | time | None:
    """Return the time in a date and time of ISO, with its day if it has a zone."""
    _, gap, clock = word.replace(" ", "t").partition("t")
    if not gap:
        return None
    try:
        at = time.fromisoformat(clock.upper())
        return datetime.fromisoformat(word.replace("/", "-").upper()) if at.tzinfo else at
    except ValueError:
        return None


def _make_lexicon() -> dict[str, dict[str, Any]]:
    lexicon: dict[str, dict[str, Any]] = {}

    def add(kind: str, words: Mapping[str, Any]) -> None:
        for word, value in words.items():
            lexicon.setdefault(word, {})[kind] = value

    days = {name: number for number, name in enumerate(_DAYS)}
    add("WEEKDAY", days | _SHORT)
    add("DAYNAME", days)
    add("SHORTDAY", {name: number for name, number in _SHORT.items() if number < 5})
    add("FAINTDAY", {"sat": 5, "sun": 6})
    add("WEEKDAYS", {f"{name}s": number for name, number in days.items()})
    months = {name: number for number, name in enumerate(_MONTHS, 1)}
    add("MONTH", months | {name[:3]: number for name, number in months.items()} | {"sept": 9})
    add("FULLMONTH", months)
    add(
        "PLAINMONTH",
        {name: at for name, at in months.items() if name not in ("march", "april", "may", "june", "august")},
    )
    add("WORDNUMBER", {name: number for number, name in enumerate(_NUMBERS, 1)})
    add("TENS", _TENS)
    add("NTH", {name: number for number, name in enumerate(_NTHS, 1)})
    add("UNIT", {word: unit for unit, words in _UNITS.items() for each in words.split() for word in (each, f"{each}s")})
    add("PERIOD", _PERIODS)
    add("WHICH", _WHICH)
    add("PART", _PARTS)
    add("TODAY", _TODAY)
    return lexicon


LEXICON = _make_lexicon()
"""The kinds of words, with their values."""
