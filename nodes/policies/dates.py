"""A weekday beside a date is that date's weekday; "tomorrow" beside a date is that day."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from ana.time.dates import weekday
from nodes.policies.days import Day, Named, find_alone, find_days, find_relative, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.texts import blank_quotes

_ARTICLES = r"(?:the|den|dem|der|el|le|del?|du)\s+"
_STOP = re.compile(r"(?P<word>[^\W\d_]*)\.[\s*_]+$")
MOST_ABBREVIATED = 4
"""Letters that the name of a day or month has when it is cut: févr. is, March is not."""
_BEFORE = re.compile(rf"[\s*_]*\.?(?:[,.:|(（/・–—-]|、)?[\s*_|]*(?:{_ARTICLES})?", re.IGNORECASE)
"""What may stand between a weekday and the date it belongs to."""
_BEHIND = re.compile(
    r"[\s*_]*(?:[,(（/・|、]|is|c['’]est|was|will\s+be|falls\s+on|ist|war|fällt\s+auf|es|fue|será|cae\s+en|est|était"
    r"|sera|tombe|は|が)?"
    r"[\s*_|]*(?:(?:an?|ein|einem|einen|un|le|el|the|der)\s+)?",
    re.IGNORECASE,
)
"""What may stand between a date and the weekday it is said to be."""
_RANGE = re.compile(r"\s*(?:[-–—]|to\b|bis\b|until\b|through\b|hasta\b|al\b|au\b|から|〜)\s*", re.IGNORECASE)


def days_fit(e: Evidence) -> Violation | None:
    """Require that days that stand together are one day."""
    if e.now is None:
        return None
    text, today = blank_quotes(e.draft), e.now.date()
    wrong = next(_find_mismatches(text, todays(e), today), None)
    if wrong is None:
        return None
    return Violation(
        "dates",
        f'It says "{wrong[0]}", but {wrong[1]}. Take the date from the calendar or from '
        "resolve_date, and say one that fits; if something was stored with a wrong date, change it.",
        "The day I was going to name did not fit its date.",
    )


def todays(e: Evidence) -> set[date]:
    """Return the present day, on the person's clock, in the prompt, and wherever else a call of `now` asked."""
    found = {date.fromisoformat(day) for day in _ISO.findall(e.prompt)[:1]}
    found |= {date.fromisoformat(day) for call in e.calls if call.tool == "now" for day in _ISO.findall(call.text)}
    return found | ({e.now.date()} if e.now else set())


_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def _find_mismatches(text: str, now: set[date], today: date) -> Iterator[tuple[str, str]]:
    """Yield the words that do not fit together, and what is true."""
    days, weekdays, relative = find_days(text, today), find_weekdays(text), find_relative(text)
    for name in weekdays:
        day = _day_beside(text, name, days, weekdays) or find_alone(text, name, days, today)
        if day and all(found.weekday() != name.number for found in day.dates):
            yield _quote(text, name, day), _tell(day)
    for word in relative:
        meant = {found + timedelta(days=word.number) for found in now}
        if (day := _day_beside(text, word, days, relative)) and not meant & set(day.dates):
            yield _quote(text, word, day), f"that day is {spell(min(meant))}"
        elif (beside := _next_to(text, word, weekdays)) and all(found.weekday() != beside.number for found in meant):
            yield _quote(text, word, beside), f"that day is {spell(min(meant))}"


def spell(day: date) -> str:
    """Return a day with its weekday."""
    return f"{weekday(day)} {day.isoformat()}"


def _day_beside(text: str, name: Named, days: Iterable[Day], names: Iterable[Named]) -> Day | None:
    """Return the date that a weekday belongs to: the one after it, else the one before it; in Mon-Fri neither."""
    if any(_RANGE.fullmatch(text, other.end, name.start) for other in names):
        return None
    for day in days:
        if day.start >= name.end and _BEFORE.fullmatch(text, name.end, day.start):
            return None if _is_parted(text, name.start, day.start) else day
    before = [day for day in days if day.end <= name.start and _BEHIND.fullmatch(text, day.end, name.start)]
    before = [day for day in before if not _is_parted(text, day.start, name.start)]
    # in "Mon 23 Nov, Tue 24 Nov" the first date has a weekday of its own
    own = any(o.end <= d.start and _BEFORE.fullmatch(text, o.end, d.start) for d in before for o in names)
    return None if own or not before else before[-1]


def _is_parted(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends between two days, which begin at these places: a stop may be an abbreviation's."""
    stop = _STOP.search(text[start:end])
    if stop is None:
        return False
    counted = [word for word in find_relative(text) if word.start in (start, end)]  # such words are never cut
    return bool(counted) or len(stop["word"]) > MOST_ABBREVIATED


def _next_to(text: str, word: Named, weekdays: Iterable[Named]) -> Named | None:
    for day in (day for day in weekdays if day.start >= word.end):
        if _BEFORE.fullmatch(text, word.end, day.start) or _BEHIND.fullmatch(text, word.end, day.start):
            return None if _RANGE.match(text, day.end) or _is_parted(text, word.start, day.start) else day
    return None


def _quote(text: str, one: Named | Day, other: Named | Day) -> str:
    return " ".join(text[min(one.start, other.start) : max(one.end, other.end)].split())


def _tell(day: Day) -> str:
    return f"that date is {' or '.join(spell(found) for found in day.dates)}" if day.dates else "there is no such day"
