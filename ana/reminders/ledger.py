"""What has rung, and where: each reminder is delivered once to each address, by whichever process is at it."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout

from ana.errors import StoreBroken
from ana.files import connect_own, is_damage, remove_database

MOST_KEPT = 20_000
"""Reminders of which it is known that they rang. A clock can go back, so the oldest by their order are forgotten."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=20), timedelta(hours=1)
"""How long an address that failed is left alone: twice as long each time."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS rings (
    number INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT NOT NULL, moment TEXT NOT NULL, address TEXT NOT NULL,
    attempts INTEGER NOT NULL, delivered INTEGER NOT NULL, UNIQUE (address, item, moment));
CREATE TABLE IF NOT EXISTS failing (
    address TEXT PRIMARY KEY, since TEXT NOT NULL, failures INTEGER NOT NULL, tried TEXT NOT NULL,
    reason TEXT NOT NULL);
"""


@dataclass(frozen=True)
class RingKey:
    """A time that an item rings: the item's id, and the moment in UTC, ISO 8601."""

    item: str
    moment: str


@dataclass(frozen=True)
class Failing:
    """An address that does not take messages: since when, how often it was tried, when last, and why."""

    since: datetime
    failures: int
    tried: datetime
    reason: str

    def is_paused(self, now: datetime) -> bool:
        """Return whether it is not tried yet; a clock that was set back does not make it wait longer."""
        pause: timedelta = min(FIRST_PAUSE * 2 ** min(self.failures - 1, 20), LONGEST_PAUSE)
        return now - pause < self.tried <= now


class Ledger:
    """What has rung, in a SQLite file; one that is damaged is made again, and what it knew may ring twice.

    Addresses are digests: none can be read here.

    Args:
        path: The file. It is made when something is noted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def deliver_alone(self) -> Iterator[bool]:
        """Keep other processes from delivering. Yields False where another one is at it, until it ends or dies."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            lock = FileLock(self.path.with_suffix(".lock")).acquire(timeout=0)
        except Timeout:
            yield False
            return
        with lock:
            yield True

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        """Return those that were not delivered to an address, those with the fewest attempts first."""
        with self.open() as db:
            query = "SELECT item, moment, attempts, delivered FROM rings WHERE address = ? AND moment >= ?"
            rows = db.execute(query, (address, min((ring.moment for ring in rings), default=""))).fetchall()
        known = {RingKey(item, moment): (attempts, delivered) for item, moment, attempts, delivered in rows}
        left = [ring for ring in rings if not known.get(ring, (0, 0))[1]]
        return sorted(left, key=lambda ring: (known.get(ring, (0, 0))[0], ring.moment))

    def note_delivered(self, address: str, ring: RingKey) -> None:
        """Note that it was delivered, and that the address works."""
        with self.open() as db:
            self._count(db, address, ring, delivered=True)
            db.execute("DELETE FROM failing WHERE address = ?", (address,))
            db.execute("DELETE FROM rings WHERE number <= (SELECT max(number) FROM rings) - ?", (MOST_KEPT,))

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        """Note that it was not, and why; `reason` holds no secret."""
        with self.open() as db:
            self._count(db, address, ring, delivered=False)
            db.execute(
                "INSERT INTO failing VALUES (?, ?, 1, ?, ?) ON CONFLICT (address) DO UPDATE"
                " SET failures = failures + 1, tried = excluded.tried, reason = excluded.reason",
                (address, now.isoformat(), now.isoformat(), reason),
            )

    def get_failing(self, address: str) -> Failing | None:
        """Return what is wrong with an address; None if it took the last message, or has had none."""
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
        """Yield a connection whose changes are kept together.

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
            raise StoreBroken(f"{self.path} cannot be used: {exc}.", "Try again; a damaged one is made again.") from exc
