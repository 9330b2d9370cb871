"""What a phrase carries beside its words: when, how urgent, for which project; and phrases about oneself retold."""

import re
from datetime import date
from typing import Any

from ana.when import resolve

_TIME = re.compile(r"\b(?:at )?(?:(\d{1,2}):(\d\d)(?: ?(am|pm))?|(?:at )?(\d{1,2}) ?(am|pm))\b", re.IGNORECASE)
_BEFORE = re.compile(r"[\s,]*\b(?:on|by|until|till|due(?: on| by)?|for|before|at|this coming)?\s*$", re.IGNORECASE)
_URGENT = re.compile(
    r"[\s,(-]*(?:\b(?:it'?s |it is |that'?s )?(?:very )?(?:urgent|asap)\b|\bhigh priority\b|!{2,})[)]?", re.IGNORECASE
)
_PROJECT = re.compile(
    r"\s*\b(?:for|on|in) (?:the |my )?([A-Z][\w-]*|\w+) project\b|\s*(?<!\S)#(\w[\w-]*)", re.IGNORECASE
)
_SPACES = re.compile(r"\s+")

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
    """A phrase's own words, and the properties that stood in it.

    Args:
        text: Such as "call the dentist on Friday at 14:30, urgent".
        today: The person's day.
    """
    properties: dict[str, Any] = {}
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
    mentions = resolve(text, today)
    if mentions:
        mention = mentions[-1]
        before = _BEFORE.sub("", text[: mention.start])
        text = f"{before} {text[mention.end :]}"
        properties["due_date"] = mention.last.isoformat() + hour
    elif hour:
        properties["due_date"] = today.isoformat() + hour
    return text


def _clock_time(match: re.Match[str]) -> str:
    hour, minute = int(match[1] or match[4]), int(match[2] or 0)
    half = (match[3] or match[5] or "").lower()
    hour = hour % 12 + 12 * (half == "pm") if half else hour
    return f"T{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""
