"""What a phrase carries beside its words: when, how urgent, for which project, where."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from ana.when import Mention, hours_ahead, resolve, times

_BEFORE = re.compile(
    r"[\s,(-]*\b(?:(?:which |that )?is |it'?s )?(?:on|by|until|till|due(?: on| by)?|deadline(?: is)?|no later than|for|before|at|from|this coming|is|sometime)?(?:\s*\bthe)?\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^(?:,?\s*(?:(?:in the |early |late )?(?:morning|afternoon|evening|night)|at the latest|if possible|sharp|latest)\b)+",
    re.IGNORECASE,
)
_WITH = r"[\s,;(–-]*(?:\band )?\b(?:with |as |at |it'?s |it is |that'?s |this is )?(?:an? )?(?:very |really |super |quite )?"
_PRIORITIES = {
    "low": rf"{_WITH}(?:(?:low|lowest)[ -]priority|priority:? low|not (?:that |very |so )?(?:urgent|important)|no (?:rush|hurry))\b[)!.]*",
    "high": rf"(?:{_WITH}(?:(?:high|top|highest)[ -]priority|priority:? high|urgent(?:ly)?|important|asap|as soon as possible)\b|\s*!{{2,}})[)!.]*",
}
_TAKEN = {
    "project": r"[\s,(]*(?:^([A-Z]\w+) project\b|\bunder ((?-i:[A-Z])\w+)\b|\b(?:for|on|in|to|under) (?:the |my )?(?:project )?([\w-]+) project\b|\b(?:for |in )?project:? ([A-Z][\w-]*)"
    r"|(?<!\S)#(\w[\w-]*))\)?",
    "context": r"[\s,(]*(?:(?<!\S)@(\w[\w-]*)|\bat (?:the |my )?(home|office|work)\b|\bin the (office)\b)\)?",
}
_LIST = re.compile(
    r"\s*\b(?:to|on|in|into|onto) (?:my|the) (?:(?:to-?do|task|shopping) ?list|list|calendar|notes|tasks|ideas|diary|agenda|to-?dos?)\b",
    re.IGNORECASE,
)
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_RECURRING = re.compile(
    rf"\b(?:every|each) (?:\w+ )?(?:day|week|month|year|morning|evening|night|hour|{_DAYS})|\bon {_DAYS}s\b"
    r"|\b(?:daily|weekly|monthly|yearly)\b(?! (?:report|review|meeting|standup|sync|call))", re.IGNORECASE)  # fmt: skip


_TWO = "That names more than one day or time, and an item has one. Say it in two sentences."


_NAMES = re.compile(r"['’]s\b| [A-Z][a-z]+ [A-Z]")
"""What makes a day part of a name: Friday's demo, Friday Night Lights."""


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
    if _RECURRING.search(text):
        raise Unclear("An item has one date, so I cannot keep what recurs. Give me the next time.")
    properties: dict[str, Any] = {}
    text, due = _without_time(text, now)
    for priority, pattern in _PRIORITIES.items():
        if re.search(pattern, text, re.IGNORECASE):
            properties.setdefault("priority", priority)
            text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    for name, pattern in _TAKEN.items():
        if match := re.search(pattern, text, re.IGNORECASE):
            properties[name] = next(filter(None, match.groups()))
            text = f"{text[: match.start()]} {text[match.end() :]}"
    return re.sub(r"\s+", " ", _LIST.sub("", text)).strip(" ,;.!"), properties | ({"due_date": due} if due else {})


def tidy(text: str) -> str:
    """One space between words, no stray punctuation, quotes or joints at the ends, a capital in front."""
    text = re.sub(r"\s+", " ", text).strip(" ,.;:->–!?")
    text = re.sub(r"""^(["'])(.*)\1$""", r"\2", text)
    text = re.sub(r"^(?:to|that|and) (?=\S)|[\s,]+(?:and|on|by|for|due|is|at)$", "", text, flags=re.I).strip(
        " ,.;:->–!?"
    )
    return text[:1].upper() + text[1:]


def _without_time(text: str, now: datetime) -> tuple[str, str | None]:
    """The text without its day and time, and both as an ISO date or date-time."""
    if ahead := hours_ahead(text, now):
        start, end, moment = ahead
        if hours_ahead(text[end:], now):
            raise Unclear(_TWO)
        return f"{text[:start]} {text[end:]}", moment.isoformat(timespec="minutes")
    days, clock = _meant(text, now.date()), times(text)
    clock = [t for t in clock if not any(t.start < d.end and d.start < t.end for d in days)]
    if len(days) > 1 or len(clock) > 1:
        raise Unclear(_TWO)
    due = (days[0].last if days[0].first <= now.date() else days[0].first).isoformat() if days else ""
    if clock:
        passed = not due and clock[0].at <= now.time() and not re.search(r"\b(?:today|tonight)\b", text, re.IGNORECASE)
        due = f"{due or (now.date() + timedelta(days=passed)).isoformat()}T{clock[0].at:%H:%M}"
    cuts = [(m.start, m.end) for m in days] + [(m.start, m.end) for m in clock]
    for start, end in sorted(cuts, reverse=True):
        text = f"{_BEFORE.sub('', text[:start])} {_AFTER.sub('', text[end:])}"
    return text, due or None


def _meant(text: str, today: date) -> list[Mention]:
    """The days a phrase may be due: one at its beginning is it; Friday's demo and past days are not."""
    found = [m for m in resolve(text, today) if m.last >= today or re.search(r"\d{4}", m.text)]
    found = [m for m in found if not _NAMES.match(text[m.end :]) and not re.search(r"\ban? $", text[: m.start])]
    return found[:1] if found and not _BEFORE.sub("", text[: found[0].start]).strip() else found
