"""Numbers as people write them: 1,275.50, 1.275,50, 1 275,50, １２, 5万; each may be read in more than one way."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from nodes.policies.days import find_days
from nodes.policies.moments import find_written
from nodes.policies.questions import NO_QUANTITY

_SPACE = r"[ \u00a0\u202f]"
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.,/#-])(?P<sign>[-−](?=\d))?(?P<mark>[$€£¥]\s?)?(?P<text>\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:,\d+)?(?!\d)"
    r"|\d+(?:['’]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)*)"
    rf"(?P<scale>[万億])?(?:{_SPACE}?(?P<unit>%|％|€|\$|£|円|EUR\b|USD\b|GBP\b|[Ee]uros?\b|[Dd]ollars?\b))?(?![\w]*[A-Za-z_]\w*\d|-\d)"
)
_DIGIT = re.compile(r"\d")
_SCALES = {"万": 10_000, "億": 100_000_000}
_LISTED = re.compile(r"^\s*(?:[-*+]\s+)?\d{1,2}[.)]\s", re.MULTILINE)
_ORDINAL = re.compile(
    r"\d+(?:st|nd|rd|th|er|e|º|ª|°)\b|\b(?:19|20)\d\d\b(?![.,]\d|\s?[%€$£円])|(?:19|20)\d\d年|\d+(?:番|位|世紀)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quantity:
    """A number in a text.

    Args:
        text: Its digits and separators.
        values: What it can be read as.
        decimals: How many digits it gives after the point.
        unit: A currency, % or empty.
        start: Its first character.
        end: The character after its last.
    """

    text: str
    values: frozenset[float]
    decimals: int
    unit: str
    start: int
    end: int


def find_quantities(text: str, today: date) -> list[Quantity]:
    """Return the numbers of a text that are not part of a date, a time, an ordinal, a year, an id or a list's count."""
    if not _DIGIT.search(text):
        return []
    # full-width digits are one character each, so that every place stays the same
    plain = text.translate(_NARROW)
    days = [(found.start, found.end) for found in find_days(plain, today)]
    for start, end in [*days, *((found.start, found.end) for found in find_written(plain))]:
        plain = plain[:start] + "\n" * (end - start) + plain[end:]
    for pattern in (_LISTED, _ORDINAL, NO_QUANTITY):
        plain = pattern.sub(lambda match: "\n" * len(match[0]), plain)
    return [_read(match) for match in _NUMBER.finditer(plain)]


_NARROW = {ord(wide): narrow for wide, narrow in zip("０１２３４５６７８９．，％", "0123456789.,%", strict=True)}


def _read(match: re.Match[str]) -> Quantity:
    said = re.sub(r"[\s'’\u00a0\u202f]", "", match["text"])
    scale = _SCALES.get(match["scale"] or "", 1)
    values = frozenset(value * scale for value in _values(said))
    tail = re.search(r"[.,](\d+)$", said)
    decimals = len(tail[1]) if (tail and any(value % 1 for value in values)) or (tail and len(tail[1]) != 3) else 0
    unit = (match["unit"] or match["mark"] or "").strip()
    return Quantity(match["text"], values, decimals, unit.replace("％", "%"), match.start(), match.end())


def _values(said: str) -> Iterable[float]:
    marks = [mark for mark in said if mark in ".,"]
    if not marks:
        yield float(said)
        return
    if len(set(marks)) > 1 or len(marks) == 1:  # the last mark begins the decimals
        whole, _, part = said.rpartition(marks[-1])
        yield float(f"{re.sub('[.,]', '', whole)}.{part}")
    if len(set(marks)) == 1 and all(len(group) == 3 for group in re.split("[.,]", said)[1:]):
        yield float(re.sub("[.,]", "", said))


def all_values(texts: Iterable[str]) -> set[float]:
    """Return every number that stands in the texts, dates and times included, however it may be read."""
    return {value for text in texts for match in _ANY.finditer(text.translate(_NARROW)) for value in _loose(match)}


_ANY = re.compile(rf"(?P<text>\d{{1,3}}(?:{_SPACE}\d{{3}})+(?:,\d+)?(?!\d)|\d+(?:['’.,]\d+)*)(?P<scale>[万億])?")


def _loose(match: re.Match[str]) -> Iterable[float]:
    said = re.sub(r"[\s'’\u00a0\u202f]", "", match["text"])
    scale = _SCALES.get(match["scale"] or "", 1)
    yield from (float(part) for part in re.split(r"\D+", match["text"]) if part)
    if re.fullmatch(r"\d+(?:[.,]\d+)*", said):
        yield from (value * scale for value in _values(said))


def is_traced(quantity: Quantity, known: Iterable[float]) -> bool:
    """Whether a number is one of the known ones, as it is, rounded to the digits it shows, or as a percentage."""
    return any(_is_rounding(value, quantity, source) for value in quantity.values for source in known)


def _is_rounding(value: float, quantity: Quantity, source: float) -> bool:
    if abs(value - source) < 1e-9 or (quantity.unit == "%" and abs(value - source * 100) < 1e-6):
        return True
    if source % 1 and round(source, quantity.decimals) == value and (quantity.decimals or source >= 1):
        return True
    zeros = len(quantity.text) - len(quantity.text.rstrip("0")) if not quantity.decimals else 0
    # "about 4,050" of 4,046, but not 5,000 of 4,560
    return (
        zeros > 0 and abs(source) >= 100 and round(source, -zeros) == value and abs(value - source) <= abs(source) / 50
    )
