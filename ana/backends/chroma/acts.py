"""Acts: changes of Chroma, made completely or not at all, and their journal. Intent, write, read back, done.

An act is one change or thousands. The journal says what every record was and will be before Chroma is touched, so the
next user of the folder can settle an act that was cut short.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from ana.backends.chroma.collection import ChromaCollection
from ana.backends.sql.journal import SCHEMA, JournalTable
from ana.embedders.base import Vectors
from ana.errors import DuplicateItem, StoreBroken
from ana.files import compact_database, connect_own
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, combine, net
from ana.memory.item import Item

_ACT = "act"
"""The counter below whose number no act is numbered, whatever is in the table."""

OPEN = 2**40
"""From this number on entries wait that are not done; there are never so many that are."""

_OPEN = f"""PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {SCHEMA}
UPDATE writes SET seq = seq + {OPEN} WHERE NOT done AND seq < {OPEN}"""
"""An intent must be on disk before Chroma is touched. An earlier version numbered entries as they began."""


class Journal(JournalTable):
    """Every write in order, in SQLite beside Chroma, and counters that never go back. Used while the folder is held.

    An entry is found by the key of the call that caused it, so that a call that runs again changes nothing twice.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(self._open)
        self._path = path
        self._db: sqlite3.Connection | None = None

    def erase(self, records: Collection[RecordKey]) -> None:
        """Remove every entry of these records, even from the file's free pages."""
        with self._open():
            self.delete(records)
        self.close()
        compact_database(self._path)

    def begin(self, entries: Sequence[Entry]) -> int:
        """Enter an act before it is made, in place of unfinished entries with the same keys, and return its number.

        Acts are numbered as they begin, entries as they are done.
        """
        with self._open() as db:
            db.executemany("DELETE FROM writes WHERE key = ? AND NOT done", [(e.key,) for e in entries if e.key])
            act = self.get_next_number(_ACT) or db.execute("SELECT coalesce(max(act), 0) + 1 FROM writes").fetchone()[0]
            self.raise_number(_ACT, act + 1)
            self.insert(entries, act, max(self.get_next_seq(), OPEN), done=False)
        return int(act)

    def finish(self, act: int) -> None:
        """Note that an act was done and read back; its entries come after all finished ones."""
        with self._open() as db:
            rows = db.execute("SELECT seq FROM writes WHERE act = ? AND NOT done ORDER BY seq", (act,)).fetchall()
            moves = [(seq, old) for seq, (old,) in enumerate(rows, self.get_next_seq(f"seq < {OPEN}"))]
            db.executemany("UPDATE writes SET seq = ?, done = 1 WHERE seq = ?", moves)

    def drop(self, act: int) -> None:
        """Remove an act that was not done."""
        with self._open() as db:
            db.execute("DELETE FROM writes WHERE act = ? AND NOT done", (act,))

    def list_unfinished(self) -> dict[int, list[Entry]]:
        """Return the acts that are neither done nor dropped, the oldest first."""
        acts = [act for (act,) in self._open().execute("SELECT DISTINCT act FROM writes WHERE NOT done ORDER BY act")]
        return {act: self.select("NOT done AND act = ? ORDER BY seq", act) for act in acts}

    def was_changed_after(self, change: Change, act: int) -> bool:
        """Return whether a later act wrote the record of a change."""
        later = "SELECT 1 FROM writes WHERE kind = ? AND id = ? AND act > ? AND done"
        return self._open().execute(later, (change.kind, change.id, act)).fetchone() is not None

    def reserve_numbers(self, name: str, below: int) -> None:
        """Make sure that a counter never gives a number below this."""
        with self._open():
            self.raise_number(name, below)

    def fill(self, entries: Sequence[Entry]) -> None:
        """Enter the changes of another store, each entry under its number there."""
        with self._open():
            for entry in entries:
                self.insert([entry], entry.seq, entry.seq, done=True)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = connect_own(self._path, script=_OPEN, check_same_thread=False)
        return self._db


class Acts:
    """Makes changes in the collections and enters them in the journal. Used only while the folder is held."""

    def __init__(self, collections: Mapping[Kind, ChromaCollection], journal: Journal) -> None:
        self._collections = collections
        self._journal = journal

    def make(
        self, entries: Sequence[Entry], expected: Expected, vectors: Vectors, *, distinct: bool = False
    ) -> list[Change]:
        """Make changes, completely or not at all, as `Backend.apply`; vectors of new texts may be computed already.

        Raises:
            StoreBroken: A record that was read back differs from the one written. The act is settled later.
        """
        self.settle()
        if earlier := find_earlier_change(self._journal.find, entries):
            return [earlier]
        check_expected(expected, self._read(expected))
        changes = net(entry.change for entry in entries)
        for change in changes if distinct else ():
            if change.after and (same := self._collections[change.kind].find_same(change.after)):
                raise DuplicateItem(same[0])
        act = self._journal.begin(entries)  # from here on a crash leaves an act that can be settled
        self._write(changes, vectors)
        now = self._read([change.key for change in changes])
        for change in changes:
            if now.get(change.key) != change.after:
                raise StoreBroken(f"The store did not save {change.kind} {change.id} as it was written.", "Try again.")
        self._journal.finish(act)
        self.settle(has_written=True)  # a write succeeded, so what earlier ones left can be judged now
        return combine(entry.change for entry in entries)

    def settle(self, *, has_written: bool = False) -> None:
        """Settle the unfinished acts of a process that died or of a failed write.

        An act that is complete in Chroma is marked done; an incomplete one is reversed. An act that wrote nothing is
        not done, but on a full disk Chroma may return an old state, so the act stays open until a later write has
        succeeded.
        """
        for act, entries in self._journal.list_unfinished().items():
            changes = net(entry.change for entry in entries)
            now = self._read([change.key for change in changes])
            same = [change for change in changes if now.get(change.key) == change.after]
            own = [change for change in same if not self._journal.was_changed_after(change, act)]
            if len(own) == len(changes):
                self._journal.finish(act)
                continue
            self._write([Change(c.kind, c.id, c.after, c.before) for c in own])  # back to what they were
            if own or has_written:
                self._journal.drop(act)

    def _write(self, changes: Iterable[Change], vectors: Vectors | None = None) -> None:
        for kind, collection in self._collections.items():
            mine = [change for change in changes if change.kind == kind]
            collection.remove([change.id for change in mine if change.after is None])
            collection.put([(change.after, change.before) for change in mine if change.after is not None], vectors)

    def _read(self, keys: Collection[RecordKey]) -> dict[RecordKey, Item]:
        return {
            (kind, item.id): item
            for kind, collection in self._collections.items()
            for item in collection.source.get_items([id for k, id in keys if k == kind])
        }
