"""The journal: every write in order, in SQLite beside Chroma.

Every write is an entry: the record before and after, and whether the write was done and read back. An entry is found by
the key of the call that caused it, so a call that runs again changes nothing twice.
"""

import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from ana.backends.sql.journal import SCHEMA, JournalTable
from ana.files import compact_database, connect_own
from ana.memory.backend import RecordKey
from ana.memory.changes import Change, Entry

_ACT = "act"
"""The counter below whose number no act is numbered, whatever is in the table."""

_FAR = 2**40
"""More entries than there are; the numbers of entries that are moved out of the way are negative."""


class Journal(JournalTable):
    """The list of changes, and the counters that never go back. Used only while the folder is held."""

    def __init__(self, path: Path) -> None:
        super().__init__(self._open)
        self._path = path
        self._db: sqlite3.Connection | None = None

    def erase(self, records: Collection[RecordKey]) -> None:
        """Remove every entry of these records, also from the file's free pages."""
        with self._open():
            self.delete(records)
        self.close()
        compact_database(self._path)

    def begin(self, entries: Sequence[Entry]) -> int:
        """Enter an act before it is made, in place of unfinished entries with the same keys, and return its number."""
        with self._open() as db:
            db.executemany("DELETE FROM writes WHERE key = ? AND NOT done", [(e.key,) for e in entries if e.key])
            first = self.next_seq()
            act = max(first, self.next_number(_ACT))  # as acts begin, while entries are numbered as they are done
            self.raise_number(_ACT, act + 1)
            self.insert(entries, act, first, done=False)
        return act

    def finish(self, act: int) -> None:
        """Note that an act was done and read back; its entries follow all that are done."""
        with self._open() as db:
            self._number_in_order(db, act)
            db.execute("UPDATE writes SET done = 1 WHERE act = ? AND NOT done", (act,))

    def _number_in_order(self, db: sqlite3.Connection, act: int) -> None:
        """Give an act the next numbers, where another that was begun before or after it is open or was dropped."""
        begun = db.execute("SELECT min(seq) FROM writes WHERE act = ? AND NOT done", (act,)).fetchone()[0]
        following = self.next_seq("done")
        if begun in (None, following):
            return
        # all that are open out of the way first
        db.execute("UPDATE writes SET seq = seq - ? WHERE NOT done AND seq >= ?", (_FAR, following))
        rows = db.execute("SELECT seq FROM writes WHERE act = ? AND NOT done ORDER BY seq", (act,)).fetchall()
        moves = [(seq, old) for seq, (old,) in enumerate(rows, following)]
        db.executemany("UPDATE writes SET seq = ? WHERE seq = ?", moves)

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

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            db = connect_own(self._path, check_same_thread=False)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = FULL")  # an intent must be on disk before Chroma is touched
                db.executescript(SCHEMA)
            except sqlite3.Error:
                db.close()
                raise
            self._db = db
        return self._db
