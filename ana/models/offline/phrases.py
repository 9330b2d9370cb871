"""What a phrase carries beside its words: when, how urgent, for which project; and phrases about oneself retold."""

import re
from datetime import date
from typing import Any

from ana.when import Mention, resolve

_TIME = re.compile(r"\b(?:at )?(?:(\d{1,2}):(\d\d)(?: ?(am|pm))?|(?:at )?(\d{1,2}) ?(am|pm))\b", re.IGNORECASE)
_BEFORE = re.compile(r"[\s,]*\b(?:on|by|until|till|due(?: on| by)?|for|before|at|this coming)?\s*$", re.IGNORECASE)
_URGENT = re.compile(
    r"[\s,(-]*(?:\b(?:it'?s |it is |that'?s )?(?:very )?(?:urgent|asap)\b|\bhigh priority\b|!{2,})[)]?", re.IGNORECASE
)
_PROJECT = re.compile(
    r"\s*\b(?:for|on|in) (?:the |my )?([A-Z][\w-]*|\w+) project\b|\s*(?<!\S)#(\w[\w-]*)", re.IGNORECASE
)
_SPACES = re.compile(r"\s+")
_DAY_NAMES = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_BEYOND = re.compile(
    r"\bin (?:\d+|an?|half an) (?:minute|hour)s?\b"
    rf"|\b(?:every|each) (?:\w+ )?(?:day|week|month|year|morning|{_DAY_NAMES})"
    rf"|\bon {_DAY_NAMES}s\b",
    re.IGNORECASE,
)
"""Hours from now and what recurs: an item has one due date, so these would be kept wrong."""

_VERBS = {
    "am": "is",
    "'m": "is",
    "have": "has",
    "'ve": "has",
    "do": "does",
    "go": "goes",
    "don't": "does not",
    "can't": "cannot",
}
_ADVERBS = (
    "usually",
    "always",
    "never",
    "often",
    "normally",
    "generally",
    "mostly",
    "really",
    "rarely",
    "sometimes",
    "only",
)
_OWN = (
    (r"\bmy\b", "their"),
    (r"\bme\b", "them"),
    (r"\bmyself\b", "themselves"),
    (r"\bI'm\b|\bI am\b", "they are"),
    (r"\bI\b", "they"),
)


def carried(text: str, today: date) -> tuple[str, dict[str, Any]]:
    """A phrase's own words, and the properties that stood in it; nothing where its day is not clear.

    Args:
        text: Such as "call the dentist on Friday at 14:30, urgent".
        today: The person's day.
    """
    properties: dict[str, Any] = {}
    mentions = _meant(text, today)
    if len(mentions) > 1 or _BEYOND.search(text):
        return "", {}
    text = _without_day(text, today, properties)
    if _URGENT.search(text):
        properties["priority"] = "high"
        text = _URGENT.sub("", text)
    if project := _PROJECT.search(text):
        properties["project"] = project[1] or project[2]
        text = text[: project.start()] + text[project.end() :]
    return tidy(text), properties


def tidy(text: str) -> str:
    """One space between words, no stray punctuation at the ends, a capital in front."""
    text = _SPACES.sub(" ", text).strip(" ,.;:-–!?")
    return text[:1].upper() + text[1:]


def third_person(text: str) -> str:
    """What someone says of themselves, as one writes it down: "I prefer tea" is "Prefers tea"."""
    words = text.split()
    adverbs = []
    while words and words[0].lower() in _ADVERBS:
        adverbs.append(words.pop(0).lower())
    if words:
        words[0] = conjugated(words[0].lower())
    told = " ".join([*adverbs, *words])
    for own, other in _OWN:
        told = re.sub(own, other, told)
    return tidy(told)


def conjugated(verb: str) -> str:
    if verb in _VERBS:
        return _VERBS[verb]
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2:-1] not in "aeiou" else verb + "s"


def _without_day(text: str, today: date, properties: dict[str, Any]) -> str:
    """The text without its date and time; due_date is set where there was one."""
    clock = _TIME.search(text)
    hour = _clock_time(clock) if clock else ""
    if clock and hour:
        text = text[: clock.start()] + text[clock.end() :]
    for mention in _meant(text, today):
        before = _BEFORE.sub("", text[: mention.start])
        text = re.sub(r"^\s*to ", "", f"{before} {text[mention.end :]}", flags=re.IGNORECASE)
        due = mention.last if mention.first <= today else mention.first
        properties["due_date"] = due.isoformat() + hour
        return text
    if hour:
        properties["due_date"] = today.isoformat() + hour
    return text


def _meant(text: str, today: date) -> list[Mention]:
    """The days a phrase may be due: one at its beginning is it; Friday's demo and past days are not."""
    found = [m for m in resolve(text, today) if m.last >= today or re.search(r"\d{4}", m.text)]
    found = [m for m in found if not text[m.end :].startswith(("'s", "’s"))]
    first = found[0] if found else None
    return found[:1] if first and not _BEFORE.sub("", text[: first.start]).strip() else found


def _clock_time(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").lower()
    hour = hour % 12 + 12 * (half == "pm") if half else hour
    return f"T{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""
