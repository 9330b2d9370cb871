"""Numbers as people write them: 1,275.50, 1.275,50, 1 275,50, １２, 5万; each may be read in more than one way."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from datetime import date
from typing import NamedTuple

from ana.recent import keep_recent
from nodes.policies.days import find_days, find_times, find_weekdays

BLANK = "\0"
"""Stands where something else than a number stood; no space, or two numbers would become one."""
EXACT, LETTERS = 3, 5
"""A number with so many digits that count is no rough one; words that begin with so many letters alike are one unit."""

DIGITS = r"(?>\d{1,3}(?:[ \u00a0\u202f]\d{3}){1,4}(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’]\d+)*)"
_NUMBER = re.compile(rf"(?<![A-Za-z\d_.,/#:@])(?<![A-Za-z]-){DIGITS}(?![A-Za-z]{{1,20}}\d|[/:]\d)")
_NARROW = {ord(wide): narrow for wide, narrow in zip("０１２３４５６７８９．，％", "0123456789.,%", strict=True)}
_NO_QUANTITY = re.compile(
    r"(?<![\d.,])\d{1,9}(?:-|\s?[–—〜～~]\s?)\d{1,9}(?!\d|[.,]\d)"  # a range
    r"|^[ \t]*(?:[-*+•][ \t]+)?\d{1,3}[.)]\s"  # the number of a list's entry
    r"|(?<![\d.,])(?:19|20)\d\d(?!\d|[.,]\d|\s?[%€$£¥円])"  # a year
    r"|\d{1,9}\.\d{1,9}\.\d{1,9}|\+\d[\d ()/-]{6,30}\d",  # a version, a telephone number
    re.MULTILINE,
)
_ALONE = re.compile(r"\W{1,3}\d{1,2}(?![\d.,]{0,9}\d|\s?[^\W\d_])")  # the day behind a weekday: Monday 14
_UNIT = re.compile(r"[ \u00a0\u202f]?(?:(?!x\b)(?P<word>[^\W\d_]{1,30})|(?P<sign>[^\w\s]))")


class Quantity(NamedTuple):
    """A number in a text: its possible readings, each with its decimals, and the shortened sign or word beside it."""

    text: str
    readings: tuple[tuple[float, int], ...]
    unit: str = ""

    @property
    def values(self) -> frozenset[float]:
        """The numbers that it may be read as."""
        return frozenset(value for value, _ in self.readings)

    @property
    def is_plain(self) -> bool:
        """Whether it has no unit, or only a currency or a percent sign."""
        return self.unit in ("", "%") or _is_currency(self.unit)

    @property
    def is_exact(self) -> bool:
        """Whether it has many significant digits: 4,370, 16.25, but not 1,500."""
        digits = "".join(filter(str.isdigit, self.text)).lstrip("0")
        return len(digits if any(decimals for _, decimals in self.readings[:1]) else digits.rstrip("0")) >= EXACT


@keep_recent(256)  # several policies look at the texts in view
def find_quantities(text: str, today: date) -> tuple[Quantity, ...]:
    """Return the numbers of a text that are not part of a date, time, range, year or code, and do not number a list."""
    if not re.search(r"\d", text):
        return ()
    # full-width digits are one character each, so that every place stays the same
    plain = text.translate(_NARROW)
    signs = list(plain)
    spans = [span[:2] for span in (*find_days(plain, today), *find_times(plain))]
    spans += [match.span() for name in find_weekdays(plain) if (match := _ALONE.match(plain, name.end))]
    for start, end in spans:
        signs[start:end] = BLANK * (end - start)
    plain = _NO_QUANTITY.sub(lambda match: BLANK * len(match[0]), "".join(signs))
    return tuple(_read(plain, match) for match in _NUMBER.finditer(plain))


def _read(text: str, match: re.Match[str]) -> Quantity:
    readings, end = [*read_digits(match[0])], match.end()
    if (scale := unicodedata.numeric(text[end : end + 1] or "0", 0)) >= 1000:
        rest = _NUMBER.match(text, end + 1)  # 4万4,640
        more = max((value for value, _ in read_digits(rest[0])), default=0) if rest else 0
        readings, end = [(value * scale + more, 0) for value, _ in readings], rest.end() if rest else end + 1
    return Quantity(match[0], tuple(readings), _read_unit(text, match.start(), end))


def read_digits(text: str) -> Iterator[tuple[float, int]]:
    """Yield the numbers that digits and marks may mean, each with its decimals: 1.234 has two readings."""
    *groups, last = re.split("[.,]", re.sub(r"[\s'’]", "", text))
    marks = set(re.findall("[.,]", text))
    if len(groups) == 1 or len(marks) > 1:  # the last mark begins the decimals
        yield float(f"{''.join(groups)}.{last}"), len(last)
    if len(marks) < 2 and all(len(group) == 3 for group in [*groups[1:], last] if groups):
        yield float("".join([*groups, last])), 0


def _read_unit(text: str, start: int, end: int) -> str:
    before, match = text[max(0, start - 2) : start].strip()[-1:], _UNIT.match(text, end)
    if _is_currency(before):
        return before
    word, sign = (match["word"] or "", match["sign"] or "") if match else ("", "")
    return _cut(word) if word else sign if sign in "%°" or _is_currency(sign) else ""


def _is_currency(sign: str) -> bool:
    return len(sign) == 1 and unicodedata.category(sign) == "Sc"


def _cut(word: str) -> str:
    """Return a word shortened to a unit: its first letters, or in Japanese its one decisive character."""
    if word[0] < "\u3000":
        return word.casefold()[:LETTERS]
    return "" if unicodedata.name(word[0], "").startswith("HIRAGANA") else word[0]


def is_traced(quantity: Quantity, known: Collection[float]) -> bool:
    """Return whether a number equals a known one, exactly, rounded to the digits that it shows, or as a percentage."""
    if not quantity.values.isdisjoint(known):
        return True
    sources = [*known, *(100 * value for value in known if quantity.unit == "%")]
    return any(_is_rounding(*reading, source) for reading in quantity.readings for source in sources)


def _is_rounding(value: float, decimals: int, source: float) -> bool:
    difference = abs(value - source)
    if difference < 1e-9 or (source % 1 and abs(source) >= 1 and difference <= 0.5 / 10**decimals + 1e-9):
        return True
    # "about 4,050" of 4,046, but not 5,000 of 4,560
    zeros = len(str(int(value))) - len(str(int(value)).rstrip("0")) if not decimals else 0
    return zeros > 0 and abs(source) >= 100 and difference <= min(0.5 * 10**zeros, abs(source) / 50)
