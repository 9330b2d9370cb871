"""The mentions of days and times in a text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, time

from ana.time.when.days import Days
from ana.time.when.grammar import NoSuchDay
from ana.time.when.reader import SOME_DAY, Reading, read


@dataclass(frozen=True)
class Mention:
    """A place where a text names days, with these days.

    Args:
        start: Its first character.
        end: The character after its last.
        last: The last day, inclusive.
        text: The mention as written.
        step: The time after which such a day comes again: week, month or year; empty if it is one date only.
        other: The first day if the words are read in another common way.
    """

    start: int
    end: int
    first: date
    last: date
    text: str
    step: str = field(default="", compare=False)
    other: date | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TimeMention:
    """A place where a text names a time of day, with an "at" before it, and that time."""

    start: int
    end: int
    at: time


def resolve(text: str, today: date) -> list[Mention]:
    """Return every mention of days, in order; of overlapping readings the earliest, then the longest."""
    return list_days(text, read(text, today))


def list_days(text: str, reading: Reading) -> list[Mention]:
    """Return the mentions of days of a text that was read."""
    spans = [(*reading.span(piece), piece.value) for piece in reading.list_kind("DAY")]
    return [
        Mention(start, end, days.first, days.last, text[start:end], days.step, days.other)
        for start, end, days in spans
        if isinstance(days, Days)
    ]


def find_impossible(text: str, today: date) -> list[str]:
    """Return the days in a text that no calendar has: 30 February, 31.6.2027."""
    reading = read(text, today)
    spans = (reading.span(piece) for piece in reading.pieces if isinstance(piece.value, NoSuchDay))
    return [text[start:end] for start, end in spans]


def find_times(text: str) -> list[TimeMention]:
    """Return every time of day in a text, in its order; both of a span."""
    return list_times(read(text, SOME_DAY))


def list_times(reading: Reading) -> list[TimeMention]:
    """Return the times of day of a text that was read."""
    times: list[TimeMention] = []
    for piece in reading.list_kind("TIME", "RANGE", "DAY"):
        both = [getattr(piece.value, "at", None), getattr(piece.value, "until", None)]
        times += [TimeMention(*reading.span(piece), at) for at in both if isinstance(at, time)]
    return times


def drop_mentions(text: str, mentions: Sequence[Mention | TimeMention]) -> str:
    """Return the text with each mention replaced by a space."""
    parts, end = list[str](), 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        parts.append(text[end : mention.start])
        end = max(end, mention.end)
    return " ".join([*parts, text[end:]])
