"""Reading a filter beside what is stored: the case of a property's name makes no difference, as in values."""

from collections.abc import Mapping
from dataclasses import replace

from ana.memory.backend import Backend
from ana.memory.filters import OWN_KEYS, And, Compare, Node, Or, find_keys, parse
from ana.time.clock import Clock
from ana.values import Json


class FilterReader:
    """Reads filters with the names that items have.

    Args:
        backend: The store.
        clock: The person's clock.
    """

    def __init__(self, backend: Backend, clock: Clock) -> None:
        self._backend = backend
        self._clock = clock
        self._known = frozenset(OWN_KEYS)

    def read(self, where: Mapping[str, Json] | None) -> Node:
        """Return a filter as a tree, with each name that no item has as the commonest one that differs only in case.

        A name that some item had when names were last listed is taken as it is written.

        Raises:
            ToolError: It is not a filter.
        """
        node = parse(where, self._clock.zone, self._clock.now().date())
        # the names are listed only for one that was never seen: that takes longer than most queries
        if find_keys(node) <= self._known:
            return node
        names = [*OWN_KEYS, *self._backend.list_keys()]
        self._known = frozenset(names)
        return _respell(node, {name.casefold(): name for name in reversed(names)}, self._known)


def _respell(node: Node, spelled: Mapping[str, str], known: frozenset[str]) -> Node:
    if isinstance(node, And | Or):
        return replace(node, parts=tuple(_respell(part, spelled, known) for part in node.parts))
    if isinstance(node, Compare) and node.key not in known:
        return replace(node, key=spelled.get(node.key.casefold(), node.key))
    return node
