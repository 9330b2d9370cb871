"""Where people are, as a database knows it, and the transactions with which they come and go."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ana.archive.database import begin, holds, refuse_work
from ana.errors import StoreBusy
from ana.postgres.database import Database
from ana.postgres.session import IN_USE, Session

_LOCK_SECONDS, _AGAIN_SECONDS = 10.0, 0.05
"""How long it is tried to keep all writers out, and how long not in between."""

# without leases, which others renew meanwhile
_OURS = "SELECT tablename FROM pg_policies WHERE policyname = 'own_rows' AND tablename <> 'leases'"


class Place(NamedTuple):
    """Where what a person has is, as the database knows it: the move that took it into a folder, None if it is in the
    database, and the move that brought it."""

    away: str | None
    moved: str | None


def find_place(database: Database, name: str) -> Place | None:
    """Return where a person's data is; None if it was never in the database."""
    with database.connect() as connection:
        row = connection.execute("SELECT away, moved FROM people WHERE name = $1", (name,)).fetchone()
    return Place(*row) if row else None


def list_people(database: Database) -> list[str]:
    """Return the names of those with data in the database."""
    return [name for name in database.list_people() if _has_something(database, name)]


def _has_something(database: Database, name: str) -> bool:
    with begin(database, database.find_person(name)) as session:
        return holds(session)


def list_away(database: Database) -> set[str]:
    """Return the names of those whose data is in a folder."""
    with database.connect() as connection:
        return {name for (name,) in connection.execute("SELECT name FROM people WHERE away IS NOT NULL")}


@contextmanager
def depart(database: Database, number: int, id: str) -> Iterator[Session]:
    """Yield a transaction that keeps all writers out; when it commits, the person's data is in a folder.

    Raises StoreBusy if a turn of theirs works, or waits for a worker.
    """
    with begin(database, number) as session:
        # nobody takes a lease from here on, or asks for a run
        session.ask("SELECT FROM people WHERE number = ? FOR UPDATE", number)
        for (program,) in session.ask(f"SELECT program FROM leases WHERE {IN_USE} LIMIT 1"):
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
    """Keep all writers out. It takes all tables or none, because a writer with another table may wait for one of these.

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
