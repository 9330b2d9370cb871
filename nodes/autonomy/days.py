"""Weekdays and days counted from today, in English, German, Spanish, French and Japanese."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Named:
    """Where a text names a weekday (from 0, Monday) or a day counted from today ("tomorrow" is 1)."""

    start: int
    end: int
    number: int


LANGUAGES = ("en", "de", "es", "fr", "ja")
NAMES = Path(__file__).parent.parent / "policies" / "names.json"


@cache
def _names() -> dict[str, int]:
    data = json.loads(NAMES.read_text(encoding="utf-8"))
    rows = (data[language]["weekdays"].lower().split(", ") for language in LANGUAGES)
    return {name: number for row in rows for number, names in enumerate(row) for name in names.split("/")}


@cache
def _weekday() -> re.Pattern[str]:
    # two letters are a weekday only in German, with a capital and a stop or comma: "So, 3." and not "so 3"
    names = [name for name in _names() if len(name) > 2 and name.isascii() | (len(name) > 3)]
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
    return _names()[(match["name"] or match["short"]).lower()]


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


def blank_days(text: str) -> str:
    """Return a text without its weekdays and days counted from today."""
    return _RELATIVE.sub(" ", _weekday().sub(lambda match: match[0] if _is_short(match[0]) else " ", text))


def _is_short(name: str) -> bool:
    """Whether a weekday's name may be another word: sun, mar."""
    return name.isascii() and len(name) < 5
