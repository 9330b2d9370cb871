"""A person's data in PostgreSQL, and its replacement."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice

from ana.archive.parts import JSON, PERSONAL, TABLES, Row
from ana.archive.side import Side
from ana.backends.postgres.backend import PostgresBackend
from ana.backends.postgres.whole import WholePostgres
from ana.embedders import Embedder
from ana.errors import StoreBusy, UserError
from ana.keys import make_digest
from ana.own_files import OWN_NOTES
from ana.postgres.database import Database
from ana.postgres.session import IN_USE, Session, Statement
from ana.tracing.lines import find_id
from ana.workspace.postgres import KEEP_KEY

PAGE = 20
"""Rows sent together; they may be large, because a checkpoint contains all messages of its conversation."""

_TELLING = ("records", "entries", *(table for table in TABLES if table not in ("spending", "settings", "notes")))
"""Tables in which a row means that a person has data; any use of the database creates rows in others."""

_PERSON = "SELECT set_config('ana.person', ?, true), set_config('lock_timeout', '10s', true)"


class DatabaseRows:
    """A person's rows in a transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def read(self, table: str) -> Iterator[Row]:
        columns, order = TABLES[table]
        if table == "settings":  # which was set first is not said
            fields = self._session.ask("SELECT fields FROM settings")
            return ((json.dumps(each, sort_keys=True),) for (each,) in fields if each)
        wanted = ", ".join(f"{column}::text" if (table, column) in JSON else column for column in columns)
        which = f"WHERE name = ANY('{{{','.join(OWN_NOTES)}}}')" if table == "notes" else ""
        return self._session.scan(f"SELECT {wanted} FROM {table} {which} ORDER BY {order}", PAGE)

    def write(self, table: str, rows: Iterable[Row]) -> None:
        self._session.add(f"DELETE FROM {table}")  # what using it makes
        columns, rest = TABLES[table].columns, iter(rows)
        if table == "turns":
            columns = (*columns, "id")
            rest = ((thread, line, find_id(line, thread, "Install the newer one.")) for thread, line in rest)
        while page := [*islice(rest, PAGE)]:
            self._session.insert(table, columns, page)
            for key in (text for name, text in page if name == "calendar-key") if table == "notes" else ():
                self._session.add(KEEP_KEY, make_digest(key))
            self._session.run()


@contextmanager
def open_person(database: Database, session: Session, name: str, embedder: Embedder) -> Iterator[Side]:
    """Yield everything of a person in one of their transactions."""
    backend = PostgresBackend(database, name, embedder)
    with backend.bound.bind(session, writes=True):
        yield Side(WholePostgres(backend, session), DatabaseRows(session))


@contextmanager
def begin(database: Database, number: int) -> Iterator[Session]:
    """Yield a transaction of a person, even of one whose data is elsewhere."""
    with database.begin(Statement("BEGIN"), Statement(_PERSON, [str(number)])) as session:
        yield session


@contextmanager
def replace_person(
    database: Database, name: str, *, is_new: bool = False
) -> Iterator[tuple[Session, dict[str, list[Row]], str]]:
    """Replace a person's data: yield a transaction for the new data, the earlier rows of personal tables, and the
    name, which no person can have, under which the earlier data is set aside. The caller owns every conversation.

    Args:
        is_new: Whether the database must have no data of the person except data that was moved to a folder.

    Raises:
        UserError: It has such data.
        StoreBusy: One of their messages waits for its answer, or reminders are being delivered.
    """
    aside, present = f"{name} {datetime.now(UTC):%Y%m%dT%H%M%S%f}", dict[str, list[Row]]()
    with database.begin(Statement("BEGIN")) as session:
        for number, away in session.ask("SELECT number, away FROM people WHERE name = ? FOR UPDATE", name):
            session.ask(_PERSON, str(number))
            if is_new and away is None and holds(session):
                raise UserError(
                    f"The database has something of {name!r} already; nothing was changed.",
                    "Use another database, or move that data to a folder: `ana move folder`.",
                )
            refuse_work(session)
            present = {table: [*DatabaseRows(session).read(table)] for table in PERSONAL}
            session.add("UPDATE people SET name = ? WHERE number = ?", aside, number)
        ((new,),) = session.ask("INSERT INTO people (name) VALUES (?) RETURNING number", name)
        session.ask(_PERSON, str(new))
        yield session, present, aside


def holds(session: Session) -> bool:
    """Return whether a person has data."""
    any_row = " OR ".join(f"EXISTS (SELECT FROM {table})" for table in _TELLING)
    ((exists,),) = session.ask(f"SELECT {any_row}")
    return bool(exists)


def refuse_work(session: Session) -> None:
    """Raise StoreBusy if a run of the person is unfinished, or reminders are being delivered."""
    if session.ask("SELECT 1 FROM runs WHERE NOT done LIMIT 1"):
        raise StoreBusy("One of their messages waits for its answer.", "Let a worker answer it, or cancel its run.")
    if session.ask(f"SELECT 1 FROM ringers WHERE {IN_USE}"):
        raise StoreBusy("A program delivers their reminders.", "Wait until it has finished, or stop that program.")
