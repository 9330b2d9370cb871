"""Names counted over all items once, and after that kept up to date by the journal."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ana.memory.backend import Backend
from ana.memory.changes import Entry
from ana.memory.item import Item

FEW = 100
"""Entries of the journal that are followed; after more of them it is quicker to count again."""

Counts = Mapping[str, Counter[str]]
Position = tuple[int, str]


class _Counted(NamedTuple):
    """Counts, and number and time of the journal's newest entry then; None for an empty journal."""

    entry: Position | None
    counts: Counts


class Tally:
    """How many items have each name, by the kind of name; a name that items had once may be there with 0.

    Args:
        backend: The store.
        count_all: Counts the names of all items.
        names_of: Returns the names of one kind that an item has.
    """

    def __init__(
        self, backend: Backend, count_all: Callable[[], Counts], names_of: Callable[[Item, str], set[str]]
    ) -> None:
        self._backend = backend
        self._count_all = count_all
        self._names_of = names_of
        self._counted: _Counted | None = None

    def read(self) -> Counts:
        """Return the present counts; the same object as long as nothing was written."""
        # what is kept is never changed, only exchanged as a whole: several threads may be here
        with self._backend.reading():
            newest = _position(self._backend.entries(limit=1))
            known = self._counted
            if known is None or known.entry != newest:
                self._counted = known = self._follow(known, newest) or _Counted(newest, self._count_all())
            return known.counts

    def _follow(self, known: _Counted | None, newest: Position | None) -> _Counted | None:
        """Return the count after the entries that came since; None if they are many, or not all of them are there."""
        if not known or not known.entry or not newest or not 0 < newest[0] - known.entry[0] <= FEW:
            return None
        *since, last = self._backend.entries(limit=newest[0] - known.entry[0] + 1)
        # after a purge or a restore, numbers may be those of other entries
        return _Counted(newest, self._add(known.counts, since)) if _position([last]) == known.entry else None

    def _add(self, counts: Counts, entries: Iterable[Entry]) -> Counts:
        """Return counts with what entries of the journal changed."""
        new = {kind: each.copy() for kind, each in counts.items()}
        for change in (entry.change for entry in entries if entry.change.kind == "item"):
            for kind, each in new.items():
                each.update(self._names_of(change.after, kind) if change.after else ())
                each.subtract(self._names_of(change.before, kind) if change.before else ())
        return new


def _position(entries: Sequence[Entry]) -> Position | None:
    return (entries[0].seq, entries[0].ts) if entries else None
