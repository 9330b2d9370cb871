"""Reading a filter beside what is stored: the case of a property's name makes no difference, as in values."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

from ana.memory.backend import Backend
from ana.memory.filters import OWN_KEYS, And, Compare, Node, Or, find_keys, parse
from ana.memory.tally import Tally
from ana.time.clock import Clock
from ana.values import Json

KEYS = "keys"
_OWN = frozenset(OWN_KEYS)


class FilterReader:
    """Reads filters with the names that items have."""

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self._clock = clock
        self._tally = Tally(backend, lambda: {KEYS: Counter(backend.list_keys())}, lambda item, _: {*item.properties})

    def read(self, where: Mapping[str, Json] | None) -> Node:
        """Return a filter as a tree, with each name that no item has as the commonest one that differs only in case.

        Raises:
            ToolError: It is not a filter.
        """
        node = parse(where, self._clock.zone, self._clock.now().date())
        if find_keys(node) <= _OWN:
            return node
        counts = self._tally.read()[KEYS]
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
