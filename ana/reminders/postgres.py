"""The ledger of reminders in PostgreSQL."""

import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from ana.backends.postgres.names import from_name, to_name
from ana.postgres.person import PersonRows
from ana.postgres.session import IN_USE, Statement
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
from ana.values import plain_text

SECONDS = 30.0
"""How long others wait for a silent process that delivers; a message takes at most half of it."""

_TAKE = f"""INSERT INTO ringers (holder, until) VALUES (?, clock_timestamp() + make_interval(secs => ?))
    ON CONFLICT (person) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE NOT ringers.{IN_USE}"""
_RENEW = """UPDATE ringers SET until = clock_timestamp() + make_interval(secs => ?)
    WHERE holder = ? AND until > clock_timestamp() RETURNING 1"""
_COUNT = """INSERT INTO rings (address, item, moment, delivered) VALUES (?, ?, ?, ?)
    ON CONFLICT (person, address, moment, item) DO UPDATE
    SET attempts = rings.attempts + 1, delivered = excluded.delivered"""
_FAIL = """INSERT INTO failing (address, since, tried, reason) VALUES (?, ?, ?, ?)
    ON CONFLICT (person, address) DO UPDATE
    SET failures = failing.failures + 1, tried = excluded.tried, reason = excluded.reason"""
_FORGET = """DELETE FROM rings WHERE number <= (
    SELECT number FROM rings ORDER BY number DESC LIMIT 1 OFFSET ?)"""

_FORGET_SNOOZE = "DELETE FROM rings WHERE address >= ? AND address < ? AND item = ? AND moment = ?"


class PostgresLedger:
    """A person's ledger of reminders."""

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        holder = secrets.token_hex(8)
        self._rows.change(Statement(_TAKE, [holder, SECONDS]))
        try:
            yield lambda: bool(self._rows.change(Statement(_RENEW, [SECONDS, holder]))[0])
        finally:
            self._rows.change(Statement("DELETE FROM ringers WHERE holder = ?", [holder]))

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        query = "SELECT item, moment, attempts, delivered FROM rings WHERE address = ? AND moment >= ?"
        rows = self._rows.ask(query, address, min((ring.moment for ring in rings), default=""))
        tried = {(item, moment): (attempts, delivered) for item, moment, attempts, delivered in rows}
        return sort_open(rings, {ring: tried.get((to_name(ring.item), ring.moment), (0, False)) for ring in rings})

    def note_delivered(self, address: str, ring: RingKey) -> None:
        recovery = Statement("DELETE FROM failing WHERE address = ?", [address])
        self._rows.change(self._count(address, ring, delivered=True), recovery, Statement(_FORGET, [MOST_RINGS]))

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        moment = now.isoformat()
        fail = Statement(_FAIL, [address, moment, moment, plain_text(reason).replace("\0", "")])
        self._rows.change(self._count(address, ring, delivered=False), fail)

    def forget(self, items: Collection[str]) -> None:
        self._rows.change(Statement("DELETE FROM rings WHERE item = ANY(?)", [[*map(to_name, items)]]))

    def snooze(self, ring: RingKey, until: datetime) -> None:
        earlier = Statement(_FORGET_SNOOZE, [SNOOZED, SNOOZED_END, to_name(ring.item), ring.moment])
        self._rows.change(earlier, self._count(write_snooze(until), ring, delivered=False))

    def list_snoozed(self, since: datetime) -> dict[RingKey, datetime]:
        query = "SELECT item, moment, address FROM rings WHERE address >= ? AND address < ?"
        rows = self._rows.ask(query, write_snooze(since), SNOOZED_END)
        return {RingKey(from_name(item), moment): read_snooze(written) for item, moment, written in rows}

    def list_rung(self, limit: int) -> list[RingKey]:
        query = "SELECT item, moment FROM rings WHERE delivered ORDER BY number DESC LIMIT ?"
        return [RingKey(from_name(item), moment) for item, moment in self._rows.ask(query, limit)]

    def get_failing(self, address: str) -> Failing | None:
        rows = self._rows.ask("SELECT since, failures, tried, reason FROM failing WHERE address = ?", address)
        for since, failures, tried, reason in rows:
            return Failing(datetime.fromisoformat(since), failures, datetime.fromisoformat(tried), reason)
        return None

    def _count(self, address: str, ring: RingKey, *, delivered: bool) -> Statement:
        return Statement(_COUNT, [address, to_name(ring.item), ring.moment, delivered])
