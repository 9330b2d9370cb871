"""Dates, weekdays and times of day as they are written, with the names of the Unicode CLDR (`names.json`)."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")
DAY, HALF_DAY = 24 * 60, 12 * 60
"""Minutes."""
MOST_YEARS = 8
"""So many years of a text are tried for its dates."""

_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")


class Reading(NamedTuple, Generic[T]):
    """A place where a text names days, weekdays (0 is Monday) or minutes since midnight, and the possible meanings."""

    start: int
    end: int
    values: frozenset[T]


@cache
def read_names(kind: str) -> dict[str, frozenset[int]]:
    """Return the names of a kind in `names.json`, in lower case, each with its places in year or week, from 0."""
    places: dict[str, frozenset[int]] = {}
    languages = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))
    for row in (names[kind] for names in languages.values() if isinstance(names, dict)):
        for number, forms in enumerate(row.lower().split(", ") if row else ()):
            places |= {form: places.get(form, frozenset()) | {number} for form in forms.split("/")}
    return places


def any_of(names: Iterable[str]) -> str:
    """Return a pattern for one of the names."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


@cache
def _dates() -> tuple[re.Pattern[str], ...]:
    month = rf"(?P<name>{any_of(name for name in read_names('months') if not name[0].isdigit())})(?!\w)\.?"
    small = r"(?:[^\W\d_]{1,3}\s+)?"  # 3rd of December, 2 de febrero
    patterns = (
        r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)(?:T[\d:.]{1,15}(?:Z|[+-]\d\d:?\d\d)?)?",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        rf"(?<![\w.,:])(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|°|\.)?\s*{small}{month}"
        rf"(?:,?\s+{small}(?P<year>\d{{4}})(?!\w|:))?",
        rf"(?<!\w){month}\s+{small}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]|[.,]\d)(?:,?\s+(?P<year>\d{{4}})(?!\w|:))?",
        r"(?<![\w.,:/$€£-])(?P<day>\d{1,2})\.\s?(?P<month>0?[1-9]|1[0-2])\.(?:\s?(?P<year>\d{4}|\d{2})(?![\d:]|\.\d))?(?!\d)",
        r"(?<![\w.,:/-])(?P<day>\d{1,2})/(?P<turned>)(?P<month>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\w/])",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def find_days(text: str, today: date) -> list[Reading[date]]:
    """Return the dates in a text; one without a year is the nearest, or in a year that the text names."""
    readings = list[Reading[date]]()
    taken, years = bytearray(len(text)), {int(year) for year in _YEAR.findall(text)[:MOST_YEARS]}
    for match in (match for pattern in _dates() for match in pattern.finditer(text)):
        if not any(taken[match.start() : match.end()]):
            taken[match.start() : match.end()] = b"x" * len(match[0])
            readings.append(Reading(match.start(), match.end(), frozenset(_read(match.groupdict(), today, years))))
    return sorted(readings, key=lambda day: day.start)


def _read(parts: dict[str, str | None], today: date, years: Collection[int]) -> Iterator[date]:
    day, month, name, year = (parts.get(part) or "" for part in ("day", "month", "name", "year"))
    pairs = [(int(day), number + 1) for number in read_names("months").get(name.lower(), ())]
    pairs += [(int(day), int(month))] if month else []
    pairs += [(int(month), int(day))] if "turned" in parts else []  # 12/4 is in April in America
    for number, place in pairs:
        if year:
            yield from _make(int(year) + (2000 if len(year) == 2 else 0), place, number)
        else:
            near = [each for ahead in (-1, 0, 1) for each in _make(today.year + ahead, place, number)]
            yield from sorted(near, key=lambda each: abs((each - today).days))[:1]
            yield from (each for other in years for each in _make(other, place, number))


def _make(year: int, month: int, day: int) -> list[date]:
    with suppress(ValueError):  # there is no 30 February
        return [date(year, month, day)]
    return []


@cache
def _weekdays() -> re.Pattern[str]:
    names = read_names("weekdays")
    short = any_of(name.title() for name in names if len(name) == 2 and name.isascii())
    # two letters are a weekday only with a capital: Mo, but not so; one character of Japanese only in brackets
    return re.compile(
        rf"(?<!\w)(?:(?i:{any_of(name for name in names if len(name) > 2 and '曜' not in name)})|{short})(?!\w)"
        r"|[月火水木金土日]曜日?|(?<=[(（])[月火水木金土日](?=[)）])"
    )


def find_weekdays(text: str) -> list[Reading[int]]:
    """Return the weekdays in a text, in order; "Mondays" does not count."""
    names = read_names("weekdays")
    matches = ((m, m[0][0] if "曜" in m[0] else m[0].lower()) for m in _weekdays().finditer(text))
    return [Reading(match.start(), match.end(), names[name]) for match, name in matches]


@cache
def _times() -> re.Pattern[str]:
    hour = rf"\s?(?:{any_of(read_names('hour'))})"  # 14 h 20, 14 Uhr, 14時20分
    hours, minutes = r"(?<![\d.,:/])(?P<hour>[01]?\d|2[0-4])", r"(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:%])"
    return re.compile(rf"{hours}(?:(?::|{hour}\s?){minutes}|{hour}(?![a-z\d間]))", re.IGNORECASE)


def find_times(text: str) -> list[Reading[int]]:
    """Return the times of day in a text; a time that may be in the morning or the afternoon is read as both."""
    return [Reading(match.start(), match.end(), _read_time(match)) for match in _times().finditer(text)]


def _read_time(match: re.Match[str]) -> frozenset[int]:
    at = int(match["hour"]) * 60 + int(match["minute"] or 0)
    return frozenset((at % HALF_DAY, at % HALF_DAY + HALF_DAY) if 60 <= at < 13 * 60 else (at % DAY,))
