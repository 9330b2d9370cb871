"""Everything of a person in PostgreSQL, and its replacement."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from ana.archive.parts import SCANNED, Row, list_columns, select_all
from ana.archive.place import Place, split
from ana.backends.postgres.backend import PostgresBackend
from ana.embedders import Embedder
from ana.errors import StoreBusy, UserError
from ana.handles import DataHandles
from ana.postgres.database import READ, Database
from ana.postgres.person import SessionRows
from ana.postgres.session import IN_USE, Session
from ana.tables import Statement
from ana.workspace import Workspace
from ana.workspace.postgres import PostgresStorage

PAGE = 20
"""Rows sent together; they may be large, because a checkpoint contains all messages of its conversation."""

_TELLING = (
    *("records", "entries", "thread_names", "last_thread", "turns", "bills"),
    *(table for table, _ in SCANNED.values()),
)
"""Tables in which a row means that a person has data; any use of the database creates rows in others."""

_PERSON = "SELECT set_config('ana.person', ?, true), set_config('lock_timeout', '10s', true)"


class _SessionTables:
    """The tables in a transaction of a person."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def scan(self, part: str) -> Iterator[Row]:
        return self._session.scan(select_all(part), PAGE)

    def insert(self, part: str, rows: Iterable[Row]) -> None:
        for page in split(rows, PAGE):
            self._session.insert(SCANNED[part][0], list_columns(part), page)
            self._session.run()


@contextmanager
def open_person(database: Database, session: Session, workspace: Workspace, embedder: Embedder) -> Iterator[Place]:
    """Yield everything of a person in one of their transactions, wherever their workspace is."""
    names = [name for (name,) in session.ask("SELECT embedder FROM stores WHERE embedder <> ''")]
    backend = PostgresBackend(database, workspace.person, embedder)
    storage = PostgresStorage(SessionRows(database, workspace.person, session))
    with backend.bound.bind(session, writes=True):
        yield Place(backend, storage, workspace.settings, _SessionTables(session), *names)


@contextmanager
def open_used_person(handles: DataHandles) -> Iterator[Place]:
    """Yield everything of a person as of one moment, while others may use it."""
    rows = handles.workspace.rows
    with (
        rows.database.transaction(rows.number, READ) as session,
        open_person(rows.database, session, handles.workspace, handles.care.embedder) as place,
    ):
        yield place


@contextmanager
def begin(database: Database, number: int) -> Iterator[Session]:
    """Yield a transaction of a person, even of one whose data is elsewhere."""
    with database.begin(Statement("BEGIN"), Statement(_PERSON, [str(number)])) as session:
        yield session


@contextmanager
def replace_person(database: Database, name: str, *, is_new: bool = False) -> Iterator[tuple[Session, str]]:
    """Replace a person's data: yield a transaction for the new data, and the name, which no person can have, under
    which the earlier data is set aside. The caller owns every conversation.

    Args:
        is_new: Whether the database must have no data of the person except data that was moved to a folder.

    Raises:
        UserError: It has such data.
        StoreBusy: One of their messages waits for its answer, or reminders are being delivered.
    """
    aside = f"{name} {datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    with database.begin(Statement("BEGIN")) as session:
        for number, away in session.ask("SELECT number, away FROM people WHERE name = ? FOR UPDATE", name):
            session.ask(_PERSON, str(number))
            if is_new and away is None and holds(session):
                raise UserError(
                    f"The database has something of {name!r} already; nothing was changed.",
                    "Use another database, or move that data to a folder: `ana move folder`.",
                )
            refuse_work(session)
            session.add("UPDATE people SET name = ? WHERE number = ?", aside, number)
        ((new,),) = session.ask("INSERT INTO people (name) VALUES (?) RETURNING number", name)
        session.ask(_PERSON, str(new))
        yield session, aside


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
