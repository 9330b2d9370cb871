"""A grammar of phrases, matched against the words of a text.

A row is a pattern, or several between semicolons, and the function that reads it: `[the] ORDER WEEKDAY of|in SPAN`.
Capitals are kinds of words, or symbols that have rows of their own; small letters stand for themselves, | between
alternatives, brackets around optional words. The function gets the values of the capitals, and None for optional ones
that are missing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from itertools import product
from typing import Any, NamedTuple

from ana.time.when.tokens import Token

DEEPEST = 12
"""Symbols within symbols: the day after the day after tomorrow."""


class Level(IntEnum):
    """The words that a phrase needs beside it to be read inside a longer text. A phrase that stands alone needs none.

    SURE needs nothing, CLEAR no noun after it (the 5th floor), WEAK also a word that leads to it, a time beside it or
    the end of the text (mon), FAINT the same but for the end (sat). QUESTION counts in questions, ALONE in no text.
    """

    SURE = 0
    CLEAR = 1
    WEAK = 2
    FAINT = 3
    QUESTION = 4
    ALONE = 5


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
    """A match of a symbol: the token after it, its value, the level that it needs in a text, and the order of its
    row.
    """

    end: int
    value: Any
    level: Level
    order: int


class NoSuchDay(ValueError):
    """A day that no calendar has, such as 30 February."""


class _End(NamedTuple):
    """The end of a row's pattern: the argument to which each of its capitals belongs, and the number of arguments."""

    row: Row
    order: int
    numbers: tuple[int, ...]
    arguments: int


@dataclass
class _Node:
    """A place in the patterns of a symbol: the possible words there, whether they are an argument, and the next
    places.
    """

    names: tuple[str, ...] = ()
    is_argument: bool = False
    following: dict[str, list["_Node"]] = field(default_factory=dict)
    symbols: set[str] = field(default_factory=set)
    ends: list[_End] = field(default_factory=list)

    def follow(self, names: tuple[str, ...]) -> "_Node":
        """Return the place after these alternatives, and make it if it does not exist."""
        same = [node for node in self.following.get(names[0], ()) if node.names == names]
        if not same:
            same = [_Node(names, any(map(str.isupper, names)))]
            self.symbols |= {*filter(str.isupper, names)}
            for name in names:
                self.following.setdefault(name, []).append(same[0])
        return same[0]


def _is_argument(word: str) -> bool:
    """Whether the words at a place of a pattern become an argument of the row's function."""
    return any(name.isupper() for name in word.split("|"))


def _add_pattern(root: _Node, pattern: str, row: Row, order: int) -> None:
    """Add a pattern of a row, with and without its optional parts."""
    groups: list[tuple[str, ...]] = []
    for part in pattern.replace("[", "\n[").replace("]", "]\n").splitlines():
        group = part.strip(" []")
        groups += [(group, "")] if part.startswith("[") else [(word,) for word in group.split()]
    places = [
        (at, nth) for at, group in enumerate(groups) for nth, word in enumerate(group[0].split()) if _is_argument(word)
    ]
    for choice in product(*groups):
        chosen = [(at, nth, word) for at, group in enumerate(choice) for nth, word in enumerate(group.split())]
        node = root
        for _, _, word in chosen:
            node = node.follow(tuple(word.split("|")))
        numbers = tuple(places.index((at, nth)) for at, nth, word in chosen if _is_argument(word))
        node.ends.append(_End(row, order, numbers, len(places)))


class Grammar:
    """Rows by symbol. If two rows read the same words, the earlier row counts."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self.roots = {symbol: _Node() for symbol in rows}
        for order, (symbol, row) in enumerate((symbol, row) for symbol, each in rows.items() for row in each):
            for pattern in row.patterns.split(";"):
                _add_pattern(self.roots[symbol], pattern.strip(), row, order)
        self.first = {symbol: frozenset(self._find_first(symbol, set())) for symbol in self.roots}

    def _find_first(self, symbol: str, visited: set[str]) -> set[str]:
        """Return the words and kinds of words with which a symbol may begin."""
        names = self.roots[symbol].following.keys()
        inner = (names & self.roots.keys()) - visited
        return {*names}.union(*(self._find_first(each, visited | inner) for each in inner))


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
            ends: dict[int, Match] = {}
            self._walk(self.grammar.roots[symbol], at, (), ends, Level.SURE, steps=0)
            self._depth -= 1
            self._matches[symbol, at] = sorted(ends.values(), reverse=True, key=lambda match: match.end)
        return self._matches[symbol, at]

    def _walk(
        self, node: _Node, at: int, values: tuple[Any, ...], ends: dict[int, Match], level: Level, *, steps: int
    ) -> None:
        """Collect the matches that go through a place, if the words after it begin at a token."""
        if at >= len(self.tokens):
            return
        token = self.tokens[at]
        options = [
            (name, at + 1, token.kinds.get(name), token.level) for name in sorted(token.names & node.following.keys())
        ]
        for symbol in sorted(node.symbols & self.grammar.roots.keys()):
            options += [(symbol, match.end, match.value, match.level) for match in self.match(symbol, at)]
        for name, end, value, needed in options:
            for place in node.following[name]:
                arguments = (*values, value) if place.is_argument else values
                self._enter(place, end, arguments, ends, Level(needed) if steps == 0 else level, steps + 1)
        if token.joins and steps:  # Tue, 13 Jan. 2026
            self._walk(node, at + 1, values, ends, level, steps=steps)

    def _enter(
        self, node: _Node, at: int, values: tuple[Any, ...], ends: dict[int, Match], level: Level, steps: int
    ) -> None:
        for end in node.ends:
            if at not in ends or end.order < ends[at].order:
                value = self._read(end, values)
                if value is not None:
                    ends[at] = Match(at, value, max(end.row.level, level) if steps == 1 else end.row.level, end.order)
        if node.following:
            self._walk(node, at, values, ends, level, steps=steps)

    def _read(self, end: _End, values: tuple[Any, ...]) -> Any:
        """Return a row's result for its values; an impossible day if the result or one of the values is impossible."""
        arguments: list[Any] = [None] * end.arguments
        for number, value in zip(end.numbers, values, strict=True):
            arguments[number] = value
        try:
            impossible = next((value for value in values if isinstance(value, NoSuchDay)), None)
            return impossible or end.row.read(self.base, *arguments)
        except NoSuchDay as exc:
            return exc
        except (ValueError, OverflowError):  # beyond the years a date can have
            return None
