"""A value, a name, a property in a few words. Stored text is in quotes, to set it apart from ana's own lines."""

import json
import re
from collections.abc import Sequence
from itertools import accumulate

from ana.output import quote
from ana.time.dates import day_of, show_day
from ana.time.repeats import ALSO, RULE_KEYS, word_rule
from ana.translation import _, mark_text
from ana.values import Json, Properties

LONGEST_VALUE = 100
"""Characters of a value that is shown; of a longer one its length is told, for half a value would read as all of it."""

KNOWN_NAMES = mark_text(
    {
        "due_date": "due date",
        "start_date": "start date",
        "end_date": "end date",
        "date": "date",
        "done_for": "done for",
        "type": "type",
        "status": "status",
        "project": "project",
        "tags": "tags",
        "topic": "topic",
        "person": "person",
        "place": "place",
        "repeats": "repeats",
        "remind": "remind",
        "content": "content",
        "text": "text",
    }
)
"""What the commonest properties are called."""

KNOWN_VALUES = mark_text(
    ("task", "note", "event", "appointment", "reminder", "idea", "project", "active", "done", "cancelled")
)
"""The commonest types and states."""

_LETTER = r"[^\W\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
"""A letter or a digit of a script that is written from left to right, or _."""

_WORD = re.compile(f"{_LETTER}+(?:[-.]{_LETTER}+)*")


class Words(str):
    """ana's own words in place of a value; they have no quotes."""

    __slots__ = ()


def show_text(text: str) -> str:
    """Return a single word unchanged, because it cannot pretend to be ana's own text; any other text in quotes."""
    return text if _WORD.fullmatch(text) else quote(text)


def show_name(name: str) -> str:
    """Return the name of a property, with spaces for underscores, or in quotes if it is more than words."""
    return name.replace("_", " ") if _WORD.fullmatch(name) else quote(name, LONGEST_VALUE)


def describe_property(name: str, value: Json, year: int | None = None) -> str:
    """Return a property in a few words: a type or a status without its name, a rule in spoken words."""
    return f"{name_property(name)}{show_value(word_values({name: value})[name], year)}"


def name_property(name: str) -> str:
    """Return the label before the value of a property."""
    if name in ("type", "status"):
        return ""
    own = {"due_date": _("due"), "except": _("without"), ALSO: _("also")}
    return f"{own.get(name) or call_property(name)} "


def call_property(name: str) -> str:
    """Return the name of a property for people: translated if it is one of ana's."""
    return _(KNOWN_NAMES[name]) if name in KNOWN_NAMES else show_name(name)


def call_value(value: str) -> str:
    """Return the name of a type or a status for people: translated if it is one of ana's."""
    return Words(_(value)) if value in KNOWN_VALUES else value


def word_values(properties: Properties) -> Properties:
    """Return properties with rules, and with ana's types and states, in words."""
    return {name: _word(name, value) if isinstance(value, str) else value for name, value in properties.items()}


def _word(name: str, value: str) -> str:
    if name in RULE_KEYS:
        words = word_rule(value)
        return value if words == value else Words(words)
    return call_value(value) if name in ("type", "status") else value


def show_value(value: Json, year: int | None = None) -> str:
    """Return a value in a few words, whole or not at all: a date as Fri 27 Nov 15:00, a list with commas.

    This year is omitted from days. For a long list, the first entries and the number of further ones are shown.
    """
    if isinstance(value, Words):
        return value
    if day := day_of(value):
        time = str(value)[11:16]
        return " ".join(filter(None, (show_day(day, year), time)))
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return _show_list([show_value(each, year) for each in value])
    if isinstance(value, dict) and value and all(day_of(day) for pair in value.items() for day in pair):
        return _show_list([show_step(*step, year) for step in value.items()])
    if isinstance(value, str):
        text = " ".join(value.split())
        words = show_text(text)
    else:
        text = json.dumps(value, ensure_ascii=False)
        words = quote(text) if isinstance(value, list | dict) else text
    return words if len(text) <= LONGEST_VALUE else f"[{len(text):,}]"


def show_step(old: Json, new: Json, year: int | None) -> str:
    """Return a value before and after a change."""
    return f"{show_value(old, year)} -> {show_value(new, year)}"


def tell_more(count: int) -> str:
    """Return a note with the number of entries left out of a list."""
    return _("and {n} more").format(n=count)


def _show_list(entries: Sequence[str]) -> str:
    ends = accumulate(len(entry) + len(", ") for entry in entries)
    fitting = max(sum(end <= LONGEST_VALUE + len(", ") for end in ends), 1)
    more = [tell_more(len(entries) - fitting)] if len(entries) > fitting else []
    return " ".join([", ".join(entries[:fitting]), *more]) or "[]"
