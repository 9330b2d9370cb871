"""What happened, in SQLite beside Chroma, which holds what is known.

Every write is an entry: what a record was before, what it is to be after, and whether that has been done and read back.
An entry is found again by the key of the call that caused it, so the same call run again changes nothing twice.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from ana.store.item import Item

Kind = Literal["item", "line"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS writes (
    seq INTEGER PRIMARY KEY, key TEXT UNIQUE, ts TEXT NOT NULL, thread TEXT, turn TEXT,
    kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, after TEXT, done INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS writes_by_record ON writes (kind, id);
CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""


@dataclass(frozen=True)
class Cause:
    """Which call wanted a write.

    Args:
        key: The same for the same call run again, different for every other.
        thread: The conversation.
        turn: The turn in it.
    """

    key: str
    thread: str
    turn: str


@dataclass(frozen=True)
class Origin:
    """Why a record reads as it does.

    Args:
        ts: When it was last written, ISO 8601 in UTC.
        cause: The call that wanted it; None when the person wrote it.
    """

    ts: str
    cause: Cause | None


@dataclass(frozen=True)
class Change:
    """One record from what it was to what it is to be; None is absent."""

    kind: Kind
    id: str
    before: Item | None
    after: Item | None

    @property
    def op(self) -> Literal["create", "update", "delete"]:
        if self.before is None:
            return "create"
        return "delete" if self.after is None else "update"


@dataclass(frozen=True)
class Entry:
    """One write that was done.

    Args:
        seq: Its number, growing.
        ts: When, ISO 8601 in UTC.
        thread: The conversation; empty when there was none.
        turn: What it was part of: a turn, an edit by hand, an undo.
        change: From what to what.
    """

    seq: int
    ts: str
    thread: str
    turn: str
    change: Change


class Journal:
    """The append-only list of changes, and the counters that never go back. Used only while the folder is held.

    Args:
        path: The SQLite file; made at the first use.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None

    def find(self, key: str) -> tuple[Change, bool] | None:
        """The change that the call with this key caused, and whether it was done."""
        row = self._open().execute("SELECT kind, id, before, after, done FROM writes WHERE key = ?", (key,)).fetchone()
        return (Change(row[0], row[1], _load(row[2]), _load(row[3])), bool(row[4])) if row else None

    def origins(self, kind: Kind) -> dict[str, Origin]:
        """The origin of each record of a kind, by its id."""
        last = "SELECT max(seq) FROM writes WHERE kind = ? AND done GROUP BY id"
        rows = self._open().execute(f"SELECT id, ts, key, thread, turn FROM writes WHERE seq IN ({last})", (kind,))
        return {id: Origin(ts, Cause(key, thread, turn) if key else None) for id, ts, key, thread, turn in rows}

    def entries(self, *, turn: str | None = None, id: str | None = None, since: str = "") -> list[Entry]:
        """What was done, the newest first.

        Args:
            turn: Only what was part of this.
            id: Only what was done to this record, an item's id or a line's number.
            since: Only from this moment on, ISO 8601 in UTC.
        """
        rows = self._open().execute(
            "SELECT seq, ts, coalesce(thread, ''), coalesce(turn, 'edit-' || seq), kind, id, before, after FROM writes"
            " WHERE done AND (?1 IS NULL OR turn = ?1 OR 'edit-' || seq = ?1) AND (?2 IS NULL OR id = ?2) AND ts >= ?3"
            " ORDER BY seq DESC",
            (turn, id, since),
        )
        return [
            Entry(seq, ts, thread, turn, Change(kind, id, _load(before), _load(after)))
            for seq, ts, thread, turn, kind, id, before, after in rows
        ]

    def erase(self, kind: Kind, id: str) -> None:
        """Forget that a record ever was."""
        with self._open() as db:
            db.execute("DELETE FROM writes WHERE kind = ? AND id = ?", (kind, id))

    def begin(self, change: Change, ts: str, cause: Cause | None) -> int:
        """Write down an intent before it is acted on; returns its number. A repeated key replaces an unfinished one."""
        row = (ts, cause and cause.thread, cause and cause.turn, change.kind, change.id)
        states = (_dump(change.before), _dump(change.after))
        with self._open() as db:
            if cause:
                db.execute("DELETE FROM writes WHERE key = ? AND NOT done", (cause.key,))
            seq = db.execute(
                "INSERT INTO writes (key, ts, thread, turn, kind, id, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (cause and cause.key, *row, *states),
            ).lastrowid
        return int(seq or 0)

    def finish(self, seq: int) -> None:
        with self._open() as db:
            db.execute("UPDATE writes SET done = 1 WHERE seq = ?", (seq,))

    def next_number(self, name: str, floor: int = 0) -> int:
        """Count up and return the number, never twice the same, never below `floor`."""
        with self._open() as db:
            row = db.execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
            number = max(row[0] if row else 0, floor)
            db.execute("INSERT OR REPLACE INTO counters VALUES (?, ?)", (name, number + 1))
        return number

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(self._path, check_same_thread=False, timeout=10)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.executescript(_SCHEMA)
        return self._db


def _dump(item: Item | None) -> str | None:
    return None if item is None else json.dumps(asdict(item))


def _load(text: str | None) -> Item | None:
    return None if text is None else Item(**json.loads(text))
