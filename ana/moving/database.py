"""Where people are, as a database knows it, and the transactions with which they come and go."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from psycopg import Connection

from ana.archive.database import begin, refuse_work
from ana.archive.parts import TABLES
from ana.errors import StoreBusy, UserError
from ana.postgres.database import Database
from ana.postgres.session import IS_HELD, Session

_LOCK_SECONDS, _AGAIN_SECONDS = 10.0, 0.05
"""How long it is tried to keep all writers out, and how long not in between."""

# without leases, which others renew meanwhile
_OURS = "SELECT tablename FROM pg_policies WHERE policyname = 'own_rows' AND tablename <> 'leases'"
_TELLING = ("records", "entries", *(table for table in TABLES if table not in ("spending", "settings", "notes")))
"""The tables of which one with a row says that a person has something; using the database makes rows in others."""


class Place(NamedTuple):
    """Where what a person has is, as the database knows it.

    Args:
        number: The person's number.
        away: The move that took it into a folder, or is to bring it from there; None if the database has it.
        moved: The move that brought it.
    """

    number: int
    away: str | None
    moved: str | None


def find_place(database: Database, name: str) -> Place | None:
    """Return where what a person has is; None if the database has never had it."""
    with database.connect() as connection:
        return _find(connection, name)


def list_people(database: Database) -> list[str]:
    """Return those of whom the database has something."""
    with database.connect() as connection:
        known = connection.execute("SELECT number, name FROM people WHERE away IS NULL ORDER BY name").fetchall()
        with connection.transaction():
            return [name for number, name in known if _holds(connection, number)]


def list_away(database: Database) -> set[str]:
    """Return those of whom all is in a folder."""
    with database.connect() as connection:
        return {name for (name,) in connection.execute("SELECT name FROM people WHERE away IS NOT NULL")}


def prepare(database: Database, name: str, id: str) -> int:
    """Return the number under which a move brings what a person has; until it does nobody uses it.

    What was moved into a folder before keeps its rows, under another name.

    Raises:
        UserError: The database has something of theirs.
    """
    with database.connect() as connection, connection.transaction():
        connection.execute("SELECT FROM people WHERE name = $1 FOR UPDATE", (name,))
        if place := _find(connection, name):
            is_empty = not _holds(connection, place.number)
            if place.away is None and not is_empty:
                raise UserError(
                    f"The database has something of {name!r} already; nothing was changed.",
                    "Name another database, or bring that into a folder: `ana move folder`.",
                )
            change = "SET away = $2" if is_empty else "SET name = name || ' ' || $2"
            connection.execute(f"UPDATE people {change} WHERE number = $1".encode(), (place.number, id))
            if is_empty:
                return place.number
        new = connection.execute("INSERT INTO people (name, away) VALUES ($1, $2) RETURNING number", (name, id))
        return int((new.fetchone() or (0,))[0])


@contextmanager
def arrive(database: Database, number: int, id: str) -> Iterator[Session]:
    """Yield a transaction of a person for whom `prepare` was called: with it the database has what they have."""
    with begin(database, number) as session:
        # first, so that nobody else does
        if not session.ask(
            "UPDATE people SET away = NULL, moved = ? WHERE number = ? AND away = ? RETURNING 1", id, number, id
        ):
            raise StoreBusy("Another move brings what this person has.", "Wait until it has finished.")
        yield session


@contextmanager
def depart(database: Database, number: int, id: str) -> Iterator[Session]:
    """Yield a transaction that keeps all writers out: with it what a person has is in a folder.

    Raises StoreBusy if a turn of theirs works, or waits for a worker.
    """
    with begin(database, number) as session:
        # nobody takes a lease from here on, or asks for a run
        session.ask("SELECT FROM people WHERE number = ? FOR UPDATE", number)
        for (program,) in session.ask(f"SELECT program FROM leases WHERE {IS_HELD} LIMIT 1"):
            raise StoreBusy(
                f"A conversation is in use by {program}.", "Wait until it has finished, or stop that program."
            )
        tables = ", ".join(sorted(table for (table,) in session.ask(_OURS)))
        _lock(session, tables)
        refuse_work(session)
        yield session
        if not session.ask("UPDATE people SET away = ? WHERE number = ? AND away IS NULL RETURNING 1", id, number):
            raise StoreBusy("Another move takes what this person has.", "Wait until it has finished.")


def _lock(session: Session, tables: str) -> None:
    """Keep all writers out. It waits for none while it has some of the tables: who has others may wait for those.

    Raises:
        StoreBusy: Somebody wrote at each attempt.
    """
    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            with session.part():
                session.ask(f"LOCK TABLE {tables} IN EXCLUSIVE MODE NOWAIT")
            return
        except StoreBusy:
            if time.monotonic() > end:
                raise
            time.sleep(_AGAIN_SECONDS)


def _find(connection: Connection[Any], name: str) -> Place | None:
    found = connection.execute("SELECT number, away, moved FROM people WHERE name = $1", (name,)).fetchone()
    return Place(*found) if found else None


def _holds(connection: Connection[Any], number: int) -> bool:
    """Return whether there is something of a person, inside a transaction."""
    connection.execute("SELECT set_config('ana.person', $1, true)", (str(number),))
    any_row = " OR ".join(f"EXISTS (SELECT FROM {table})" for table in _TELLING)
    return bool((connection.execute(f"SELECT {any_row}".encode()).fetchone() or (False,))[0])
