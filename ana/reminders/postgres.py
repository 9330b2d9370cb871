"""The tables of the ledger of reminders in PostgreSQL."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import starmap
from typing import Any

from ana.backends.postgres import names
from ana.postgres.person import PersonRows
from ana.postgres.session import IN_USE, Rows, Statement
from ana.reminders.ledger import Change

SECONDS = 30.0
"""How long others wait for a silent process that delivers; a message takes at most half of it."""

_TAKE = f"""INSERT INTO ringers (holder, until) VALUES (?, clock_timestamp() + make_interval(secs => ?))
    ON CONFLICT (person) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE NOT ringers.{IN_USE}"""
_RENEW = """UPDATE ringers SET until = clock_timestamp() + make_interval(secs => ?)
    WHERE holder = ? AND until > clock_timestamp() RETURNING 1"""


class LedgerRows:
    """A person's rows in the tables."""

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    def ask(self, query: str, *params: Any) -> Rows:
        return self._rows.ask(query, *params)

    def change(self, *changes: Change) -> None:
        self._rows.change(*starmap(Statement, changes))

    def compact(self) -> None:
        """Do nothing: the server takes the room of deleted rows back by itself, and its files are its operator's."""

    @contextmanager
    def deliver_alone(self) -> Iterator[Callable[[], bool]]:
        holder = secrets.token_hex(8)
        self._rows.change(Statement(_TAKE, [holder, SECONDS]))
        try:
            yield lambda: bool(self._rows.change(Statement(_RENEW, [SECONDS, holder]))[0])
        finally:
            self._rows.change(Statement("DELETE FROM ringers WHERE holder = ?", [holder]))

    def to_name(self, id: str) -> str:
        return names.to_name(id)

    def from_name(self, name: str) -> str:
        return names.from_name(name)
