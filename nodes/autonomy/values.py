"""Whether a text says the values that a call writes."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

from text_to_num import text2num

from ana.memory.search.tokens import tokenize
from ana.memory.status import DONE
from nodes.autonomy.words import Words, are_forms, has_listed
from nodes.policies.days import find_weekdays
from nodes.policies.moments import find_moments, spell_out
from nodes.policies.texts import LANGUAGES

MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d))?")
DAY_OF_MONTH = re.compile(r"(?<![\d:.,])[1-3]?\d(?![\d:])")


_DISTANCE = re.compile(
    r"(?P<number>(?<!\d)\d++|(?<!\w)[^\W\d]++) ?(?:(?P<days>days?\b|tage?n?\b|d[ií]as?\b|jours?\b|日間)"
    r"|weeks?\b|wochen?\b|semanas?\b|semaines?\b|週間)",
    re.IGNORECASE,
)
_ONE = frozenset(["a", "an", "ein", "eine", "einen"])


def find_distances(text: str) -> set[int]:
    """Return what distances in days or weeks a text names, in days."""
    found = ((match, _read_number(match["number"].lower())) for match in _DISTANCE.finditer(text))
    return {number * (1 if match["days"] else 7) for match, number in found if number}


def _read_number(word: str) -> int:
    """Return the number that a word is in any language; 0 if it is none."""
    if word.isdecimal():
        return int(word)
    for language in LANGUAGES:
        with suppress(ValueError):
            return int(text2num(word, language))
    return int(word in _ONE)


def says_all(text: str, values: Sequence[str]) -> bool:
    """Return whether a text says some values, and all of them."""
    return bool(values) and all(says_value(text, value) for value in values)


def says_value(text: str, value: str) -> bool:
    """Return whether a text says a value: in its words, as a date by its day or time, or that something is done."""
    words = tokenize(value)
    if Words(text).hold(value) or (len(words) == 1 and any(are_forms(word, words[0]) for word in tokenize(text))):
        return True
    if value.lower() in DONE and has_listed(text, "done"):
        return True
    match = MOMENT.match(value)
    return _says_moment(text, *match.groups()) if match else False


def _says_moment(text: str, day: str, hour: str | None, minute: str) -> bool:
    moments = (moment for each in spell_out(text) for moment in find_moments(each))
    if hour and any(int(hour) * 60 + int(minute) in moment.minutes for moment in moments):
        return True
    weekdays = {name.number for name in find_weekdays(text)}
    with suppress(ValueError):
        return date.fromisoformat(day).weekday() in weekdays or str(int(day[-2:])) in DAY_OF_MONTH.findall(text)
    return False
