"""A grammar of phrases, matched against the words of a text.

A row is a pattern and what reads it: `[the] NTH WEEKDAY of|in MONTH`. Capitals are kinds of words, or symbols that have
rows of their own; small letters stand for themselves, | between alternatives, brackets around what may be left out. What
the capitals match is given to the function that reads the row, None for what was left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from ana.time.when.tokens import Token

DEEPEST = 12
"""Symbols within symbols: the day after the day after tomorrow."""


class Level(IntEnum):
    """What a reading needs beside it to count within a longer text. A phrase that stands alone needs nothing.

    SURE needs nothing, CLEAR no noun after it (the 5th floor), WEAK also a word that leads to it, a time beside it or
    the end of the text (mon), FAINT the same but for the end (sat). ASKED counts in questions, ALONE in no text.
    """

    SURE = 0
    CLEAR = 1
    WEAK = 2
    FAINT = 3
    ASKED = 4
    ALONE = 5


@dataclass(frozen=True)
class Base:
    """What phrases are read against.

    Args:
        today: The day that they count from.
        now: The moment; None where hours from now are not read.
        part: The part of the day that the text names, such as evening; empty for none.
    """

    today: date
    now: datetime | None = None
    part: str = ""


Read = Callable[..., Any]


class Row(NamedTuple):
    """A pattern, what reads it, and what it needs in a text."""

    pattern: str
    read: Read
    level: Level = Level.SURE


class Match(NamedTuple):
    """What a symbol matches: up to which token, its value, and what it needs in a text."""

    end: int
    value: Any
    level: Level


class NoSuchDay(ValueError):
    """What is written as a day is in no calendar: 30 February."""


@dataclass
class _Node:
    """A place in the patterns of a symbol: what may stand there, what may follow, and the rows that end with it."""

    names: tuple[str, ...] = ()
    following: dict[str, list["_Node"]] = field(default_factory=dict)
    ends: list["_End"] = field(default_factory=list)

    def follow(self, names: tuple[str, ...]) -> "_Node":
        """Return the node for a place with these alternatives after this one."""
        for node in self.following.get(names[0], ()):
            if node.names == names:
                return node
        node = _Node(names)
        for name in names:
            self.following.setdefault(name, []).append(node)
        return node

    @cached_property
    def symbols(self) -> list[str]:
        """Return what may follow and is no word."""
        return [name for name in self.following if name.isupper()]

    @cached_property
    def is_given(self) -> bool:
        """Return whether what stands here is given to the function that reads the row."""
        return any(name.isupper() for name in self.names)


class _End(NamedTuple):
    """The end of a row's pattern: which argument each capital of it is, of how many, and the row's order among all."""

    numbers: tuple[int, ...]
    arguments: int
    row: Row
    order: int
    is_single: bool


class Grammar:
    """Rows by symbol. Of two readings of the same words the earlier row's counts."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self.roots = {symbol: _Node() for symbol in rows}
        for order, (symbol, row) in enumerate((symbol, row) for symbol, each in rows.items() for row in each):
            _add_row(self.roots[symbol], row, order)
        self.words = frozenset(name for root in self.roots.values() for name in root.following)


def _add_row(root: _Node, row: Row, order: int) -> None:
    """Add a row's pattern, with and without what may be left out."""
    groups: list[tuple[str, ...]] = []
    for part in row.pattern.replace("[", "\n[").replace("]", "]\n").splitlines():
        group = part.strip(" []")
        groups += [(group, "")] if part.startswith("[") else [(word,) for word in group.split()]
    places = [
        (at, nth) for at, group in enumerate(groups) for nth, word in enumerate(group[0].split()) if _is_given(word)
    ]
    for choice in product(*groups):
        chosen = [(at, nth, word) for at, group in enumerate(choice) for nth, word in enumerate(group.split())]
        node = root
        for _, _, word in chosen:
            node = node.follow(tuple(word.split("|")))
        numbers = tuple(places.index((at, nth)) for at, nth, word in chosen if _is_given(word))
        node.ends.append(_End(numbers, len(places), row, order, is_single=len(chosen) == 1))


def _is_given(word: str) -> bool:
    """Whether what stands at a place is given to the function that reads the row."""
    return any(name.isupper() for name in word.split("|"))


class _Ending(NamedTuple):
    match: Match
    order: int


@dataclass
class Chart:
    """The readings of a text's tokens by a grammar, each worked out once."""

    grammar: Grammar
    tokens: Sequence[Token]
    base: Base
    _found: dict[tuple[str, int], list[Match]] = field(default_factory=dict)
    _depth: int = 0

    def match(self, symbol: str, at: int) -> list[Match]:
        """Return what a symbol matches from a token on, the longest first; the first row's of the same length."""
        if (symbol, at) not in self._found:
            if at >= len(self.tokens) or self._depth >= DEEPEST:
                return []
            self._depth += 1
            ends: dict[int, _Ending] = {}
            self._walk(self.grammar.roots[symbol], at, (), Level.SURE, ends)
            self._depth -= 1
            found = (ending.match for ending in ends.values())
            self._found[symbol, at] = sorted(found, reverse=True, key=lambda match: match.end)
        return self._found[symbol, at]

    def _walk(self, node: _Node, at: int, values: tuple[Any, ...], level: Level, ends: dict[int, _Ending]) -> None:
        """Collect what matches from a token on after what is given."""
        if at >= len(self.tokens):
            return
        token, following = self.tokens[at], node.following
        for after in following.get(token.word, ()):
            self._enter(after, at + 1, values, None, level, ends)
        for kind, value in token.kinds.items():
            for after in following.get(kind, ()):
                self._enter(after, at + 1, values, value, level, ends)
        for symbol in node.symbols:
            for match in self.match(symbol, at) if symbol in self.grammar.roots else ():
                for after in following[symbol]:
                    self._enter(after, match.end, values, match.value, match.level, ends)
        if token.joins and node.names:  # Tue, 13 Jan. 2026
            self._walk(node, at + 1, values, level, ends)

    def _enter(
        self, node: _Node, at: int, values: tuple[Any, ...], value: Any, level: Level, ends: dict[int, _Ending]
    ) -> None:
        values = (*values, value) if node.is_given else values
        for end in node.ends:
            if (at not in ends or end.order < ends[at].order) and (match := self._read(end, at, values, level)):
                ends[at] = _Ending(match, end.order)
        if node.following:
            self._walk(node, at, values, level, ends)

    def _read(self, end: _End, at: int, values: tuple[Any, ...], level: Level) -> Match | None:
        arguments: list[Any] = [None] * end.arguments
        for number, value in zip(end.numbers, values, strict=True):
            arguments[number] = value
        found: Any = next((value for value in values if isinstance(value, NoSuchDay)), None)
        try:
            found = found or end.row.read(self.base, *arguments)
        except NoSuchDay as exc:
            found = exc
        except (ValueError, OverflowError):  # beyond the years a date can have
            return None
        if found is None:
            return None
        return Match(at, found, max(end.row.level, level) if end.is_single else end.row.level)
