"""The list of people in PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from psycopg import Connection

from ana.keys import make_digest
from ana.people.roster import Entry, Listed
from ana.postgres.database import Database
from ana.runs.queue import CANCEL
from ana.tables import Statement

_LOCK = 4_170_227
"""Keeps other processes from changing the list: no other use of advisory locks has this number."""

_BE = """SELECT set_config('ana.person', number::text, true)
    FROM (SELECT coalesce(max(number), 0) FROM people WHERE name = ?) AS found (number)"""
_KEEP = """INSERT INTO sign_ins VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE
    SET tokens = excluded.tokens, code = excluded.code, until = excluded.until"""


class PostgresRoster:
    """The list in a table without a person's name, because a request's person is known only after the list is read."""

    waits = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self) -> Listed:
        with self._database.connect() as connection:
            return _load(connection)

    @contextmanager
    def change(self) -> Iterator[Listed]:
        with self._database.connect() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))
            before = _load(connection)
            yield (listed := dict(before))
            connection.execute("DELETE FROM sign_ins WHERE name <> ALL($1)", ([*listed],))
            for name, entry in listed.items():
                if entry != before.get(name):
                    connection.execute(_KEEP, (name, [*entry.tokens], entry.code, entry.until))

    def make_place(self, name: str) -> None:
        self._database.find_person(name)

    def put_aside(self, name: str) -> str:
        """Stop the person's runs, and give their rows a name that nobody can have, so that they can be brought back."""
        aside = f"{name} {datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        with self.change() as listed:
            listed.pop(name, None)
        with self._database.begin(Statement("BEGIN"), Statement(_BE, [name])) as session:
            for (run,) in session.ask("SELECT id FROM runs WHERE NOT done"):
                session.add(CANCEL, run)
            session.add("UPDATE runs SET done = true WHERE NOT done")  # nobody works at them any more
            session.add("UPDATE people SET name = ? WHERE name = ?", aside, name)
        return f"the database, as {aside!r}"

    def find_calendar(self, names: Sequence[str], key: str) -> str | None:
        query = "SELECT name FROM people JOIN calendar_keys USING (number) WHERE digest = $1 AND name = ANY($2)"
        with self._database.connect() as connection:
            row = connection.execute(query, (make_digest(key), [*names])).fetchone()
        return row and str(row[0])


def _load(connection: Connection) -> Listed:
    rows = connection.execute("SELECT name, tokens, code, until FROM sign_ins ORDER BY name")
    return {name: Entry(tuple(tokens), code, until) for name, tokens, code, until in rows}
