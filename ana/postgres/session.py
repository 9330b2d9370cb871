"""A transaction whose statements reach the server together: a round trip costs more than most statements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from psycopg import Connection, errors
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from ana.errors import StoreBroken, StoreBusy

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """A statement of SQL, and the values of its question marks."""

    text: str
    params: Sequence[Any] = ()


@contextmanager
def map_errors() -> Iterator[None]:
    """Raise what psycopg raises as one of ours, without its detail, which may quote what a person has stored."""
    try:
        yield
    except (PoolTimeout, errors.LockNotAvailable) as exc:
        raise StoreBusy("The database is busy.", "Try again.") from exc
    except psycopg.Error as exc:
        said = exc.diag.message_primary or type(exc).__name__
        raise StoreBroken(f"The database cannot be used: {said}.", "Try again.") from exc


class Session:
    """One transaction. `ana.postgres.database` makes it, and ends it.

    Args:
        connection: A connection in autocommit.
        first: What is sent before everything else.
    """

    def __init__(self, connection: Connection[Any], first: Sequence[Statement]) -> None:
        self._connection = connection
        self._waiting = list(first)
        self._first = len(first)
        self.is_over = False
        """Whether it was committed."""

    def add(self, text: str, *params: Any) -> None:
        """Send a statement with the next ones that are run; nobody reads its rows."""
        self._waiting.append(Statement(text, params))

    def insert(self, table: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows with the next statements that are run.

        Args:
            table: Its name.
            columns: The types of the columns that are given, by name.
            rows: The values, in the order of the columns; of JSON as text.
        """
        names = ", ".join(columns)
        # an array of JSON would be read twice
        types = ("text" if type == "json" else type for type in columns.values())
        given = ", ".join(f"?::{type}[]" for type in types)
        values = ", ".join(f"{name}::{type}" for name, type in columns.items())
        if arrays := [[*each] for each in zip(*rows, strict=True)]:
            self.add(f"INSERT INTO {table} ({names}) SELECT {values} FROM unnest({given}) AS given({names})", *arrays)

    def ask(self, text: str, *params: Any) -> Rows:
        """Run a statement and return its rows."""
        return self.run(Statement(text, params))[0]

    def run(self, *statements: Statement, commits: bool = False) -> list[Rows]:
        """Run statements in one round trip, and return the rows of each.

        Args:
            statements: They are run one after the other, and none after one that fails.
            commits: Whether the transaction ends with them.
        """
        waiting, self._waiting = self._waiting, []
        with map_errors():
            with self._connection.pipeline():
                for statement in waiting:
                    self._send(statement)
                cursors = [self._send(statement) for statement in statements]
                if commits:
                    self.is_over = True
                    self._send(Statement("COMMIT"))
            return [cursor.fetchall() if cursor.description else [] for cursor in cursors]

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what is done in the context, and no more, after an error."""
        self.add("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if not self._connection.closed:
                self.add("ROLLBACK TO part")
            raise

    def commit(self) -> None:
        """Commit what was done, unless it is committed already, or nothing was.

        Raises:
            StoreBroken: A statement had failed, with which all that was done before it was undone.
        """
        if self.is_over:
            return
        status = self._connection.info.transaction_status
        if status == TransactionStatus.INERROR:
            raise StoreBroken("The database has undone what was begun.", "Try again.")
        if status != TransactionStatus.IDLE or len(self._waiting) > self._first:
            self.run(commits=True)

    def roll_back(self) -> None:
        """Undo what was done, if the connection still works; without it the server does."""
        if not self._connection.closed:
            self._connection.rollback()

    def _send(self, statement: Statement) -> Any:
        # binary, so that numbers and bytes need no reading
        return self._connection.execute(_number(statement.text), statement.params, binary=True)


def _number(text: str) -> str:
    """Return a statement with its question marks numbered, as the protocol has them."""
    first, *others = text.split("?")
    return first + "".join(f"${number}{other}" for number, other in enumerate(others, 1))
