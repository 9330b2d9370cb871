"""The ledger of reminders in a SQLite file."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ana.errors import StoreBroken
from ana.files import compact_database, connect_own, is_damage, remove_database
from ana.reminders.ledger import (
    MOST_RINGS,
    SNOOZED,
    SNOOZED_END,
    Failing,
    RingKey,
    read_snooze,
    sort_open,
    write_snooze,
)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rings (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, moment TEXT NOT NULL, address TEXT NOT NULL,
    attempts INTEGER NOT NULL, delivered INTEGER NOT NULL, UNIQUE (address, item, moment));
CREATE TABLE IF NOT EXISTS failing (
    address TEXT PRIMARY KEY, since TEXT NOT NULL, failures INTEGER NOT NULL, tried TEXT NOT NULL,
    reason TEXT NOT NULL);
"""


class FolderLedger:
    """The ledger in a SQLite file. A damaged file is replaced, so its reminders may be delivered twice.

    Args:
        path: The file, which is created when something is noted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = FileLock(self.path.with_suffix(".lock")).acquire(timeout=0)
        except Timeout:
            yield lambda: False
            return
        with lock:
            yield lambda: True

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        with self.open() as db:
            query = "SELECT item, moment, attempts, delivered FROM rings WHERE address = ? AND moment >= ?"
            rows = db.execute(query, (address, min((ring.moment for ring in rings), default=""))).fetchall()
        return sort_open(rings, {RingKey(item, moment): (tried, delivered) for item, moment, tried, delivered in rows})

    def note_delivered(self, address: str, ring: RingKey) -> None:
        with self.open() as db:
            self._count(db, address, ring, delivered=True)
            db.execute("DELETE FROM failing WHERE address = ?", (address,))
            db.execute("DELETE FROM rings WHERE number <= (SELECT max(number) FROM rings) - ?", (MOST_RINGS,))

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        with self.open() as db:
            self._count(db, address, ring, delivered=False)
            db.execute(
                "INSERT INTO failing VALUES (?, ?, 1, ?, ?) ON CONFLICT (address) DO UPDATE"
                " SET failures = failures + 1, tried = excluded.tried, reason = excluded.reason",
                (address, now.isoformat(), now.isoformat(), reason),
            )

    def forget(self, items: Collection[str]) -> None:
        if self.path.exists():
            with self.open() as db:
                db.executemany("DELETE FROM rings WHERE item = ?", [(item,) for item in items])
            compact_database(self.path)

    def snooze(self, ring: RingKey, until: datetime) -> None:
        with self.open() as db:
            earlier = "DELETE FROM rings WHERE address >= ? AND address < ? AND item = ? AND moment = ?"
            db.execute(earlier, (SNOOZED, SNOOZED_END, ring.item, ring.moment))
            self._count(db, write_snooze(until), ring, delivered=False)

    def list_snoozed(self, since: datetime) -> dict[RingKey, datetime]:
        if not self.path.exists():
            return {}
        with self.open() as db:
            query = "SELECT item, moment, address FROM rings WHERE address >= ? AND address < ?"
            rows = db.execute(query, (write_snooze(since), SNOOZED_END)).fetchall()
        return {RingKey(item, moment): read_snooze(written) for item, moment, written in rows}

    def list_rung(self, limit: int) -> list[RingKey]:
        if not self.path.exists():
            return []
        with self.open() as db:
            query = "SELECT item, moment FROM rings WHERE delivered ORDER BY number DESC LIMIT ?"
            return [RingKey(*row) for row in db.execute(query, (limit,))]

    def get_failing(self, address: str) -> Failing | None:
        if not self.path.exists():
            return None
        with self.open() as db:
            query = "SELECT since, failures, tried, reason FROM failing WHERE address = ?"
            row = db.execute(query, (address,)).fetchone()
        return Failing(datetime.fromisoformat(row[0]), row[1], datetime.fromisoformat(row[2]), row[3]) if row else None

    def _count(self, db: sqlite3.Connection, address: str, ring: RingKey, *, delivered: bool) -> None:
        db.execute(
            "INSERT INTO rings (item, moment, address, attempts, delivered) VALUES (?, ?, ?, 1, ?)"
            " ON CONFLICT DO UPDATE SET attempts = attempts + 1, delivered = excluded.delivered",
            (ring.item, ring.moment, address, delivered),
        )

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are committed together.

        Raises:
            StoreBroken: The file cannot be used.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(connect_own(self.path)) as db, db:
                db.executescript(_SCHEMA)
                yield db
        except sqlite3.Error as exc:
            if is_damage(exc):
                remove_database(self.path)
            raise StoreBroken(f"{self.path} cannot be used: {exc}.", "Try again; a damaged file is replaced.") from exc
