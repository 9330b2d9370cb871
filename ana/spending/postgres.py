"""What was spent on models, noted in PostgreSQL.

A reservation ends by itself after a while: nothing on a connection would outlive a transaction, to tell that its holder
is gone.
"""

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from ana.errors import StoreBroken, StoreBusy
from ana.postgres.person import PersonRows
from ana.postgres.session import Session, Statement
from ana.spending.total import Release, SpendingNote

LATE = 60.0
"""Seconds that a call may last longer than a turn."""

_NOTE = "SELECT day, usd, most FROM spending"

_log = logging.getLogger(__name__)


class PostgresBooks:
    """What is noted of a person's spending.

    Args:
        rows: What the person has in the database.
        seconds: How long a turn may last.
    """

    errors: tuple[type[Exception], ...] = (StoreBroken, StoreBusy)

    def __init__(self, rows: PersonRows, seconds: float) -> None:
        self._rows, self._seconds = rows, seconds

    def read(self) -> SpendingNote | None:
        return next((SpendingNote(*row) for row in self._rows.ask(_NOTE)), None)

    @contextmanager
    def open(self) -> "Iterator[_OpenBooks]":
        with self._rows.write() as session:
            session.add("INSERT INTO spending DEFAULT VALUES ON CONFLICT DO NOTHING")
            ((day, usd, most),) = session.ask(f"{_NOTE} FOR UPDATE")
            yield _OpenBooks(session, SpendingNote(day, usd, most), self._rows, self._seconds + LATE)

    def append(self, lines: list[str]) -> None:
        self._rows.change(*(Statement("INSERT INTO bills (line) VALUES (?)", [line]) for line in lines))

    def read_ledger(self, since: float) -> str:
        query = "SELECT line FROM bills WHERE written >= to_timestamp(?) ORDER BY number"
        return "".join(f"{line}\n" for (line,) in self._rows.ask(query, since))


class _OpenBooks:
    """The books in a transaction that has locked them."""

    def __init__(self, session: Session, note: SpendingNote, rows: PersonRows, seconds: float) -> None:
        self._session, self._note, self._rows, self._seconds = session, note, rows, seconds

    def read(self) -> SpendingNote:
        return self._note

    def write(self, note: SpendingNote) -> None:
        self._session.add("UPDATE spending SET day = ?, usd = ?, most = ?", note.day, note.usd, note.most)

    def list_held(self) -> list[float]:
        self._session.add("DELETE FROM reservations WHERE until < now()")
        return [usd for (usd,) in self._session.ask("SELECT usd FROM reservations")]

    def hold(self, usd: float) -> Release:
        id = secrets.token_hex(8)
        hold = "INSERT INTO reservations (id, usd, until) VALUES (?, ?, now() + make_interval(secs => ?))"
        self._session.add(hold, id, usd, self._seconds)

        def release() -> None:
            try:
                self._rows.change(Statement("DELETE FROM reservations WHERE id = ?", [id]))
            except PostgresBooks.errors as exc:
                _log.warning("what was reserved for a model call stays so for a while: %s", exc)

        return release
