"""One person's rows in a database, for every kind of storage there: each call is a transaction."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from typing import Any

from ana.postgres.database import READ, WRITE, Database
from ana.postgres.session import Session
from ana.tables import Rows, Statement


class PersonRows:
    """The rows of a person, as `Tables`. Errors as of `ana.postgres.session.map_errors`.

    Args:
        database: The database of the rows.
        person: The person's name.
        number: The person's number; None: look it up by name at the first use, and enter the person if the name is new.
    """

    def __init__(self, database: Database, person: str, number: int | None = None) -> None:
        self.database, self.person = database, person
        if number is not None:
            self.number = number

    @cached_property
    def number(self) -> int:
        """The person's number."""
        return self.database.find_person(self.person)

    def ask(self, text: str, *params: Any) -> Rows:
        """Return the rows of a query, in one round trip."""
        return self.read(Statement(text, params))[0]

    def read(self, *statements: Statement) -> list[Rows]:
        """Return the rows of queries, which see one state, in one round trip."""
        with self.database.transaction(self.number, READ) as session:
            return session.run(*statements, commits=True)

    def change(self, *statements: Statement, waits: bool = True) -> list[Rows]:
        """Make changes, all or none, in one round trip, and return the rows of each."""
        with self.write() as session:
            return session.run(*statements, commits=True)

    def compact(self) -> None:
        """Do nothing: the server takes the room of deleted rows back by itself, and its files are its operator's."""

    def keep_open(self) -> AbstractContextManager["PersonRows"]:
        """Return the rows: the connections stay open anyway."""
        return nullcontext(self)

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yield a transaction that may write."""
        with self.database.transaction(self.number, WRITE) as session:
            yield session


class SessionRows(PersonRows):
    """The rows of a person in one transaction, which ends elsewhere."""

    def __init__(self, database: Database, person: str, session: Session) -> None:
        super().__init__(database, person)
        self._session = session

    def read(self, *statements: Statement) -> list[Rows]:
        return self._session.run(*statements)

    def change(self, *statements: Statement, waits: bool = True) -> list[Rows]:
        return self._session.run(*statements)

    @contextmanager
    def write(self) -> Iterator[Session]:
        yield self._session
        self._session.run()
