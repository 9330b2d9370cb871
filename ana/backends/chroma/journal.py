"""The journal: every write in order, in SQLite beside Chroma.

Every write is an entry: the record before and after, and whether the write was done and read back. An entry is found by
the key of the call that caused it, so a call that runs again changes nothing twice.
"""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

from ana.files import compact_database, connect_own
from ana.memory.backend import JournalPosition, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item

SCHEMA = """
CREATE TABLE IF NOT EXISTS writes (
    seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, key TEXT UNIQUE, ts TEXT NOT NULL, thread TEXT NOT NULL,
    turn TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT, done INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS writes_by_record ON writes (kind, id);
CREATE INDEX IF NOT EXISTS writes_by_turn ON writes (turn);
CREATE INDEX IF NOT EXISTS writes_of_deletion ON writes (kind, id) WHERE after IS NULL;
CREATE INDEX IF NOT EXISTS writes_unfinished ON writes (act) WHERE NOT done;
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""

ENTRY, ACT = "entry", "act"
"""The counters below whose numbers no entry and no act is numbered, whatever is in the table."""

_FAR = 2**40
"""More entries than there are; the numbers of entries that are moved out of the way are negative."""


class Journal:
    """The list of changes, and the counters that never go back. Used only while the folder is held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None

    def find(self, key: str) -> Change | None:
        """Return the change that the call with this key made."""
        found = self._entries("done AND key = ?", key)
        return found[0].change if found else None

    def latest(self, kind: Kind) -> list[Entry]:
        """Return the last entry of every record of a kind."""
        last = "seq IN (SELECT max(seq) FROM writes WHERE kind = ? AND done GROUP BY id)"
        return self._entries(f"{last} ORDER BY seq", kind)

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        """Return the entries that were done, the newest first. Arguments as in `Backend.entries`."""
        of_turn = "" if turn is None else " AND turn = ?1"
        of_record = "" if id is None else " AND kind IN ('item', 'line') AND id = ?2"
        return self._entries(
            f"done AND ts >= ?3{of_turn}{of_record} ORDER BY seq DESC LIMIT ?4", turn, id, since, limit
        )

    def position(self) -> JournalPosition:
        """Return number and time of the newest entry; no time if it was erased."""
        row = self._open().execute("SELECT seq, ts FROM writes WHERE done ORDER BY seq DESC LIMIT 1").fetchone()
        last, erased = row or (0, ""), self.next_number(ENTRY) - 1
        return last if last[0] >= erased else (erased, "")

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        """Return the last deletion of every record that was deleted, the newest first. Argument as in `Backend`."""
        of_record, values = (" AND kind = ? AND id = ?", record) if record else ("", ())
        last = f"SELECT max(seq) FROM writes WHERE done AND before NOT NULL AND after IS NULL{of_record}"
        return self._entries(f"seq IN ({last} GROUP BY kind, id) ORDER BY seq DESC", *values)

    def turns(self, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        """Return the turns that wrote something with their threads, the last first. Arguments as in `Backend`."""
        of_turn = "FROM writes WHERE turn = last.turn AND done"
        begin = " AND turn BETWEEN ?2 AND ?2 || char(0x10ffff)" if prefix else ""
        # from the end of the journal, so that the newest turns are found without reading the rest
        last = (
            f"SELECT turn, (SELECT max(thread) {of_turn}) AS whole FROM writes AS last WHERE done{begin}"
            f" AND seq = (SELECT max(seq) {of_turn}) AND (?1 IS NULL OR whole = ?1) ORDER BY seq DESC LIMIT ?3"
        )
        return dict(self._open().execute(last, (thread, prefix, limit)).fetchall())

    def erase(self, records: Collection[RecordKey]) -> None:
        """Remove every entry of these records, also from the file's free pages. Their numbers are not given again."""
        self.reserve_numbers(ENTRY, self._next_seq("done"))
        with self._open() as db:
            db.executemany("DELETE FROM writes WHERE kind = ? AND id = ?", records)
        self.close()
        compact_database(self._path)

    def begin(self, entries: Sequence[Entry]) -> int:
        """Enter an act before it is made, in place of unfinished entries with the same keys, and return its number."""
        with self._open() as db:
            db.executemany("DELETE FROM writes WHERE key = ? AND NOT done", [(e.key,) for e in entries if e.key])
            first = self._next_seq()
            act = max(first, self.next_number(ACT))
            db.executemany(
                "INSERT INTO writes (seq, act, key, ts, thread, turn, kind, id, before, after)"
                " VALUES (?,?,?,?,?,?,?,?,?,?)",
                [(seq, act, e.key, e.ts, e.thread, e.turn, *_to_row(e.change)) for seq, e in enumerate(entries, first)],
            )
        return act

    def finish(self, act: int) -> None:
        """Note that an act was done and read back; its entries follow all that are done."""
        self._number_in_order(act)
        with self._open() as db:
            db.execute("UPDATE writes SET done = 1 WHERE act = ? AND NOT done", (act,))

    def _number_in_order(self, act: int) -> None:
        """Give an act the next numbers, where another that was begun before or after it is open or was dropped."""
        begun = self._open().execute("SELECT min(seq) FROM writes WHERE act = ? AND NOT done", (act,)).fetchone()[0]
        following = self._next_seq("done")
        if begun in (None, following):
            return
        self.reserve_numbers(ACT, self._next_seq())  # acts are numbered as they begin
        with self._open() as db:
            # all that are open out of the way first
            db.execute("UPDATE writes SET seq = seq - ? WHERE NOT done AND seq >= ?", (_FAR, following))
            rows = db.execute("SELECT seq FROM writes WHERE act = ? AND NOT done ORDER BY seq", (act,)).fetchall()
            moves = [(seq, old) for seq, (old,) in enumerate(rows, following)]
            db.executemany("UPDATE writes SET seq = ? WHERE seq = ?", moves)

    def _next_seq(self, which: str = "1") -> int:
        """Return the number after the last entry of those that are meant."""
        row = self._open().execute(f"SELECT seq FROM writes WHERE {which} ORDER BY seq DESC LIMIT 1").fetchone()
        return max(int(row[0]) + 1 if row else 1, self.next_number(ENTRY), 1)

    def drop(self, act: int) -> None:
        """Remove an act that was not done."""
        with self._open() as db:
            db.execute("DELETE FROM writes WHERE act = ? AND NOT done", (act,))

    def list_unfinished(self) -> dict[int, list[Entry]]:
        """Return the acts that are neither done nor dropped, the oldest first."""
        acts = [act for (act,) in self._open().execute("SELECT DISTINCT act FROM writes WHERE NOT done ORDER BY act")]
        return {act: self._entries("NOT done AND act = ? ORDER BY seq", act) for act in acts}

    def was_changed_after(self, change: Change, act: int) -> bool:
        """Return whether a later act wrote the record of a change."""
        later = "SELECT 1 FROM writes WHERE kind = ? AND id = ? AND act > ? AND done"
        return self._open().execute(later, (change.kind, change.id, act)).fetchone() is not None

    def next_number(self, name: str) -> int:
        """Return the number that is next in a counter."""
        row = self._open().execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def reserve_numbers(self, name: str, below: int) -> None:
        """Make sure that a counter never gives a number below this."""
        with self._open() as db:
            db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (name, max(below, self.next_number(name))))

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _entries(self, where: str, *values: object) -> list[Entry]:
        rows = self._open().execute(
            f"SELECT seq, ts, thread, turn, key, kind, id, before, after FROM writes WHERE {where}", values
        )
        return [
            Entry(ts, thread, turn, Change(kind, id, _load(before), _load(after)), key, seq)
            for seq, ts, thread, turn, key, kind, id, before, after in rows
        ]

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


def _to_row(change: Change) -> tuple[str, str, str | None, str | None]:
    return change.kind, change.id, _dump(change.before), _dump(change.after)


def _dump(item: Item | None) -> str | None:
    return None if item is None else json.dumps(asdict(item))


def _load(text: str | None) -> Item | None:
    return None if text is None else Item(**json.loads(text))
