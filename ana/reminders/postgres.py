"""The tables of the ledger of reminders in PostgreSQL."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ana.backends.postgres import names
from ana.postgres.person import PersonRows
from ana.postgres.session import IN_USE
from ana.tables import Statement

SECONDS = 30.0
"""How long others wait for a silent process that delivers; a message takes at most half of it."""

_TAKE = f"""INSERT INTO ringers (holder, until) VALUES (?, clock_timestamp() + make_interval(secs => ?))
    ON CONFLICT (person) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE NOT ringers.{IN_USE}"""
_RENEW = """UPDATE ringers SET until = clock_timestamp() + make_interval(secs => ?)
    WHERE holder = ? AND until > clock_timestamp() RETURNING 1"""


class LedgerRows(PersonRows):
    """A person's rows in the tables."""

    def __init__(self, rows: PersonRows) -> None:
        super().__init__(rows.database, rows.person)
        self._rows = rows

    @property
    def number(self) -> int:
        """The number of the rows, which is looked up once."""
        return self._rows.number

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        holder = secrets.token_hex(8)
        self.change(Statement(_TAKE, [holder, SECONDS]))
        try:
            yield lambda: bool(self.change(Statement(_RENEW, [SECONDS, holder]))[0])
        finally:
            self.change(Statement("DELETE FROM ringers WHERE holder = ?", [holder]))

    def to_name(self, id: str) -> str:
        return names.to_name(id)

    def from_name(self, name: str) -> str:
        return names.from_name(name)
