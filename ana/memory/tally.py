"""Names counted over all items once, and after that kept up to date by the journal."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ana.memory.backend import Backend, JournalPosition, list_since
from ana.memory.changes import Entry
from ana.memory.item import Item

FEW = 100
"""Entries of the journal that are followed; after more of them it is quicker to count again."""

Counts = Mapping[str, Counter[str]]


class _Counted(NamedTuple):
    """Counts, and where the journal stood then."""

    at: JournalPosition
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
            now = self._backend.position()
            known = self._counted
            if known is None or known.at != now:
                self._counted = known = self._follow(known, now) or _Counted(now, self._count_all())
            return known.counts

    def _follow(self, known: _Counted | None, now: JournalPosition) -> _Counted | None:
        """Return the count after the entries that came since; None if they are many, or not all of them are there."""
        since = list_since(self._backend, known.at, FEW) if known else None
        return None if known is None or since is None else _Counted(now, self._add(known.counts, since))

    def _add(self, counts: Counts, entries: Iterable[Entry]) -> Counts:
        """Return counts with what entries of the journal changed."""
        new = {kind: each.copy() for kind, each in counts.items()}
        for change in (entry.change for entry in entries if entry.change.kind == "item"):
            for kind, each in new.items():
                each.update(self._names_of(change.after, kind) if change.after else ())
                each.subtract(self._names_of(change.before, kind) if change.before else ())
        return new
