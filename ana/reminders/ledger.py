"""The ledger of deliveries: each reminder goes once to each address, from any process.

One process at a time delivers. If it is killed between the receiver's yes and its note, it delivers again, with the
same tag. Entries are dropped by number, never by time, because the clock may be set back.
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from ana.tables import Statement, Tables
from ana.values import plain_text

MOST_RINGS = 20_000
"""Most deliveries to remember. The oldest by order are dropped, because a clock can go back."""

SNOOZED, HOLD = "snoozed ", "held "
"""The beginning of an entry in place of an address, followed by a time in UTC: when a snoozed reminder rings again, and
when it is told that one which rang late is unmarked."""

END = "~"
"""Sorts after every time."""

_BEGIN_TO_RING = """INSERT INTO rings (address, item, moment, attempts, delivered) VALUES (?, ?, ?, 0, ?)
    ON CONFLICT DO NOTHING"""
_COUNT = """UPDATE rings SET attempts = attempts + 1, delivered = ?
    WHERE address = ? AND item = ? AND moment = ?"""
_BEGIN_TO_FAIL = """INSERT INTO failing (address, since, failures, tried, reason) VALUES (?, ?, 0, '', '')
    ON CONFLICT DO NOTHING"""
_FAIL = "UPDATE failing SET failures = failures + 1, tried = ?, reason = ? WHERE address = ?"
_FORGET_OLDEST = """DELETE FROM rings WHERE number <= (
    SELECT number FROM rings ORDER BY number DESC LIMIT 1 OFFSET ?)"""
_FORGET_SNOOZE = "DELETE FROM rings WHERE address >= ? AND address < ? AND item = ? AND moment = ?"

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=20), timedelta(hours=1)
"""The first pause after an address failed; it doubles each time."""


@dataclass(frozen=True)
class RingKey:
    """The key of a reminder: the item's id, and the time in ISO 8601, in UTC or, if it moves with the person, local."""

    item: str
    moment: str


@dataclass(frozen=True)
class Failing:
    """An address that fails: since when, the number and time of attempts, and the reason."""

    since: datetime
    failures: int
    tried: datetime
    reason: str

    def is_paused(self, now: datetime) -> bool:
        """Return whether the address is paused; a clock that was set back does not prolong the pause."""
        pause: timedelta = min(FIRST_PAUSE * 2 ** min(self.failures - 1, 20), LONGEST_PAUSE)
        return now - pause < self.tried <= now


class LedgerTables(Tables, Protocol):
    """A person's two tables. Every method raises StoreBroken if they cannot be used."""

    def deliver_alone(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep others from delivering. Yield a function that says, before each message, whether nobody else is:
        another process may have started before, or while this process was suspended."""

    def to_name(self, id: str) -> str:
        """Return an item's id as the tables hold it."""

    def from_name(self, name: str) -> str:
        """Return the id of `to_name`."""


class Ledger:
    """A person's ledger of reminders. Addresses are stored as digests.

    Every method raises StoreBroken if the ledger cannot be used.
    """

    def __init__(self, tables: LedgerTables) -> None:
        self._tables = tables

    def deliver_alone(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep others from delivering, as `LedgerTables.deliver_alone` does."""
        return self._tables.deliver_alone()

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        """Return reminders not delivered to an address, those with the fewest attempts first."""
        query = "SELECT item, moment, attempts, delivered FROM rings WHERE address = ? AND moment >= ?"
        rows = self._tables.ask(query, address, min((ring.moment for ring in rings), default=""))
        tried = {(item, moment): (attempts, delivered) for item, moment, attempts, delivered in rows}
        known = {ring: tried.get((self._tables.to_name(ring.item), ring.moment), (0, False)) for ring in rings}
        rest = [ring for ring, (_, delivered) in known.items() if not delivered]
        return sorted(rest, key=lambda ring: (known[ring][0], ring.moment))

    def note_delivered(self, address: str, ring: RingKey) -> None:
        """Note a delivery, and that the address works."""
        recovery = Statement("DELETE FROM failing WHERE address = ?", [address])
        forget = Statement(_FORGET_OLDEST, [MOST_RINGS])
        self._tables.change(*self._count(address, ring, delivered=True), recovery, forget)

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        """Note a failed delivery and its reason, which must not contain secrets."""
        moment = now.isoformat()
        begin = Statement(_BEGIN_TO_FAIL, [address, moment])
        fail = Statement(_FAIL, [moment, plain_text(reason).replace("\0", ""), address])
        self._tables.change(*self._count(address, ring, delivered=False), begin, fail)

    def forget(self, items: Collection[str]) -> None:
        """Drop the entries of these items."""
        names = (self._tables.to_name(item) for item in items)
        self._tables.change(*(Statement("DELETE FROM rings WHERE item = ?", [name]) for name in names))
        self._tables.compact()

    def snooze(self, ring: RingKey, until: datetime, why: str = SNOOZED) -> None:
        """Snooze a reminder until another time, whether or not it was delivered or snoozed before.

        Args:
            why: SNOOZED, or HOLD.
        """
        earlier = Statement(_FORGET_SNOOZE, [why, why + END, self._tables.to_name(ring.item), ring.moment])
        self._tables.change(earlier, *self._count(_write_snooze(until, why), ring, delivered=False))

    def list_snoozed(self, since: datetime, why: str = SNOOZED) -> dict[RingKey, datetime]:
        """Return reminders that are snoozed until `since` or later, each with that time in UTC."""
        query = "SELECT item, moment, address FROM rings WHERE address >= ? AND address < ?"
        rows = self._tables.ask(query, _write_snooze(since, why), why + END)
        return {
            RingKey(self._tables.from_name(item), moment): datetime.fromisoformat(entry.removeprefix(why))
            for item, moment, entry in rows
        }

    def list_rung(self, limit: int) -> list[RingKey]:
        """Return deliveries, latest first."""
        rows = self._tables.ask("SELECT item, moment FROM rings WHERE delivered ORDER BY number DESC LIMIT ?", limit)
        return [RingKey(self._tables.from_name(item), moment) for item, moment in rows]

    def get_failing(self, address: str) -> Failing | None:
        """Return the failure of an address; None if its last message succeeded or it had none."""
        rows = self._tables.ask("SELECT since, failures, tried, reason FROM failing WHERE address = ?", address)
        for since, failures, tried, reason in rows:
            return Failing(datetime.fromisoformat(since), failures, datetime.fromisoformat(tried), reason)
        return None

    def _count(self, address: str, ring: RingKey, *, delivered: bool) -> tuple[Statement, Statement]:
        key = address, self._tables.to_name(ring.item), ring.moment
        return Statement(_BEGIN_TO_RING, [*key, False]), Statement(_COUNT, [delivered, *key])


def make_late(ring: RingKey, until: datetime) -> RingKey:
    """Return the ledger's key of a reminder that was snoozed until a time."""
    return RingKey(ring.item, until.astimezone(UTC).isoformat(timespec="microseconds"))


def _write_snooze(until: datetime, why: str) -> str:
    """Return the entry, in place of an address, of a reminder that is snoozed until a time."""
    return why + until.astimezone(UTC).isoformat(timespec="microseconds")
