"""Owning a conversation in PostgreSQL: a lease in a table, renewed while its holder works, and taken over after it has
expired.

Every write of its holder checks the lease (`ana.leases`): a holder that was delayed until it expired writes nothing.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ana.errors import AnaError, StoreBusy
from ana.leases import Token, working_under
from ana.postgres.person import PersonRows
from ana.postgres.session import IN_USE
from ana.tables import Statement
from ana.threads.ids import canonical_id
from ana.threads.ports import PATIENCE

SECONDS = 30.0
"""How long a lease lasts that is not renewed."""

ALL = "*"
"""In place of a thread: every conversation."""

_POLL_SECONDS = 0.02, 0.2
"""How long to wait before it is tried again, at first and at last."""

_log = logging.getLogger(__name__)

# who takes one conversation and who takes all wait for each other, so that one of them sees the other's lease
_PERSON = "SELECT FROM people WHERE number = current_setting('ana.person')::integer FOR "

# what ran out is taken over with the first conversation, and the other way round
_END_ALL = Statement(f"DELETE FROM leases WHERE thread = '*' AND NOT {IN_USE}")
_END_OTHERS = Statement(f"DELETE FROM leases WHERE thread <> '*' AND NOT {IN_USE}")

_TAKE = f"""INSERT INTO leases (thread, program, until)
    SELECT ?, ?, clock_timestamp() + make_interval(secs => ?)
    WHERE NOT EXISTS (SELECT FROM leases WHERE thread = '*')
    ON CONFLICT (person, thread) DO UPDATE SET
        token = excluded.token, program = excluded.program, since = excluded.since, until = excluded.until
    WHERE NOT leases.{IN_USE} RETURNING token, xmax <> 0"""

_HOLDER = "SELECT program, since FROM leases WHERE thread IN (?, '*') ORDER BY thread LIMIT 1"
_OTHERS = "SELECT program, since FROM leases WHERE thread <> '*' LIMIT 1"
_RENEW = "UPDATE leases SET until = clock_timestamp() + make_interval(secs => ?) WHERE token = ? RETURNING token"


class PostgresThreadLocks:
    """The locks of a person's conversations.

    Args:
        rows: The person's rows in the database.
        seconds: The duration of a lease that is not renewed; None for SECONDS.
    """

    def __init__(self, rows: PersonRows, seconds: float | None = None) -> None:
        self._rows, self._seconds = rows, seconds or SECONDS

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> "Lease":
        """Return the lock of a conversation. Errors as of the port."""
        return Lease(self._rows, canonical_id(id) or id, program, patience, self._seconds)

    @contextmanager
    def own_all(self, program: str, patience: float = PATIENCE) -> Iterator[None]:
        """Own every conversation. Errors as of the port."""
        until = time.monotonic() + patience
        every = Lease(self._rows, ALL, program, patience, self._seconds)
        every.acquire()
        try:
            for _ in _wait(until):
                _, holders = self._rows.change(_END_OTHERS, Statement(_OTHERS))
                if not holders:
                    break
            else:
                raise _busy("A conversation", holders)
            with working_under(every.token):
                yield
        finally:
            every.release()


class Lease:
    """The lease on one conversation. Its holder cannot take it a second time."""

    def __init__(self, rows: PersonRows, thread: str, program: str, patience: float, seconds: float) -> None:
        self.rows, self.seconds = rows, seconds
        self.token: Token | None = None
        """What writes are checked by, from its taking on, also after it was lost or released."""
        self._thread, self._patience = thread, patience
        self._program = f"{program} (pid {os.getpid()} on {socket.gethostname()})"
        self._released = threading.Event()

    @property
    def number(self) -> int | None:
        """The number of the token; None before it is taken."""
        return self.token[1] if self.token else None

    def acquire(self) -> bool:
        """Take the lease, and return whether it was taken over from a holder that did not release it.

        Raises:
            StoreBusy: Another holder did not release it in time; the message names it.
        """
        take = Statement(_TAKE, [self._thread, self._program, self.seconds])
        person = Statement(_PERSON + ("UPDATE" if self._thread == ALL else "KEY SHARE"))
        for _ in _wait(time.monotonic() + self._patience):
            _, _, taken, holders = self.rows.change(person, _END_ALL, take, Statement(_HOLDER, [self._thread]))
            if taken:
                ((number, abandoned),) = taken
                self.token, self._released = (self.rows.number, number), threading.Event()
                threading.Thread(target=self._renew, name="lease", daemon=True).start()
                return bool(abandoned)
        raise _busy("Every conversation" if self._thread == ALL else "This conversation", holders)

    def release(self) -> None:
        """Let others take it; if the database does not answer, they wait until it has expired."""
        self._released.set()
        try:
            self.rows.change(Statement("DELETE FROM leases WHERE token = ?", [self.number]))
        except AnaError as exc:
            _log.warning("a conversation stays locked for a while: %s", exc)

    discard = release

    def _renew(self) -> None:
        """Renew the lease until it is released or lost, in a separate thread."""
        while not self._released.wait(self.seconds / 3):
            try:
                is_renewed = self.rows.change(Statement(_RENEW, [self.seconds, self.number]))[0]
            except AnaError as exc:  # it is tried again before it has run out
                _log.warning("a lease on a conversation could not be renewed: %s", exc)
            else:
                if not is_renewed:
                    return


def _wait(until: float) -> Iterator[None]:
    """Yield until a moment has come, at least once, with growing pauses."""
    pause, longest = _POLL_SECONDS
    while True:
        yield
        if time.monotonic() >= until:
            return
        time.sleep(pause)
        pause = min(2 * pause, longest)


def _busy(what: str, holders: list[tuple[str, object]]) -> StoreBusy:
    lines = [f"{program}, since {since:%Y-%m-%d %H:%M:%S %Z}" for program, since in holders]
    who = lines[0] if lines else "another program"
    return StoreBusy(f"{what} is in use by {who}.", "Wait until it has finished, or stop that program.")
