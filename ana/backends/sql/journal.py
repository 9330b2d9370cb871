"""The journal as a table of SQLite: every write in order, with the record before and after, and the cause."""

import json
import sqlite3
from collections.abc import Callable, Collection, Sequence

from ana.memory.backend import JournalPosition, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item, from_json, to_json

SCHEMA = """
CREATE TABLE IF NOT EXISTS writes (
    seq INTEGER PRIMARY KEY, act INTEGER NOT NULL, key TEXT UNIQUE, ts TEXT NOT NULL, thread TEXT NOT NULL,
    turn TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT, done INTEGER NOT NULL DEFAULT 0,
    source TEXT NOT NULL DEFAULT 'person');
CREATE INDEX IF NOT EXISTS writes_by_record ON writes (kind, id);
CREATE INDEX IF NOT EXISTS writes_by_turn ON writes (turn);
CREATE INDEX IF NOT EXISTS writes_of_deletion ON writes (kind, id) WHERE after IS NULL;
CREATE INDEX IF NOT EXISTS writes_unfinished ON writes (act) WHERE NOT done;
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
"""An entry counts once it is done: another database than Chroma has no others."""

ENTRY = "entry"
"""The counter below whose number no entry is numbered, whatever is in the table."""


class JournalTable:
    """Reads the table, and writes it in the caller's transaction. Methods with the same names as in `Backend` do the
    same.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect

    def find(self, key: str) -> Change | None:
        """Return the change that the call with this key made."""
        entries = self.select("done AND key = ?", key)
        return entries[0].change if entries else None

    def latest(self, kind: Kind) -> list[Entry]:
        last = "seq IN (SELECT max(seq) FROM writes WHERE kind = ? AND done GROUP BY id)"
        return self.select(f"{last} ORDER BY seq", kind)

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        of_turn = "" if turn is None else " AND turn = ?1"
        of_record = "" if id is None else " AND kind IN ('item', 'line') AND id = ?2"
        return self.select(f"done AND ts >= ?3{of_turn}{of_record} ORDER BY seq DESC LIMIT ?4", turn, id, since, limit)

    def position(self) -> JournalPosition:
        row = self._connect().execute("SELECT seq, ts FROM writes WHERE done ORDER BY seq DESC LIMIT 1").fetchone()
        last, erased = row or (0, ""), self.get_next_number(ENTRY) - 1
        return last if last[0] >= erased else (erased, "")

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        """Return the last deletion of every deleted record, even if the record exists again."""
        of_record, values = (" AND kind = ? AND id = ?", record) if record else ("", ())
        last = f"SELECT max(seq) FROM writes WHERE done AND before NOT NULL AND after IS NULL{of_record}"
        return self.select(f"seq IN ({last} GROUP BY kind, id) ORDER BY seq DESC", *values)

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        of_turn = "FROM writes WHERE turn = last.turn AND done"
        begin = " AND turn BETWEEN ?2 AND ?2 || char(0x10ffff)" if prefix else ""
        # from the end of the journal, so that the newest turns are found without reading the rest
        last = (
            f"SELECT turn, (SELECT max(thread) {of_turn}) AS whole FROM writes AS last WHERE done{begin}"
            f" AND seq = (SELECT max(seq) {of_turn}) AND (?1 IS NULL OR whole = ?1) ORDER BY seq DESC LIMIT ?3"
        )
        return dict(self._connect().execute(last, (thread, prefix, limit)).fetchall())

    def insert(self, entries: Sequence[Entry], act: int, first: int, *, done: bool) -> None:
        """Enter changes that are made together, numbered from the given number on."""
        rows = []
        for seq, e in enumerate(entries, first):
            change = e.change.kind, e.change.id, _dump(e.change.before), _dump(e.change.after)
            rows.append((seq, act, e.key, e.ts, e.thread, e.turn, *change, done, e.source))
        self._connect().executemany(f"INSERT INTO writes VALUES ({', '.join('?' * 12)})", rows)

    def delete(self, records: Collection[RecordKey]) -> None:
        """Remove every entry of these records. Their numbers are not given again."""
        self.raise_number(ENTRY, self.get_next_seq("done"))
        self._connect().executemany("DELETE FROM writes WHERE kind = ? AND id = ?", records)

    def get_next_seq(self, which: str = "1") -> int:
        """Return the number after the last entry that a condition selects; by default of all entries."""
        row = self._connect().execute(f"SELECT seq FROM writes WHERE {which} ORDER BY seq DESC LIMIT 1").fetchone()
        return max(int(row[0]) + 1 if row else 1, self.get_next_number(ENTRY), 1)

    def get_next_number(self, name: str) -> int:
        """Return the next number of a counter."""
        row = self._connect().execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def raise_number(self, name: str, below: int) -> None:
        """Make sure that a counter never gives a number below this."""
        number = max(below, self.get_next_number(name))
        self._connect().execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (name, number))

    def select(self, where: str, *values: object) -> list[Entry]:
        """Return the entries for which a condition is true."""
        every = "SELECT seq, ts, thread, turn, key, source, kind, id, before, after FROM writes"
        try:
            rows = self._connect().execute(f"{every} WHERE {where}", values)
        except UnicodeEncodeError:  # no name in here is half a surrogate pair
            return []
        return [
            Entry(ts, thread, turn, Change(kind, id, _load(before), _load(after)), key, seq, source)
            for seq, ts, thread, turn, key, source, kind, id, before, after in rows
        ]


def _dump(item: Item | None) -> str | None:
    return None if item is None else json.dumps(to_json(item))


def _load(text: str | None) -> Item | None:
    return None if text is None else from_json(json.loads(text))
