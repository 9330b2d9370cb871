"""Acts: changes of Chroma, made completely or not at all. Intent, write, read back, done.

An act is one change or thousands. The journal says what every record was and will be before Chroma is touched, so the
next user of the folder can settle an act that was cut short.
"""

from collections.abc import Iterable, Mapping, Sequence

from ana.backends.chroma.collection import ChromaCollection
from ana.backends.chroma.journal import Journal
from ana.embedders.base import Vectors
from ana.errors import DuplicateItem, StoreBroken
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, combine, net
from ana.memory.item import Item


class Acts:
    """Makes changes in the collections and enters them in the journal. Used only while the folder is held."""

    def __init__(self, collections: Mapping[Kind, ChromaCollection], journal: Journal) -> None:
        self._collections = collections
        self._journal = journal

    def make(
        self, entries: Sequence[Entry], expected: Expected, vectors: Vectors, *, distinct: bool = False
    ) -> list[Change]:
        """Make changes, completely or not at all.

        Args:
            entries: The changes in order; several may be of one record.
            expected: Records that must be as given.
            vectors: Vectors of new texts that were already computed.
            distinct: Whether a new item that says the same as an existing one is refused.

        Returns:
            As `Backend.apply`, with its errors.

        Raises:
            StoreBroken: A record does not read as it was written. The act is settled later.
        """
        self.settle()
        if earlier := find_earlier_change(self._journal.find, entries):
            return [earlier]
        check_expected(expected, self._read_expected(expected))
        changes = net(entry.change for entry in entries)
        if distinct:
            self._refuse_copies(changes)
        act = self._journal.begin(entries)  # from here on a crash leaves an act that can be settled
        self._write(changes, vectors)
        for change, now in self._read(changes):
            if now != change.after:
                raise StoreBroken(f"The store did not save {change.kind} {change.id} as it was written.", "Try again.")
        self._journal.finish(act)
        self.settle(has_written=True)  # a write succeeded, so what earlier ones left can be judged now
        return combine(entry.change for entry in entries)

    def settle(self, *, has_written: bool = False) -> None:
        """Settle the acts that a process that died or a write that failed has left unfinished.

        An act that is complete in Chroma is done; an incomplete one is reversed. One that wrote nothing is not done,
        but on a full disk Chroma may return an old state, so it stays open until a later write succeeds.

        Args:
            has_written: Whether a write has succeeded since.
        """
        for act, entries in self._journal.list_unfinished().items():
            changes = net(entry.change for entry in entries)
            read = [(c, now) for c, now in self._read(changes) if not self._journal.was_changed_after(c, act)]
            made = [change for change, now in read if now == change.after]
            if len(made) == len(changes):
                self._journal.finish(act)
                continue
            self._write([Change(c.kind, c.id, c.after, c.before) for c in made])  # back to what they were
            if made or has_written:
                self._journal.drop(act)

    def _write(self, changes: Iterable[Change], vectors: Vectors | None = None) -> None:
        for kind, collection in self._collections.items():
            mine = [change for change in changes if change.kind == kind]
            collection.remove([change.id for change in mine if change.after is None])
            collection.put([(change.after, change.before) for change in mine if change.after is not None], vectors)

    def _read(self, changes: Sequence[Change]) -> list[tuple[Change, Item | None]]:
        """Return each change with what its record is now."""
        found = {
            kind: {item.id: item for item in collection.get_many([c.id for c in changes if c.kind == kind])}
            for kind, collection in self._collections.items()
        }
        return [(change, found[change.kind].get(change.id)) for change in changes]

    def _read_expected(self, expected: Expected) -> dict[RecordKey, Item | None]:
        """Return the current state of the expected records."""
        # a record that should be absent is looked up in the index, which is faster than Chroma
        found: dict[RecordKey, Item | None] = {}
        for kind, collection in self._collections.items():
            absent = [id for (k, id), item in expected.items() if k == kind and item is None]
            taken = collection.find_existing(absent) if absent else set()
            wanted = [id for (k, id), item in expected.items() if k == kind and (item or id in taken)]
            if wanted:
                found |= {(kind, item.id): item for item in collection.get_many(wanted)}
        return found

    def _refuse_copies(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if change.after and (same := self._collections[change.kind].find_same(change.after)):
                raise DuplicateItem(same[0])
