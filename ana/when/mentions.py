"""The mentions of days in a text."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from ana.dates import spelled
from ana.when.explicit import EXPLICIT
from ana.when.relative import RELATIVE
from ana.when.words import Days

MOST_DAYS = 14
"""How many days of one mention are spelled out."""


@dataclass(frozen=True)
class Mention:
    """Where a text names days, and which.

    Args:
        start: Its first character.
        end: The character after its last.
        first: The first day.
        last: The last day, inclusive.
        text: The mention as written.
    """

    start: int
    end: int
    first: date
    last: date
    text: str


def resolve(text: str, today: date) -> list[Mention]:
    """Every mention of days, in the order of the text; of overlapping readings the earliest, then the longest."""
    return list(_resolved(text, today))


@lru_cache(maxsize=32)  # one query is read for its words, its days and its kind
def _resolved(text: str, today: date) -> tuple[Mention, ...]:
    found: list[Mention] = []
    done = 0
    for start, end, days in sorted(_readings(text, today), key=lambda reading: (reading[0], -reading[1])):
        if start < done:
            continue
        done = end
        if days:
            found.append(Mention(start, end, *days, text[start:end]))
    return tuple(found)


def _readings(text: str, today: date) -> Iterator[tuple[int, int, Days | None]]:
    """What each rule makes of the text. One that is no day still counts: 31 April 2026 is not April 2026."""
    for rule in (*RELATIVE, *EXPLICIT):
        for match in rule.pattern.finditer(text):
            start, end = match.span("at" if "at" in rule.pattern.groupindex else 0)
            try:
                days = rule.read(match, today)
            except (ValueError, OverflowError):  # beyond the years a date can have
                days = None
            yield start, end, days


def spell_out(text: str, today: date) -> str:
    """The text, and behind it the days it mentions, spelled as ana.dates.spelled does; at most 14 of each mention."""
    days = [day for mention in resolve(text, today) for day in _days(mention)]
    return " ".join([text, *dict.fromkeys(spelled(day) for day in days)])


def _days(mention: Mention) -> list[date]:
    count = min((mention.last - mention.first).days + 1, MOST_DAYS)
    return [mention.first + timedelta(days=ahead) for ahead in range(count)]
