"""Days in other languages than English: übermorgen, vendredi, el 18 de enero, 明日."""

import re
from collections.abc import Callable, Iterable
from datetime import date

from ana.phrases import fold
from ana.time.when.explicit import EXPLICIT, read_day
from ana.time.when.names import NAMES
from ana.time.when.relative import RELATIVE
from ana.time.when.words import FULL_MONTH, YEAR, Days, Rule


def _collect(fits: Callable[[str], object]) -> dict[str, str]:
    """Return the English for each word, with its accents and without, whose English fits."""
    rows = ((word, english) for english, words in NAMES.items() if fits(english) for word in words.split(" | "))
    return {spelt: english for word, english in rows for spelt in (fold(word), word)}


_MONTHS = _collect(re.compile(FULL_MONTH).fullmatch)
_WEEKDAYS = _collect(lambda english: english.endswith("day") and " " not in english and "yester" not in english)
_DAYS = _collect(lambda english: not re.fullmatch(FULL_MONTH, english))


def _one_of(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    # Japanese has no spaces between words
    spaced = "|".join(re.escape(word) for word in longest_first if not _is_japanese(word))
    joined = "".join(f"|{word}" for word in longest_first if _is_japanese(word))
    return rf"(?:(?<!\w)(?:{spaced})(?!\w){joined})"


def _is_japanese(word: str) -> bool:
    return word > "\u3000"


def _day(match: re.Match[str], today: date) -> Days | date | None:
    english = _DAYS.get(match["day"].lower(), "")  # other letters may count as the same without regard to case
    found = ((rule, re.search(rule.pattern, english, re.I)) for rule in (*RELATIVE, *EXPLICIT))
    return next((rule.read(match, today) for rule, match in found if match), None)


def _day_of_month(match: re.Match[str], today: date) -> Days | date | None:
    english = _MONTHS.get(match["month"].lower())
    return read_day(match, today, english) if english else None


FOREIGN = (
    Rule(
        rf"(?:{_one_of(_WEEKDAYS)},?\s+)?(?<![\w.,:/])(?P<day>\d{{1,2}})(?:\.|er|º|°)?\s+(?:de\s+)?"
        rf"(?P<month>{_one_of(_MONTHS)})(?:\s+(?:de\s+)?{YEAR})?",
        _day_of_month,
    ),
    Rule(r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日", read_day),
    Rule(rf"(?P<day>{_one_of(_DAYS)})", _day),
)
