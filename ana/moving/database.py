"""The places of people's data according to a database, and the transactions that move data in and out."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ana.archive.database import begin, holds, refuse_work
from ana.errors import StoreBusy
from ana.people.postgres import PostgresRoster
from ana.postgres.database import Database
from ana.postgres.session import IN_USE, Session

_LOCK_SECONDS, _AGAIN_SECONDS = 10.0, 0.05
"""How long it is tried to keep all writers out, and how long not in between."""

# without leases, which others renew meanwhile
_OURS = "SELECT tablename FROM pg_policies WHERE policyname = 'own_rows' AND tablename <> 'leases'"


_MOVED_LAST = "SELECT 1 FROM people WHERE name = $1 AND (away = $2 OR (away IS NULL AND moved = $2))"


def was_moved(database: Database, name: str, id: str) -> bool:
    """Return whether the last move of a person's data into or out of the database, by its own note, has this id."""
    with database.connect() as connection:
        return connection.execute(_MOVED_LAST, (name, id)).fetchone() is not None


def list_people(database: Database) -> list[str]:
    """Return the names of people who have data in the database, or may sign in there."""
    listed = PostgresRoster(database).load()
    return [name for name in database.list_people() if name in listed or _has_something(database, name)]


def _has_something(database: Database, name: str) -> bool:
    with begin(database, database.find_person(name)) as session:
        return holds(session)


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
