"""What a phrase carries beside its words: when, how urgent, for which project, where."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from ana.models.offline.english import LIKE, patterns
from ana.time.when import Mention, hours_ahead, resolve, times

_CARRIED = patterns("detail patterns")
_TWO = "That names more than one day or time, and an item has one. Say it in two sentences."
_WHEN = "I am not sure what is when in that. Say it like this: remind me on Friday at 15:00 to call Anna."


class Unclear(Exception):
    """A phrase cannot be kept as one item; says why."""


def carried(text: str, now: datetime) -> tuple[str, dict[str, Any]]:
    """A phrase's own words, not yet tidy, and the properties that stood in it, wherever they stood.

    Args:
        text: Such as "call the dentist on Friday at 14:30, urgent".
        now: The person's moment.

    Raises:
        Unclear: It recurs, or names more than one day or time.
    """
    if LIKE["recurring"].search(text):
        raise Unclear("An item has one date, so I cannot keep what recurs. Give me the next time.")
    if LIKE["told when"].search(text):
        raise Unclear(_WHEN)
    properties: dict[str, Any] = {}
    text, due = _without_time(text, now)
    for row, pattern in _CARRIED.items():
        name, _, value = row.partition(" ")
        if match := pattern.search(text):
            properties.setdefault(name, value or next(filter(None, match.groups()), ""))
            text = pattern.sub(" ", text, count=not value)
    text = re.sub(r"\s+", " ", LIKE["list"].sub("", text)).strip(" ,;.!").removeprefix("but ")
    return text, properties | ({"due_date": due} if due else {})


def tidy(text: str) -> str:
    """One space between words, no stray punctuation, quotes or joints at the ends, a capital in front."""
    text = re.sub(r"""^(["'])(.*)\1$""", r"\2", re.sub(r"\s+", " ", text).strip(" ,.;:->–!?"))
    text = re.sub(r"^(?:to|that|and) (?=\S)|[\s,]+(?:and|by|for|due|at)$", "", text, flags=re.I).strip(" ,.;:->–!?")
    return text[:1].upper() + text[1:]


def _without_time(text: str, now: datetime) -> tuple[str, str | None]:
    """The text without its day and time, and both as an ISO date or date-time."""
    if ahead := hours_ahead(text, now):
        start, end, moment = ahead
        if hours_ahead(text[end:], now):
            raise Unclear(_TWO)
        return f"{text[:start]} {text[end:]}", moment.isoformat(timespec="minutes")
    days = _meant(text, now.date())
    clock = [t for t in times(text) if not any(t.start < d.end and d.start < t.end for d in days)]
    if len(days) > 1 or len(clock) > 1 or (clock and re.search(r"\d ?(?:-|–|to) ?$", text[: clock[0].start])):
        raise Unclear(_TWO)
    due = (days[0].last if days[0].first <= now.date() else days[0].first).isoformat() if days else ""
    said = text[clock[0].start : clock[0].end] if clock else ""
    if re.search(r"(?<!\d)[1-5]:\d\d$", said) and "morning" not in text:
        raise Unclear(f"I am not sure whether {said} is before or after noon. Say am or pm.")
    if clock:
        passed = not due and clock[0].at <= now.time() and not re.search(r"\b(?:today|tonight)\b", text, re.I)
        due = f"{due or (now.date() + timedelta(days=passed)).isoformat()}T{clock[0].at:%H:%M}"
    for start, end in sorted([*((m.start, m.end) for m in days), *((m.start, m.end) for m in clock)], reverse=True):
        text = f"{LIKE['before'].sub('', text[:start])} {LIKE['after'].sub('', text[end:])}"
    return text, due or None


def _meant(text: str, today: date) -> list[Mention]:
    """The days a phrase may be due: one at its beginning is it; Friday's demo and past days are not."""
    found = [m for m in resolve(text, today) if m.last >= today or re.search(r"\d{4}", m.text)]
    named = LIKE["day of a name"]
    found = [m for m in found if not named.match(text[m.end :]) and not re.search(r"\ban? $", text[: m.start])]
    return found[:1] if found and not LIKE["before"].sub("", text[: found[0].start]).strip() else found
