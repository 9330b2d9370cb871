"""The one way to change what is known: intent, write, read back, done; one change or many, all of them or none."""

from collections.abc import Iterable, Mapping, Sequence

from ana.backends.chroma.collection import ChromaStore
from ana.backends.chroma.journal import Journal
from ana.errors import StoreBroken
from ana.memory.changes import Change, Entry, Kind, net
from ana.memory.item import Item


class Acts:
    """Makes changes in the stores and writes them down in the journal. Used only while the folder is held.

    Args:
        stores: Where the records of each kind lie.
        journal: Where what happened is written down.
    """

    def __init__(self, stores: Mapping[Kind, ChromaStore], journal: Journal) -> None:
        self._stores = stores
        self._journal = journal

    def do(self, entries: Sequence[Entry]) -> None:
        """Make changes, as a whole or not at all.

        Args:
            entries: What is to be written down, in order; several may change one record.

        Raises:
            StoreBroken: What is read back is not what was written. The act is settled later.
        """
        changes = net(entry.change for entry in entries)
        act = self._journal.begin(entries)
        self._apply(changes)
        for change, now in self._read(changes):
            if now != change.after:
                raise StoreBroken(f"The store did not keep {change.kind} {change.id} as it was written.", "Try again.")
        self._journal.finish(act)

    def settle(self, *, sure: bool = False) -> None:
        """End what was begun and not ended, by a process that died or a write that failed.

        What is all there was done. What is partly there is put back. What is not there was not done; but on a full disk
        Chroma may tell a state that its log has passed, so it stays open until a later write has succeeded.

        Args:
            sure: Whether a write has succeeded since.
        """
        for act, entries in self._journal.unfinished().items():
            changes = net(entry.change for entry in entries)
            read = [(c, now) for c, now in self._read(changes) if not self._journal.changed_since(c, act)]
            made = [change for change, now in read if now == change.after]
            if len(made) == len(changes):
                self._journal.finish(act)
                continue
            self._apply([Change(c.kind, c.id, c.after, c.before) for c in made])
            if made or sure:
                self._journal.drop(act)

    def _apply(self, changes: Iterable[Change]) -> None:
        for kind, store in self._stores.items():
            mine = [change for change in changes if change.kind == kind]
            store.remove([change.id for change in mine if change.after is None])
            store.put([(change.after, change.before) for change in mine if change.after is not None])

    def _read(self, changes: Sequence[Change]) -> list[tuple[Change, Item | None]]:
        """Each change with what its record is now."""
        found = {
            kind: {item.id: item for item in store.some([c.id for c in changes if c.kind == kind])}
            for kind, store in self._stores.items()
        }
        return [(change, found[change.kind].get(change.id)) for change in changes]
