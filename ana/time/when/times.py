"""Times of day and spans of hours in a text: "at half past two", "7:30pm", "noon", "in half an hour".

How it reads:
- An hour needs am or pm, minutes, "o'clock", "at" before it, or "tonight" and the like after it.
- "half seven" is half past seven; "at 11.15" a time, where no noun follows.
- "in the afternoon", "this evening" and "tonight", wherever they stand, make hours up to 11 afternoon hours. Without
  them "at 3" is 15:00, as people mean it: 1 to 6 count from noon, 7 to 12 are taken as they are.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache

from ana.time.when.words import ANY_WEEKDAY, LONGEST, NUMBER, NUMBERS, number

_HOURS = "|".join(NUMBERS)
_HOUR = rf"(?P<hour>\d{{1,2}}|{_HOURS})"
_HALF_DAY = r"\s*(?P<half>[ap])\.?m\b\.?"
_PARTS = {"past": 1, "after": 1, "to": -1, "before": -1}
_MINUTES = {"half": 30, "quarter": 15, "a quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_LATE = re.compile(r"\b(?:afternoon|evening|tonight)\b|\bp\.?m\b|\bnight\b", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:morning)\b", re.IGNORECASE)
_PART_OF_DAY = r"\s+(?:tonight|(?:in\s+the\s+|this\s+)?(?:morning|afternoon|evening)|o'?clock|sharp)"
_BEFORE = r"(?:\b(?:at|by|from|until|till|around|about|before|after)\s+)"
_FOLLOWING = (
    "on|to|for|with|in|at|and|about|today|tomorrow|tonight|this|next|by|the|please|now|every|each|sharp|urgent|asap|i|remind|"
    "o'?clock|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
_NOUN = rf"\s+(?!(?:{_FOLLOWING})\w*)\w"
"""Looks ahead for a noun, before which a number is not an hour: at 10 Downing Street, by 3 points."""

_FRENCH_DAY = "(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|demain|aujourd'hui"

_SHAPES = (
    rf"{_BEFORE}?\b(?P<minutes>half|(?:a\s+)?quarter|ten|twenty|five)\s+(?P<side>past|to)\s+{_HOUR}\b(?:{_HALF_DAY})?",
    rf"{_BEFORE}?\b(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?:{_HALF_DAY}|\s*h\b)?(?![\d:/%])",
    rf"{_BEFORE}?\b(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d){_HALF_DAY}",
    rf"\bat\s+(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d)\b(?!\s*(?:%|[-/.:]\d))(?!{_NOUN})",
    rf"{_BEFORE}?\b(?P<minutes>half)\s+(?P<hour>{_HOURS})\b(?=\s*(?:$|[,.;!]|(?:tonight|today|tomorrow|on|this|in\s+the)\b))",
    rf"{_BEFORE}?\b{_HOUR}{_HALF_DAY}",
    rf"{_BEFORE}{_HOUR}\b(?!\s*(?:%|[-/.:]\d))(?!{_NOUN})",
    rf"\b{_HOUR}(?={_PART_OF_DAY})",
    rf"(?:\b{ANY_WEEKDAY}|\d(?:st|nd|rd|th)|\b(?:today|tonight|tomorrow|tmrw?))\s+(?P<at>(?P<hour>\d{{1,2}})"
    r"\.(?P<minute>[0-5]\d))\b(?!\s*(?:%|[€$£]|[-/.:]\d))",
    rf"\b(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d)(?=\s+(?:{ANY_WEEKDAY}|today|tonight|tomorrow|tmrw?)\b)",
    r"(?:\b(?:um|gegen|à|vers|a las|alle|at)\s+)?\b(?P<hour>\d{1,2})\s?(?P<exact>uhr)\b",
    r"\b(?P<hour>\d{1,2})\s?h(?P<minute>[0-5]\d)\b",
    r"\b(?:à|a las|alle|às|at|um|gegen|vers)\s+(?P<hour>\d{1,2})\s?(?P<exact>h)\b",
    r"\b(?P<hour>1[3-9]|2[0-3])\s?(?P<exact>h)\b(?!\s+(?:before|after|later|ago|earlier))",
    r"\b(?:a las|alle)\s+(?P<hour>\d{1,2})\b(?!:|\s*(?:min|st|tag|woche|monat|jahr))",
    r"\bum\s+(?P<hour>\d{1,2})\b(?=\s*(?:$|[,;!?]|\.(?!\d)|(?:an|zu[mr]?|mit|i[mn]|bei|beim|den|die|das)\b))",
    rf"\b(?:{_FRENCH_DAY}|\d{{1,2}}/\d{{1,2}})\s+(?P<at>(?P<hour>\d{{1,2}})\s?(?P<exact>h))\b",
    r"(?P<hour>\d{1,2})(?P<exact>時)(?:(?P<minute>\d{1,2})分)?",
    rf"{_BEFORE}?\b(?P<name>noon|midday|midnight|lunchtime)\b",
)
_SPAN = re.compile(
    rf"\bin\s+(?:(?P<half>half\s+an)|(?P<n>{NUMBER}|an?))\s+(?P<unit>minute|min|hour|hr)s?\b(?P<more>\s+and\s+a\s+half)?",
    re.IGNORECASE,
)
_NOON = 12
_NAMED = {"noon": time(12), "midday": time(12), "lunchtime": time(12), "midnight": time(0)}


@dataclass(frozen=True)
class TimeMention:
    """Where a text names a time of day, and which.

    Args:
        start: Its first character, the "at" before it included.
        end: The character after its last.
    """

    start: int
    end: int
    at: time


def find_times(text: str) -> list[TimeMention]:
    """Return every time of day in a text, in its order; of overlapping readings the first shape's."""
    text, found = text[:LONGEST], list[TimeMention]()
    is_early, taken = _EARLY.search(text) is not None, bytearray(len(text))
    # "tomorrow evening at 8": the part of the day may stand anywhere in the text
    is_late = not is_early and _LATE.search(text) is not None
    for match in (match for shape in _compile_shapes() for match in shape.finditer(text)):
        start, end = match.span("at" if "at" in match.re.groupindex else 0)
        at = _time(match.groupdict(), is_early=is_early, is_late=is_late)
        if at is not None and not any(taken[start:end]):
            taken[start:end] = b"x" * (end - start)
            found.append(TimeMention(start, end, at))
    return sorted(found, key=lambda mention: mention.start)


@cache
def _compile_shapes() -> list[re.Pattern[str]]:
    return [re.compile(shape, re.IGNORECASE) for shape in _SHAPES]


def find_hours_ahead(text: str, now: datetime) -> tuple[int, int, datetime] | None:
    """Return where a text names a span of hours or minutes from now, and the moment it ends; None where it names none.

    Args:
        text: Such as "call Bob in half an hour".
    """
    match = _SPAN.search(text[:LONGEST])
    if match is None:
        return None
    is_hour = match["unit"].lower().startswith("h")
    count = 0.5 if match["half"] else number(match["n"]) + (0.5 if match["more"] else 0)
    return match.start(), match.end(), now + timedelta(minutes=count * (60 if is_hour else 1))


def _time(said: dict[str, str | None], *, is_early: bool, is_late: bool) -> time | None:
    if name := said.get("name"):
        return _NAMED[name.lower()]
    hour = number(said["hour"] or "")
    if said.get("half") and hour > _NOON:  # nr. 17 am Samstag
        return None
    minute = int(said.get("minute") or 0)
    written = bool(said.get("minute") or said.get("exact"))
    late = _is_after_noon(said.get("half"), hour, written=written, is_early=is_early, is_late=is_late)
    if hour <= 12 and late is not None:
        hour = hour % 12 + (12 if late else 0)
    if minutes := said.get("minutes"):  # half seven is half past seven
        side = (said.get("side") or "past").lower()
        total = hour * 60 + _PARTS[side] * _MINUTES[" ".join(minutes.lower().split())]
        hour, minute = divmod(total % (24 * 60), 60)
    return time(hour, minute) if hour < 24 else None


def _is_after_noon(half: str | None, hour: int, *, written: bool, is_early: bool, is_late: bool) -> bool | None:
    """Whether an hour of a clock with 12 is after noon; None where it is one of a clock with 24."""
    if half:
        return half.lower() == "p"
    if is_late and hour < _NOON:
        return True
    return True if 1 <= hour <= 6 and not written and not is_early else None
