"""Numbers as people write them: 1,275.50, 1.275,50, 1 275,50, １２, 5万; each may be read in more than one way."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from ana.recent import keep_recent
from nodes.policies.days import find_alone, find_days, find_weekdays
from nodes.policies.moments import find_written
from nodes.policies.texts import any_of

_SPACE = r"[ \u00a0\u202f]"
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.,/#-])(?P<sign>[-−](?=\d))?(?P<mark>[$€£¥]\s?)?(?P<text>\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:,\d+)?(?!\d)"
    r"|\d+(?:['’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)*)"
    rf"(?:(?P<scale>[万億])(?P<rest>\d[\d,]*)?)?(?:{_SPACE}?(?P<unit>%|％|€|\$|£|円|EUR\b|USD\b|GBP\b|[Ee]uros?\b"
    rf"|[Dd]ollars?\b))?(?![\w]*[A-Za-z_]\w*\d|-\d)"
)
_DAY = r"(?<![\d.,:$€£-])(?:[12]?\d|3[01])(?:st|nd|rd|th|\.)?"
_DAYS_BEFORE = re.compile(
    rf"(?:{_DAY}(?: ?[,/&–、・-] ?| (?:and|und|y|et|or|oder|to|bis|al|au) ))+(?:the |le |el |den )?$", re.IGNORECASE
)
MOST_ASKED = 30
"""More numbers of a message than this are a table, which no number is made of."""
MOST_KNOWN = 2_000
"""Where a turn has seen more numbers than this, one in a draft may be any of them."""
MOST_LISTED = 100
"""Characters before a date in which days of its month may be listed."""
BLANK = "\0"
"""Stands where something else than a number stood; no space, or two numbers would become one."""
_DIGIT = re.compile(r"\d")
_SCALES = {"万": 10_000, "億": 100_000_000}
_LISTED = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\d{1,2}[.)]\s", re.MULTILINE)
_ORDINAL = re.compile(
    r"(?<!\d)\d++(?:st|nd|rd|th|er|e|º|ª|°)\b|\b(?:19|20)\d\d\b(?![.,]\d|\s?[%€$£円])|(?:19|20)\d\d年|(?<!\d)\d++(?:番|位|世紀)",
    re.IGNORECASE,
)

_NO_QUANTITY = any_of(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:T[\d:]+)?",  # 2026-01-13
    r"\bv?\d+\.\d+\.\d+(?:\.\d+)*\b",  # 3.11.2, 13.01.2026
    r"(?<![\d)!] )(?<![\d)!])\+\d[\d ()/-]{6,}\d",  # +49 170 1234567
    r"(?:\(\d{3}\) ?|\b\d{3}[-. ])?\b\d{3}-\d{4}\b",
)


@dataclass(frozen=True)
class Quantity:
    """A number in a text.

    Args:
        text: Its digits and separators.
        readings: What it can be read as, each with the digits it then gives after the point.
        unit: A currency, % or empty.
        start: Its first character.
        end: The character after its last.
    """

    text: str
    readings: tuple[tuple[float, int], ...]
    unit: str
    start: int
    end: int

    @property
    def values(self) -> frozenset[float]:
        """What it can be read as."""
        return frozenset(value for value, _ in self.readings)


@keep_recent(256)  # what a turn has seen is gone through for many numbers
def find_quantities(text: str, today: date) -> tuple[Quantity, ...]:
    """Return the numbers of a text that are not part of a date, a time, an ordinal, a year, an id or a list's count."""
    if not _DIGIT.search(text):
        return ()
    # full-width digits are one character each, so that every place stays the same
    plain = text.translate(_NARROW)
    dates = find_days(plain, today)
    days = [(_find_list(plain, found.start), found.end) for found in dates]
    alone = (find_alone(plain, name, dates, today) for name in find_weekdays(plain))
    days += [(found.start, found.end) for found in alone if found]
    signs = list(plain)
    for start, end in [*days, *((found.start, found.end) for found in find_written(plain))]:
        signs[start:end] = BLANK * (end - start)
    plain = "".join(signs)
    for pattern in (_LISTED, _ORDINAL, _NO_QUANTITY):
        plain = pattern.sub(lambda match: BLANK * len(match[0]), plain)
    return tuple(_read(match) for match in _NUMBER.finditer(plain))


def _find_list(text: str, start: int) -> int:
    """Return where a list of days begins that ends with a date: 9, 10, 11 and 14 December; else where the date does."""
    begin = max(0, start - MOST_LISTED)
    found = _DAYS_BEFORE.search(text[begin:start])
    return begin + found.start() if found else start


_NARROW = {ord(wide): narrow for wide, narrow in zip("０１２３４５６７８９．，％", "0123456789.,%", strict=True)}


def _read(match: re.Match[str]) -> Quantity:
    said = re.sub(r"[\s'’\u00a0\u202f]", "", match["text"])
    scale = _SCALES.get(match["scale"] or "", 1)
    rest = float((match["rest"] or "0").replace(",", ""))  # 4万4,640
    readings = tuple((value * scale + rest, decimals) for value, decimals in read_digits(said))
    unit = (match["unit"] or match["mark"] or "").strip()
    return Quantity(match["text"], readings, unit.replace("％", "%"), match.start(), match.end())


def read_digits(said: str) -> Iterable[tuple[float, int]]:
    """Yield what digits and marks may mean, each with its decimals: 1.234 is either."""
    marks = [mark for mark in said if mark in ".,"]
    if not marks:
        yield float(said), 0
        return
    if len(set(marks)) > 1 or len(marks) == 1:  # the last mark begins the decimals
        whole, _, part = said.rpartition(marks[-1])
        yield float(f"{re.sub('[.,]', '', whole)}.{part}"), len(part)
    if len(set(marks)) == 1 and all(len(group) == 3 for group in re.split("[.,]", said)[1:]):
        yield float(re.sub("[.,]", "", said)), 0


def find_digits(*texts: str) -> set[str]:
    """Return every row of digits in the texts, those of dates and times included."""
    return {digits for text in texts for digits in re.findall(r"\d+", text.translate(_NARROW))}


def is_traced(quantity: Quantity, known: Iterable[float]) -> bool:
    """Whether a number is one of the known ones, as it is, rounded to the digits it shows, or as a percentage."""
    sources = [*known]
    return any(
        _is_rounding(value, decimals, source * times)
        for value, decimals in quantity.readings
        for source in sources
        for times in ((1, 100) if quantity.unit == "%" else (1,))
    )


def _is_rounding(value: float, decimals: int, source: float) -> bool:
    difference = abs(value - source)
    if difference < 1e-9 or (source % 1 and abs(source) >= 1 and difference <= 0.5 / 10**decimals + 1e-9):
        return True
    # "about 4,050" of 4,046, but not 5,000 of 4,560
    zeros = len(str(int(value))) - len(str(int(value)).rstrip("0")) if not decimals else 0
    return zeros > 0 and abs(source) >= 100 and difference <= min(0.5 * 10**zeros, abs(source) / 50)


def blank_ranges(text: str) -> str:
    """Return a text without its ranges, such as hours of a day: 9-12 and 13-17."""
    return _RANGE.sub(lambda m: BLANK * len(m[0]) if int(m["a"]) < int(m["b"]) else m[0], text)


_RANGE = re.compile(
    r"(?<![\d.,:$€£/+*×-])(?P<a>\d{1,4})(?: ?[-–] ?| (?:to|bis|à|hasta) )(?P<b>\d{1,4})(?![\d]|[.,:]\d| ?[-+*×/=€$£%])"
)
