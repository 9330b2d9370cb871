"""A call that is weighed, and what it touches."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ana.errors import ToolError
from ana.memory.changes import Kind
from ana.memory.item import Item
from ana.memory.operations import apply_to, list_given, read_operation
from ana.memory.search.tokens import tokenize
from ana.time.dates import day_of
from ana.values import Json, Properties, iter_texts, list_others

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Touched:
    """A record that a write touches.

    Args:
        kind: item or line.
        id: Its id or number.
        now: The record as it is; None if the write brings it back.
        removed: Whether the write deletes it.
        after: The record as an undo leaves it; None if it goes, or if the write is none.
    """

    kind: Kind
    id: str
    now: Item | None
    removed: bool
    after: Item | None = None

    @property
    def text(self) -> str:
        """What it says; its id where that is not known."""
        return self.now.content if self.now else self.id


@dataclass(frozen=True)
class Write:
    """A call that may write and has not run yet.

    Args:
        call: Its id.
        name: The tool.
        args: As its schema has them.
        touched: The records it touches; none for one that it makes, or if the tool is a person's own.
        own: Whether the tool is a person's own, of which nobody knows what it does.
        shared: Values of its properties, or of those of the records, that other items have too: they name nothing.
    """

    call: str
    name: str
    args: Mapping[str, Any]
    touched: tuple[Touched, ...] = ()
    own: bool = False
    shared: frozenset[str] = frozenset()

    @property
    def content(self) -> str:
        """The text that it writes; empty if it writes none."""
        given = "" if self.own else self.args.get("content") or ""
        return " ".join(iter_texts(given))

    @property
    def given(self) -> Properties:
        """The properties that it gives an item."""
        return {} if self.own else self.args.get("properties") or {}

    @property
    def values(self) -> list[str]:
        """The values of these properties as a message may say them; of objects also the keys: of a move both days."""
        return [part for value in self.given.values() for part in _flatten(value)]

    @property
    def lost(self) -> list[Json]:
        """The entries that lists of an item lose; none if it goes itself, or a list goes whole.

        One that comes back with other numbers is not lost: gas 13, gas 15.
        """
        return [entry for old, new in self._lists() for entry in _find_gone(old, new)]

    @property
    def added(self) -> list[str]:
        """The entries that lists of an item get, in words, if that is all it does; none of one that loses any."""
        added = [value["$add"] for value in self.given.values() if isinstance(value, dict) and {*value} == {"$add"}]
        entries = [entry for each in added for entry in (each if isinstance(each, list) else ())]
        is_all = len(added) == len(self.given) and all(isinstance(each, list) for each in added)
        return [str(entry) for entry in entries] if is_all else []

    @property
    def shifts(self) -> set[int]:
        """By how many days it moves the dates that it gives; empty if it gives anything else."""
        days = [(day_of(value), day_of(self.before.get(name))) for name, value in self.given.items()]
        moved = [(new - old).days for new, old in days if new and old]
        return {*moved} if len(moved) == len(days) and not self.content else set()

    @property
    def kept(self) -> list[Json]:
        """The entries that those lists keep."""
        return [entry for old, new in self._lists() for entry in list_others(old, list_others(old, new))]

    def _lists(self) -> Iterator[tuple[list[Json], Sequence[Json]]]:
        """Yield each list that is changed and does not go whole, and what becomes of it."""
        for name, value in self.given.items():
            old = self.before.get(name)
            with suppress(ToolError):  # what cannot be carried out takes nothing
                new = apply_to(old, read_operation(name, value))
                if isinstance(old, list) and new:
                    yield old, list_given(new)

    @property
    def before(self) -> Properties:
        """The properties of the item that it changes or deletes; an undo touches whatever a turn did."""
        now = self.touched[0].now if self.touched and self.name != "undo" else None
        return now.properties if now else {}


def _find_gone(old: Sequence[Json], new: Sequence[Json]) -> Iterator[Json]:
    come = Counter(_DIGITS.sub("", str(entry)) for entry in list_others(new, old))
    for entry in list_others(old, new):
        words = _DIGITS.sub("", str(entry))
        if come[words] <= 0 or not tokenize(words):
            yield entry
        come[words] -= 1


def _flatten(value: Json) -> list[str]:
    if isinstance(value, dict):
        keys = [key for key in value if not key.startswith("$")]
        return [*keys, *(part for each in value.values() for part in _flatten(each))]
    return [part for each in value for part in _flatten(each)] if isinstance(value, list) else [str(value)]
