"""The details that a phrase carries beside its words: when, how urgent, for which project, where."""

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from ana.models.offline.english import PATTERNS, read_patterns
from ana.time.when import Mention, TimeMention, find_hours_ahead, find_times, resolve

_DETAILS = read_patterns("detail patterns")
_TWO = "That names more than one day or time, and an item has one. Say it in two sentences."
_WHEN = "I am not sure what is when in that. Say it like this: remind me on Friday at 15:00 to call Anna."


class UnclearPhrase(Exception):
    """A phrase cannot be kept as one item; says why."""


def take_details(text: str, now: datetime) -> tuple[str, dict[str, Any]]:
    """Return a phrase's own words, not yet tidy, and the properties that stood in it, wherever they stood.

    Args:
        text: Such as "call the dentist on Friday at 14:30, urgent".
        now: The person's moment.

    Raises:
        UnclearPhrase: It recurs, or names more than one day or time.
    """
    if PATTERNS["recurring"].search(text):
        raise UnclearPhrase("An item has one date, so I cannot keep what recurs. Say it again with the next time.")
    if PATTERNS["told when"].search(text):
        raise UnclearPhrase(_WHEN)
    properties: dict[str, Any] = {}
    text, due = _take_moment(text, now)
    for row, pattern in _DETAILS.items():
        name, _, value = row.partition(" ")
        if match := pattern.search(text):
            properties.setdefault(name, value or next(filter(None, match.groups()), ""))
            text = pattern.sub(" ", text, count=not value)
    if (place := PATTERNS["list"].search(text)) and place["kind"]:
        properties.setdefault("project", place["kind"].lower())
    text = re.sub(r"\s+", " ", PATTERNS["list"].sub("", text)).strip(" ,;.!").removeprefix("but ")
    return text, properties | ({"due_date": due} if due else {})


def tidy(text: str) -> str:
    """Return the text with single spaces, a capital in front, and no punctuation, quotes or joints at its ends."""
    text = re.sub(r"""^(["'])(.*)\1$""", r"\2", re.sub(r"\s+", " ", text).strip(" ,.;:->–!?"))
    text = re.sub(r"^(?:to|that|and) (?=\S)|[\s,]+(?:and|by|for|due|at)$", "", text, flags=re.I).strip(" ,.;:->–!?")
    return text[:1].upper() + text[1:]


def _take_moment(text: str, now: datetime) -> tuple[str, str | None]:
    """The text without its day and time, and both as an ISO date or date-time."""
    if ahead := find_hours_ahead(text, now):
        start, end, moment = ahead
        if find_hours_ahead(text[end:], now):
            raise UnclearPhrase(_TWO)
        return f"{text[:start]} {text[end:]}", moment.isoformat(timespec="minutes")
    days = _find_days(text, now.date())
    clock = _find_time(text, days)
    # what has begun ("this week", on a Wednesday) is due when it ends
    day = days[0].last if days and days[0].first <= now.date() else days[0].first if days else None
    if day and not clock and re.search(r"\bbefore (?:the )?$", text[: days[0].start]):
        day -= timedelta(days=day > now.date())
    due = day.isoformat() if day else ""
    if clock:
        is_over = not due and clock.at <= now.time() and not re.search(r"\b(?:today|tonight)\b", text, re.I)
        due = f"{due or (now.date() + timedelta(days=is_over)).isoformat()}T{clock.at:%H:%M}"
    found = [*((d.start, d.end) for d in days), *([(clock.start, clock.end)] if clock else [])]
    for start, end in sorted(found, reverse=True):
        text = f"{PATTERNS['before'].sub('', text[:start])} {PATTERNS['after'].sub('', text[end:])}"
    return text, due or None


def _find_time(text: str, days: list[Mention]) -> TimeMention | None:
    """The time of day that the text names, if it names one and at most one day."""
    found = [t for t in find_times(text) if not any(t.start < d.end and d.start < t.end for d in days)]
    if len(days) > 1 or len(found) > 1 or (found and re.search(r"\d ?(?:-|–|to) ?$", text[: found[0].start])):
        raise UnclearPhrase(_TWO)
    said = text[found[0].start : found[0].end] if found else ""
    if re.search(r"(?<!\d)[1-5]:\d\d$", said) and "morning" not in text:
        raise UnclearPhrase(f"I am not sure whether {said} is before or after noon. Say it again with am or pm.")
    return found[0] if found else None


def _find_days(text: str, today: date) -> list[Mention]:
    """The days a phrase may be due: one at its beginning is it; Friday's demo and past days are not."""
    found = [m for m in resolve(text, today) if m.last >= today or re.search(r"\d{4}", m.text)]
    named = PATTERNS["day of a name"]
    found = [m for m in found if not named.match(text[m.end :]) and not re.search(r"\ban? $", text[: m.start])]
    # the time in 2026-12-24 06:45 is one of its own
    found = [replace(m, end=m.start + 10) if re.match(r"\d{4}-\d\d-\d\d[T ]", m.text) else m for m in found]
    return found[:1] if found and not PATTERNS["before"].sub("", text[: found[0].start]).strip() else found
