"""Times of day as drafts write them, in five languages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ana.time.when.times import find_times
from nodes.policies.spoken import DAY, find_spoken

_AM = r"a\.?\s?m\b\.?|de la (?:mañana|madrugada)|du matin|in the morning|morgens|früh"
_PM = (
    r"p\.?\s?m\b\.?|de la (?:tarde|noche)|du soir|de l['’]après-midi|in the (?:afternoon|evening)|at night|abends|"
    r"nachmittags"
)
_TIME = re.compile(
    rf"(?<![\d.,:])(?P<half>午前|午後)?\s?(?P<hour>[01]?\d|2[0-4])"
    rf"(?:(?::|\s?h\s?|\s?Uhr\s|時(?!間))(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:分|\s?Uhr|\s?h\b)?|時(?!間)(?P<halfpast>半)?"
    rf"|\s?(?:Uhr|h|o['’]clock)\b"
    rf"|(?=\s?[ap]\.?m\b))(?![\d:%])\s?(?:(?P<am>{_AM})|(?P<pm>{_PM}))?",
    re.IGNORECASE,
)

_SPOKEN = re.compile(r"\b(?:noon|midday|midnight|lunchtime|half|quarter|past)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Moment:
    """Where a text names a time of day, and the minutes since midnight it may be."""

    start: int
    end: int
    minutes: frozenset[int]


def find_moments(text: str) -> list[Moment]:
    """Return the times of day in a text; one that does not tell the half of the day is read as both."""
    found = find_written(text)
    return found + [spoken for spoken in _find_spoken(text) if all(_are_apart(spoken, other) for other in found)]


def find_written(text: str) -> list[Moment]:
    """Return the times that are written in digits."""
    return [Moment(m.start(), m.end(), _minutes(m)) for m in _TIME.finditer(text)]


def _are_apart(one: Moment, other: Moment) -> bool:
    return one.end <= other.start or other.end <= one.start


def _find_spoken(text: str) -> Iterator[Moment]:
    """Yield the times in words: quarter to ten, half past two, noon, and those of other languages."""
    yield from (Moment(start, end, minutes) for start, end, minutes in find_spoken(text))
    for mention in find_times(text) if _SPOKEN.search(text) else ():
        if not any(letter.isdigit() for letter in text[mention.start : mention.end]):
            minutes = mention.at.hour * 60 + mention.at.minute
            yield Moment(mention.start, mention.end, frozenset({minutes, (minutes + DAY // 2) % DAY}))


def _minutes(match: re.Match[str]) -> frozenset[int]:
    hour = int(match["hour"])
    minute = 30 if match["halfpast"] else int(match["minute"] or 0)
    late = match["pm"] or match["half"] == "午後"
    early = match["am"] or match["half"] == "午前"
    if hour > 12 or (hour == 0 and not late):
        return frozenset({hour % 24 * 60 + minute})
    hours = {hour % 12} if early else {hour % 12 + 12} if late else {hour % 12, hour % 12 + 12}
    return frozenset(hour * 60 + minute for hour in hours)


def is_near(minutes: frozenset[int], moment: int, tolerance: int) -> bool:
    """Whether one of the times lies within so many minutes of a moment, around midnight too."""
    return any(min((m - moment) % DAY, (moment - m) % DAY) <= tolerance for m in minutes)
