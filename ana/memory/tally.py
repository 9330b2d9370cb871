"""Names counted over all items once, then kept up to date by the journal; filters are read with them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from ana.memory.backend import Backend, JournalPosition, list_since
from ana.memory.changes import Entry
from ana.memory.filters import OWN_KEYS, And, Compare, Node, Or, find_keys, parse
from ana.memory.item import Item
from ana.time.clock import Clock
from ana.values import Json

FEW = 100
"""Entries of the journal that are followed; after more of them it is quicker to count again."""

Counts = Mapping[str, Counter[str]]

_KEYS = "keys"
_OWN = frozenset(OWN_KEYS)


class Tally:
    """The number of items that have each name, by the kind of name; names that are no longer used may stay, with 0."""

    def __init__(
        self, backend: Backend, count_all: Callable[[], Counts], list_item_names: Callable[[Item, str], set[str]]
    ) -> None:
        self._backend = backend
        self._count_all = count_all
        self._names_of = list_item_names
        self._counted: tuple[JournalPosition, Counts] | None = None

    def read(self) -> Counts:
        """Return the present counts; the same object as long as nothing was written."""
        # what is kept is never changed, only exchanged as a whole: several threads may be here
        known = self._counted
        if known and known[0] == self._backend.position():
            return known[1]
        with self._backend.reading():
            now = self._backend.position()
            since = list_since(self._backend, known[0], FEW) if known else None
            # few entries are followed, if all of them are there
            counts = self._count_all() if known is None or since is None else self._add(known[1], since)
            self._counted = now, counts
            return counts

    def read_last(self) -> Counts:
        """Return the counts of the last read, without checking for later writes."""
        return self._counted[1] if self._counted else self.read()

    def _add(self, counts: Counts, entries: Iterable[Entry]) -> Counts:
        new = {kind: each.copy() for kind, each in counts.items()}
        for change in (entry.change for entry in entries if entry.change.kind == "item"):
            for kind, each in new.items():
                each.update(self._names_of(change.after, kind) if change.after else ())
                each.subtract(self._names_of(change.before, kind) if change.before else ())
        return new


class FilterReader:
    """Reads filters with the names that items have: their case makes no difference, as in values."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self._clock = clock
        self._tally = Tally(backend, lambda: {_KEYS: Counter(backend.list_keys())}, lambda item, _: {*item.properties})

    def read(self, where: Mapping[str, Json] | None) -> Node:
        """Return a filter as a tree; a name that no item has becomes the most frequent name that differs only in case.

        Raises ToolError.
        """
        node = parse(where, self._clock.zone, self._clock.now().date())
        if find_keys(node) <= _OWN:
            return node
        counts = self._tally.read()[_KEYS]
        names = {name for name, count in counts.items() if count > 0} | _OWN
        if find_keys(node) <= names:
            return node
        # a name of every item's own counts more than any that items were given
        rising = sorted(sorted(names, reverse=True), key=lambda name: (name in _OWN, counts[name]))
        return _respell(node, {name.casefold(): name for name in rising}, names)


def _respell(node: Node, spelled: Mapping[str, str], known: Collection[str]) -> Node:
    if isinstance(node, And | Or):
        return replace(node, parts=tuple(_respell(part, spelled, known) for part in node.parts))
    if isinstance(node, Compare) and node.key not in known:
        return replace(node, key=spelled.get(node.key.casefold(), node.key))
    return node
