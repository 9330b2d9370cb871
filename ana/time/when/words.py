"""The words dates are made of, as parts of patterns, and the type of a rule."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from dateutil.relativedelta import relativedelta

Days = tuple[date, date]

LONGEST = 4_000
"""Characters of a text in which days and times are looked for. A text that is longer is never only a day or a time."""

LED_IN = 40
"""Characters before a mention in which the words that lead to it stand: by the 13th."""

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
SHORT = r"(?:mon|tues?|wed|thu(?:rs?)?|fri)\b"
ANY_WEEKDAY = rf"(?:{WEEKDAY}|{SHORT}|(?:sat|sun)\b)"
FULL_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
MONTH = rf"(?:{FULL_MONTH}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
NUMBER = rf"(?:\d{{1,4}}|(?:a\s+)?couple\s+of|an?|{'|'.join(NUMBERS)})"
UNIT = r"(?P<unit>day|week|month|year)s?\b"
YEAR = r"(?P<year>(?:19|20|21)\d\d)(?![\d:])"
CLOCK = r"\d{1,2}(?::\d\d|\s*[ap]\.?m\b)"

STOP = (
    r"(?=\s*(?:$|[.,;:!?)\]\"'’]|\s[-–—]|(?:and|at|for|to|in|on|with|by|please|i|we|you|he|she|they|it|is|are|was|were|will|if|"
    r"because|from|until|till|before|after|through|when|where|that|then|but|about|instead|morning|afternoon|evening|night|noon)\b|"
    rf"{CLOCK}))"
)
"""Looks ahead for anything but a noun that a number or a weekday may belong to: the 5th floor, sun cream."""


@dataclass(frozen=True)
class Rule:
    """One way of naming days.

    Args:
        pattern: Where it matches, without regard to case; a group `at` is the mention without words that reveal it.
        read: Returns a day, or the first and the last one, or None where it is not a day after all.
    """

    pattern: str
    read: Callable[[re.Match[str], date], Days | date | None]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when it is first needed and kept here, for most searches are shorter than a look into re's cache."""
        return re.compile(self.pattern, re.IGNORECASE)


def find_before(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Return what leads to a place in a text.

    Args:
        pattern: Ends with $, which is that place.
    """
    return pattern.search(text, max(0, at - LED_IN), at)


def shift_day(day: date, by: timedelta | relativedelta) -> date:
    """Return a day so much later or earlier, or the last or first there is."""
    try:
        return day + by
    except (ValueError, OverflowError):
        return date.min if day.year < 5000 else date.max


def weekday_named(text: str) -> int | None:
    """Return the weekday that stands beside a date in a mention, from 0, Monday; None without one or without a date."""
    name = re.search(ANY_WEEKDAY, text, re.IGNORECASE)
    return weekday_number(name[0]) if name and re.search(r"\d", text) else None


def weekday_number(name: str) -> int:
    return _DAYS.index(name[:3].lower())


def month_number(name: str) -> int:
    return int(name) if name.isdecimal() else MONTHS.index(name[:3].lower()) + 1


def number(word: str) -> int:
    word = word.lower()
    if word.isdecimal():
        return int(word)
    return 2 if "couple" in word else NUMBERS.index(word) + 1 if word in NUMBERS else 1
