"""Days as drafts name them, in English, German, Spanish, French and Japanese: dates, weekdays, "tomorrow"."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

NEAREST = (-1, 0, 1)
"""A date without a year is looked for in these years, counted from the present one, and the nearest is taken."""


@dataclass(frozen=True)
class Day:
    """Where a text names a day, and which days that may be.

    Args:
        start: Its first character.
        end: The character after its last.
        dates: The days it can be read as; empty where there is no such day.
    """

    start: int
    end: int
    dates: tuple[date, ...]


@dataclass(frozen=True)
class Named:
    """Where a text names a weekday (from 0, Monday) or a day counted from today ("tomorrow" is 1)."""

    start: int
    end: int
    number: int


# ---- names, from the CLDR


@cache
def _names(kind: str) -> dict[str, int]:
    data = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))
    return {name.lower(): n for names in data.values() for n, same in enumerate(names[kind]) for name in same}


def _any_name(kind: str) -> str:
    # Japanese months are numbers, and its weekdays of one character need brackets: both have patterns of their own
    names = (name for name in _names(kind) if not re.search(r"[日月火水木金土]", name))
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


# ---- dates

_DIGIT = re.compile(r"\d")
_ORDINAL = r"(?:st|nd|rd|th|er|º|°|\.)?"


@cache
def _dates() -> tuple[re.Pattern[str], ...]:
    month = rf"(?P<name>{_any_name('months')})\b\.?"
    patterns = (
        r"(?<![\w-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?",
        r"(?:(?P<year>\d{4})年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})日",
        rf"(?<![\w.,:])(?P<day>\d{{1,2}}){_ORDINAL}\s*(?:(?:de|of|d')\s*)?{month}(?:(?:,"
        rf"|\s+del?)?\s+(?P<year>\d{{4}})\b(?!:))?",
        rf"\b{month}\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d|/|\s*(?:%"
        rf"|[ap]\.?m\b))(?:,?\s+(?P<year>\d{{4}})\b(?!:))?",
        r"(?<![\w.,:/$€£-])(?P<day>\d{1,2})\.\s?(?P<month>0?[1-9]|1[0-2])\.(?:\s?(?P<year>\d{4}|\d{2})(?![\d:]|\.\d))?(?!\d)",
        r"(?<![\w.,:/-])(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?(?![\w/])",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def find_days(text: str, today: date) -> list[Day]:
    """Return the dates in a text, in order; one without a year is the nearest such day."""
    found: list[Day] = []
    if not _DIGIT.search(text):
        return found
    taken = bytearray(len(text))
    for pattern in _dates():
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"x" * len(match[0])
                found.append(Day(match.start(), match.end(), tuple(_read(match.groupdict(), today))))
    return sorted(found, key=lambda day: day.start)


def _read(said: dict[str, str | None], today: date) -> Iterator[date]:
    if said.get("a"):
        pairs = {(said["a"], said["b"]), (said["b"], said["a"])}
    else:
        name = said.get("name")
        pairs = {(said["day"], str(_names("months")[name.lower().rstrip(".")] + 1) if name else said["month"])}
    for day, month in pairs:
        if found := _resolve(int(str(day)), int(str(month)), said.get("year"), today):
            yield found


def _resolve(day: int, month: int, year: str | None, today: date) -> date | None:
    if year:
        return _make(int(year) + (2000 if len(year) == 2 else 0), month, day)
    years = [found for near in NEAREST if (found := _make(today.year + near, month, day))]
    return min(years, key=lambda found: abs((found - today).days), default=None)


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# ---- weekdays


@cache
def _weekday() -> re.Pattern[str]:
    # two letters are a weekday only in German, with a capital and a stop or comma: "So, 3." and not "so 3"
    names = [name for name in _names("weekdays") if len(name) > 2 and name.isascii() | (len(name) > 3)]
    western = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if "曜" not in name)
    return re.compile(
        rf"(?<!\w)(?i:(?P<name>{western}))(?!\w)|(?P<kanji>[月火水木金土日])曜日?|[（(](?P<bare>[月火水木金土日])[）)]"
        r"|(?<!\w)(?P<short>Mo|Di|Mi|Do|Fr|Sa|So)(?=[.,]|\s+\d{1,2}\.)"
    )


def find_weekdays(text: str) -> list[Named]:
    """Return the weekdays in a text, in order; "Mondays" is none."""
    return [Named(m.start(), m.end(), _weekday_number(m)) for m in _weekday().finditer(text)]


def _weekday_number(match: re.Match[str]) -> int:
    if kanji := match["kanji"] or match["bare"]:
        return "月火水木金土日".index(kanji)
    return _names("weekdays")[(match["name"] or match["short"]).lower()]


# ---- days of a month that is not named beside them

_ALONE = re.compile(
    # one digit without an article is a number of hours or of things
    r"(?<=[^\W\d_])\.?,?[ \t]+(?:(?:the|den|dem|der|el|le)[ \t]+(?=\d)|(?=\d\d|\d(?:st|nd|rd|th|er|º|\.)))"
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\*{0,2}[ \t]*(?:[|,;)!?]|[.](?!\d)|:(?!\d)|[–—](?![ \t]*\d)|\n|$)",
    re.IGNORECASE,
)
_ALONE_KANJI = re.compile(r"(?<![月\d])(?P<day>\d{1,2})日[ \t]*[（(]?$")


def find_alone(text: str, name: Named, taken: Iterable[Day], today: date) -> Day | None:
    """Return the day of a month that stands alone beside a weekday: Monday 21, of last month, this one or the next."""
    match = _ALONE.match(text, name.end) or _ALONE_KANJI.search(text[: name.start])
    if match is None or any(day.start <= match.start("day") < day.end for day in taken):
        return None
    months = (divmod(today.year * 12 + today.month - 1 + ahead, 12) for ahead in NEAREST)
    dates = (_make(year, month + 1, int(match["day"])) for year, month in months)
    return Day(match.start("day"), match.end("day"), tuple(filter(None, dates)))


# ---- days counted from today

_FROM_TODAY = {
    "today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2, "day before yesterday": -2,
    "heute": 0, "morgen": 1, "gestern": -1, "übermorgen": 2, "vorgestern": -2,
    "hoy": 0, "mañana": 1, "ayer": -1, "pasado mañana": 2, "anteayer": -2,
    "aujourd'hui": 0, "aujourd’hui": 0, "demain": 1, "hier": -1, "après-demain": 2, "avant-hier": -2,
    "今日": 0, "本日": 0, "明日": 1, "昨日": -1, "明後日": 2, "一昨日": -2,
}  # fmt: skip
_RELATIVE = re.compile(
    # "Montag Morgen", "por la mañana": a part of the day
    r"(?<![\w-])(?<!la )(?<!am )(?<!heute )(?<!guten )(?<!tag )(?<!gestern )(?P<word>"
    + "|".join(sorted((word for word in _FROM_TODAY if word.isascii() or word[0].islower()), key=len, reverse=True))
    + r")(?![\w-])|(?P<kanji>一昨日|明後日|今日|本日|明日|昨日)",
    re.IGNORECASE,
)


def find_relative(text: str) -> list[Named]:
    """Return the days that a text names by counting from today, in order."""
    return [Named(m.start(), m.end(), _FROM_TODAY[m[0].lower()]) for m in _RELATIVE.finditer(text)]


def blank_days(text: str) -> str:
    """Return a text without its weekdays and days counted from today."""
    return _RELATIVE.sub(" ", _weekday().sub(lambda match: match[0] if _is_short(match[0]) else " ", text))


def _is_short(name: str) -> bool:
    """Whether a weekday's name may be another word: sun, mar."""
    return name.isascii() and len(name) < 5
