"""The mentions of days in a text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from ana.recent import keep_recent
from ana.time.when.explicit import ASKED, EXPLICIT, NoSuchDay
from ana.time.when.foreign import FOREIGN
from ana.time.when.relative import RELATIVE
from ana.time.when.times import TimeMention, find_times
from ana.time.when.words import ANY_WEEKDAY, LONGEST, MONTH, Days, Rule, find_before, shift_day

_PAST = re.compile(  # German asks "was" for what
    r"\b(?:did|was(?! (?:steht|ist|habe?|muss|mache|sind|soll|kommt|gibt)\b)|were|had|happened)\b", re.IGNORECASE
)
_PINNED = re.compile(
    r"\d{4}|\b(?:next|this|coming|to-?day|tomorrow|tonight|in|week|month|year|weekend|from|within)\b", re.I
)
_OPENING = re.compile(r"\b(between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:-|–|\b(?:to|until|till|through|thru)\b)\s*(?:the\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE)


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
    """Return every mention of days, in order; of overlapping readings the earliest, then the longest."""
    return list(_resolve(text, today).days)


def find_impossible(text: str, today: date) -> list[tuple[int, int]]:
    """Return from where to where a text names a day that no calendar has: 30 February, 31.6.2027."""
    return list(_resolve(text, today).impossible)


class _Reading(NamedTuple):
    days: tuple[Mention, ...]
    impossible: tuple[tuple[int, int], ...]


@keep_recent(32)  # one query is read for its words, its days and its kind
def _resolve(text: str, today: date, more: tuple[Rule, ...] = ()) -> _Reading:
    text, found = text[:LONGEST], list[Mention]()
    impossible: list[tuple[int, int]] = []
    done = 0
    readings = [*_read(text, today), *_read(text, today, more)]
    for start, end, days in sorted(readings, key=lambda reading: (reading[0], -reading[1])):
        if start < done:
            continue
        done = end
        if isinstance(days, NoSuchDay):
            impossible.append((start, end))
        elif days:
            found.append(Mention(start, end, *days, text[start:end]))
    return _Reading(tuple(found), tuple(impossible))


def read_moments(text: str, today: date, since: date = date.min) -> tuple[list[Mention], list[TimeMention], str]:
    """Return the days that a text names, its times outside them, and the text without either.

    Args:
        since: Days that are over then are left out.
    """
    days = [day for day in resolve(text, today) if day.last >= since]
    times = [at for at in find_times(text) if all(at.end <= day.start or day.end <= at.start for day in days)]
    return days, times, drop_mentions(text, [*days, *times])


def drop_mentions(text: str, mentions: Sequence[Mention | TimeMention]) -> str:
    """Return the text with a space in place of each mention."""
    kept, end = list[str](), 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        kept.append(text[end : mention.start])
        end = max(end, mention.end)
    return " ".join([*kept, text[end:]])


def find_stretches(text: str, today: date, *, months: bool = False) -> list[Mention]:
    """Return the mentions of a question, which differ from those of a wish in two ways.

    Two days with "to" between them, or "and" after "between", are one stretch; "move it from Monday to Wednesday" names
    two. And where the question is about the past, a day that is not pinned down is the latest such: "what did I do on
    December 29", "what was due on Monday".

    Args:
        months: Whether a month counts that only its name shows: "December things".
    """
    past = _PAST.search(text) is not None
    found: list[Mention] = []
    for mention in _resolve(text, today, ASKED if months else ()).days:
        mention = _move_before(mention, today) if past else mention
        whole = _join(text, found[-1], mention) if found else None
        found[-1:] = [whole] if whole else [*found[-1:], mention]
    return found


def _move_before(mention: Mention, today: date) -> Mention:
    """The same day or days, as late as possible before today."""
    if mention.last < today or _PINNED.search(mention.text):
        return mention
    if re.search(ANY_WEEKDAY, mention.text, re.IGNORECASE) and not re.search(r"\d", mention.text):
        back = relativedelta(weeks=-1)
    else:
        named = re.search(rf"{MONTH}|\d[/.]\d", mention.text, re.IGNORECASE)
        back = relativedelta(years=-1) if named else relativedelta(months=-1)
    return replace(mention, first=shift_day(mention.first, back), last=shift_day(mention.last, back))


def _join(text: str, first: Mention, last: Mention) -> Mention | None:
    opening = find_before(_OPENING, text, first.start)
    between = text[first.end : last.start]
    if not (_TO.fullmatch(between) or (opening and opening[1].lower() == "between" and _AND.fullmatch(between))):
        return None
    later = shift_day(last.last, timedelta(days=7)) if last.last < first.first else last.last  # from Monday to Thursday
    start = opening.start() if opening else first.start
    return Mention(start, last.end, first.first, later, text[start : last.end]) if later >= first.last else None


@keep_recent(32)  # with months and without
def _read(
    text: str, today: date, rules: tuple[Rule, ...] = (*RELATIVE, *EXPLICIT, *FOREIGN)
) -> tuple[tuple[int, int, Days | NoSuchDay | None], ...]:
    """The readings of each rule. One that is not a day takes its place too: 31 April 2026 is not April 2026."""
    return (*_iter_readings(text.replace("’", "'"), today, rules),)


def _iter_readings(
    text: str, today: date, rules: tuple[Rule, ...]
) -> Iterator[tuple[int, int, Days | NoSuchDay | None]]:
    for rule in rules:
        for match in rule.regex.finditer(text):
            start, end = match.span("at" if "at" in match.re.groupindex else 0)
            days: Days | date | NoSuchDay | None
            try:
                days = rule.read(match, today)
            except NoSuchDay as exc:
                days = exc
            except (ValueError, OverflowError):  # beyond the years a date can have
                days = None
            yield start, end, (days, days) if isinstance(days, date) else days
