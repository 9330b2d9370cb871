"""A grammar of phrases, matched against the words of a text.

A row is a pattern, or several between semicolons, and the function that reads it: `[the] ORDER WEEKDAY of|in SPAN`.
Capitals are kinds of words, or symbols that have rows of their own; small letters stand for themselves, | between
alternatives, brackets around optional words. The function gets the values of the capitals, and None for optional ones
that are missing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from typing import Any, NamedTuple

from ana.time.when.tokens import Token

DEEPEST = 12
"""Symbols within symbols: the day after the day after tomorrow."""

_JOINS = frozenset((",", "."))
_GROUP = re.compile(r"\[[^]]*\]|[^\s[]+")


class Level(IntEnum):
    """The words that a phrase needs beside it to be read inside a longer text. A phrase that stands alone needs none.

    SURE needs nothing, CLEAR no noun after it (the 5th floor), WEAK also a word that leads to it, a time beside it or
    the end of the text (mon), FAINT the same but for the end (sat). QUESTION counts in questions, SEARCH in searches,
    ALONE in no text.
    """

    SURE = 0
    CLEAR = 1
    WEAK = 2
    FAINT = 3
    QUESTION = 4
    SEARCH = 5
    ALONE = 6


class Base(NamedTuple):
    """The base for reading phrases: the day they count from; the moment, if hours are read; the part of the day."""

    today: date
    now: datetime | None = None
    part: str = ""


class Row(NamedTuple):
    """Patterns, the function that reads them, and the level that they need in a text."""

    patterns: str
    read: Callable[..., Any]
    level: Level = Level.SURE


class Match(NamedTuple):
    """A match of a symbol: the token after it, its value, and the level that it needs in a text."""

    end: int
    value: Any
    level: int


class NoSuchDay(ValueError):
    """A day that no calendar has, such as 30 February."""


class _Place(NamedTuple):
    """A place of a pattern: the names that fit it, and whether what fits is an argument."""

    names: tuple[str, ...]
    is_argument: bool


@dataclass
class _Node:
    """A place between the places of patterns that begin alike: what may follow, and the rows that end here.

    An optional argument that is left out is None.
    """

    following: dict[_Place | None, "_Node"] = field(default_factory=dict)
    ends: list[tuple[int, Row]] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Return the names that may follow."""
        return {name for place, node in self.following.items() for name in (place.names if place else node.names)}


def _expand(pattern: str) -> list[tuple[_Place | None, ...]]:
    """Return the places of a pattern, with and without its optional parts."""
    variants: list[tuple[_Place | None, ...]] = [()]
    for group in _GROUP.findall(pattern):
        names = [tuple(part.split("|")) for part in group.strip("[]").split()]
        places = tuple(_Place(each, any(map(str.isupper, each))) for each in names)
        missing = tuple(None for place in places if place.is_argument)
        without = [(*variant, *missing) for variant in variants] if group[0] == "[" else []
        variants = [(*variant, *places) for variant in variants] + without
    return variants


class Grammar:
    """Rows by symbol. If two rows read the same words, the earlier row counts."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self.roots = {symbol: _Node() for symbol in rows}
        every: set[_Place | None] = set()
        for order, (symbol, row) in enumerate((symbol, row) for symbol, each in rows.items() for row in each):
            for places in [places for pattern in row.patterns.split(";") for places in _expand(pattern)]:
                node = self.roots[symbol]
                for place in places:
                    node = node.following.setdefault(place, _Node())
                every |= {*places}
                node.ends.append((order, row))
        begins = {symbol: root.names for symbol, root in self.roots.items()}
        self.first = {symbol: _resolve(names, begins) for symbol, names in begins.items()}
        self.openings = {place: _resolve({*place.names}, begins) for place in every if place}


def _resolve(names: set[str], begins: Mapping[str, set[str]]) -> set[str]:
    """Return the words and kinds of words with which symbols and words may begin."""
    while inner := {name for symbol in names & begins.keys() for name in begins[symbol]} - names:
        names = names | inner
    return names - begins.keys()


@dataclass
class Chart:
    """The readings of a text's tokens by a grammar, each computed once."""

    grammar: Grammar
    tokens: Sequence[Token]
    base: Base
    _matches: dict[tuple[str, int], list[Match]] = field(default_factory=dict)
    _depth: int = 0

    def match(self, symbol: str, at: int) -> list[Match]:
        """Return the matches of a symbol from a token on, the longest first."""
        if at >= len(self.tokens) or self.grammar.first[symbol].isdisjoint(self.tokens[at].names):
            return []
        if (symbol, at) not in self._matches:
            if self._depth >= DEEPEST:
                return []
            self._depth += 1
            ends: dict[int, tuple[int, Match]] = {}
            self._walk(self.grammar.roots[symbol], at, ends)
            self._depth -= 1
            matches = [match for _, match in ends.values()]
            self._matches[symbol, at] = sorted(matches, reverse=True, key=lambda match: match.end)
        return self._matches[symbol, at]

    def _walk(
        self,
        node: _Node,
        at: int,
        ends: dict[int, tuple[int, Match]],
        values: tuple[Any, ...] = (),
        levels: tuple[int, ...] = (),
    ) -> None:
        """Collect the matches that go through a node, by the token after them.

        Args:
            values: The arguments before the node.
            levels: The levels of the steps before it.
        """
        for order, row in node.ends:
            if at not in ends or order < ends[at][0]:
                value = self._read(row, values)
                if value is not None:
                    # a part beside others is surer than it is by itself, unless it counts in no text
                    is_surer = len(levels) > 1 and Level.ALONE not in levels
                    level = row.level if is_surer else max(row.level, *levels)
                    ends[at] = order, Match(at, value, level)
        names = self.tokens[at].names if at < len(self.tokens) else frozenset[str]()
        for place, following in node.following.items():
            if place is None:
                self._walk(following, at, ends, (*values, None), levels)
                continue
            if self.grammar.openings[place].isdisjoint(names) and _JOINS.isdisjoint(names):
                continue
            for end, value, level in self._find_steps(place.names, at, is_first=not levels):
                more = (*values, value) if place.is_argument else values
                self._walk(following, end, ends, more, (*levels, level))

    def _find_steps(self, names: Sequence[str], at: int, *, is_first: bool) -> list[Match]:
        """Return the matches of one of some names, also after a sign that joins: Tue, 13 Jan. 2026."""
        if at >= len(self.tokens):
            return []
        token, steps = self.tokens[at], list[Match]()
        for name in names:
            if name in token.names:
                steps.append(Match(at + 1, token.kinds.get(name), token.kinds.get("LEVEL", 0)))
            elif name in self.grammar.first:
                steps += self.match(name, at)
        if token.word in _JOINS and not is_first:
            steps += self._find_steps(names, at + 1, is_first=True)
        return steps

    def _read(self, row: Row, values: tuple[Any, ...]) -> Any:
        """Return a row's result for its values; an impossible day if the result or one of the values is impossible."""
        impossible = next((value for value in values if isinstance(value, NoSuchDay)), None)
        try:
            return impossible or row.read(self.base, *values)
        except NoSuchDay as exc:
            return exc
        except (ValueError, OverflowError):  # beyond the years a date can have
            return None
