"""A grammar of phrases, matched against the words of a text.

A row is a pattern, or several between semicolons, and what reads it: `[the] ORDER WEEKDAY of|in SPAN`. Capitals are
kinds of words, or symbols that have rows of their own; small letters stand for themselves, | between alternatives,
brackets around what may be left out. What reads it is given what the capitals stand for, None for what is left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from typing import Any, NamedTuple

from ana.time.when.tokens import Token

DEEPEST = 12
"""Symbols within symbols: the day after the day after tomorrow."""

_LEFT_OUT = ("",)
"""The place of capitals that are left out."""


class Level(IntEnum):
    """What a reading needs beside it to count within a longer text. A phrase that stands alone needs nothing.

    SURE needs nothing, CLEAR no noun after it (the 5th floor), BESIDE also a word that leads to it or a time beside it
    (sat). ASKED counts in questions, ALONE in no text.
    """

    SURE = 0
    CLEAR = 1
    BESIDE = 2
    ASKED = 3
    ALONE = 4


class Base(NamedTuple):
    """What phrases are read against: the day they count from; the moment, if hours are read; the part of the day."""

    today: date
    now: datetime | None = None
    part: str = ""


class Row(NamedTuple):
    """Patterns, what reads them, and what it needs in a text."""

    patterns: str
    read: Callable[..., Any]
    level: Level = Level.SURE


class Match(NamedTuple):
    """What a symbol, a kind or a word matches: from which token to which, excluded, its value, its need in a text."""

    symbol: str
    start: int
    end: int
    value: Any
    level: int


class NoSuchDay(ValueError):
    """What is written as a day is in no calendar: 30 February."""


class _Form(NamedTuple):
    """A row and one of its patterns with a choice of what is left out: the names that may stand at each place."""

    row: Row
    places: tuple[tuple[str, ...], ...]
    written: tuple[tuple[str, ...], ...]


def _expand(pattern: str) -> Iterator[list[tuple[str, ...]]]:
    """Yield the places of a pattern, with and without what may be left out."""
    before, bracket, rest = pattern.partition("[")
    start = [tuple(word.split("|")) for word in before.split()]
    if not bracket:
        yield start
        return
    optional, _, after = rest.partition("]")
    places = [tuple(word.split("|")) for word in optional.split()]
    for end in _expand(after):
        yield [*start, *places, *end]
        yield [*start, *(_LEFT_OUT for names in places if names[0].isupper()), *end]


class Grammar:
    """Rows by symbol. Of two readings of the same words the earlier row's counts."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self._forms: dict[str, list[_Form]] = {symbol: [] for symbol in rows}
        for symbol, row in ((symbol, row) for symbol, each in rows.items() for row in each):
            for places in (places for pattern in row.patterns.split(";") for places in _expand(pattern)):
                written = tuple(names for names in places if names != _LEFT_OUT)
                self._forms[symbol].append(_Form(row, tuple(places), written))
        self.first = {symbol: frozenset(self._find_first((symbol,), set())) for symbol in rows}
        self.forms = {
            symbol: [(self._begin(form.written[0]), form) for form in forms] for symbol, forms in self._forms.items()
        }

    def _begin(self, names: tuple[str, ...]) -> frozenset[str]:
        return frozenset().union(*(self.first.get(name, {name}) for name in names))

    def _find_first(self, names: tuple[str, ...], seen: set[str]) -> set[str]:
        """Return the words and kinds with which these may begin."""
        new = {*names} & self._forms.keys() - seen
        inner = [form.written[0] for name in new for form in self._forms[name]]
        return {*names}.union(*(self._find_first(each, seen | new) for each in inner))


@dataclass
class Chart:
    """The readings of a text's tokens by a grammar, each worked out once."""

    grammar: Grammar
    tokens: Sequence[Token]
    base: Base
    _found: dict[tuple[str, int], list[Match]] = field(default_factory=dict)
    _depth: int = 0

    def match(self, symbol: str, at: int) -> list[Match]:
        """Return what a symbol matches from a token on, the longest first."""
        if at >= len(self.tokens) or self.grammar.first[symbol].isdisjoint(self.tokens[at].names):
            return []
        if (symbol, at) not in self._found:
            if self._depth >= DEEPEST:
                return []
            self._depth += 1
            ends: dict[int, Match] = {}
            for first, form in self.grammar.forms[symbol]:
                if not first.isdisjoint(self.tokens[at].names):
                    self._read(symbol, form, at, ends)
            self._depth -= 1
            self._found[symbol, at] = sorted(ends.values(), reverse=True, key=lambda match: match.end)
        return self._found[symbol, at]

    def _read(self, symbol: str, form: _Form, at: int, ends: dict[int, Match]) -> None:
        """Add what a form of a symbol matches from a token on, where no earlier one ends at the same token."""
        for end, values, level in self._walk(form.places, at, (), 0):
            if end in ends:
                continue
            value = self._evaluate(form.row, values)
            if value is not None:
                needed = max(form.row.level, level) if len(form.written) == 1 else form.row.level
                ends[end] = Match(symbol, at, end, value, needed)

    def _walk(
        self, places: Sequence[tuple[str, ...]], at: int, values: tuple[Any, ...], level: int, nth: int = 0
    ) -> Iterator[tuple[int, tuple[Any, ...], int]]:
        """Yield where places, from the nth on, that begin with a token end, their values, and what the last needs."""
        if nth == len(places):
            yield at, values, level
            return
        if places[nth] == _LEFT_OUT:
            yield from self._walk(places, at, (*values, None), level, nth + 1)
            return
        for name in places[nth]:
            for match in self._match_name(name, at):
                more = (*values, match.value) if name.isupper() else values
                yield from self._walk(places, match.end, more, match.level, nth + 1)
        if nth and at < len(self.tokens) and self.tokens[at].joins:  # Tue, 13 Jan. 2026
            yield from self._walk(places, at + 1, values, level, nth)

    def _match_name(self, name: str, at: int) -> Sequence[Match]:
        """Return what a word, a kind or a symbol matches from a token on."""
        if name in self.grammar.first:
            return self.match(name, at)
        token = self.tokens[at] if at < len(self.tokens) else None
        return [Match(name, at, at + 1, token.kinds.get(name), token.level)] if token and name in token.names else []

    def _evaluate(self, row: Row, values: tuple[Any, ...]) -> Any:
        """Return what a row makes of its values: a day that there is not, if it or one of them is none."""
        try:
            impossible = next((value for value in values if isinstance(value, NoSuchDay)), None)
            return impossible or row.read(self.base, *values)
        except NoSuchDay as exc:
            return exc
        except (ValueError, OverflowError):  # beyond the years a date can have
            return None
