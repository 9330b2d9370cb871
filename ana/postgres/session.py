"""A transaction whose statements reach the server together: a round trip costs more than most statements."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import psycopg
from psycopg import Connection, errors
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from ana.errors import LeaseLost, PersonRemoved, StoreBroken, StoreBusy, UserError
from ana.tables import Rows, Statement

MOST_PARAMS = 65_535
"""How many values a statement of PostgreSQL takes."""

_OURS: dict[str | None, type[UserError]] = {"ANA01": LeaseLost, "ANA02": PersonRemoved}
"""What the functions `keep_leases` and `begin_work` raise."""


IN_FOLDER = "Take ANA_DATABASE_URL out, or bring it here: `ana move database`."
"""What to do about what a person has in a data folder."""

_HINTS: dict[type[psycopg.Error], str] = {
    errors.InsufficientPrivilege: "Grant it to the role that ANA_DATABASE_URL names.",
    errors.DiskFull: "Make room on the disk of the database, then try again.",
    errors.RaiseException: IN_FOLDER,  # `begin_work` raises it
}
"""What to do about an error with which trying again alone does not help."""


IN_USE = "until BETWEEN clock_timestamp() AND clock_timestamp() + interval '5 minutes'"
"""Whether something that is renewed every half minute is held; one until later was taken while the clock was ahead, and
would outlive a holder that is gone by as much."""


@contextmanager
def map_errors() -> Iterator[None]:
    """Turn psycopg's errors into ana's, without their detail, which may quote stored text."""
    try:
        yield
    except PoolTimeout as exc:
        message = "The database gave no connection in time: it cannot be reached, or all are in use."
        raise StoreBroken(message, "Try again.") from exc
    except errors.LockNotAvailable as exc:
        raise StoreBusy("The database is busy.", "Try again.") from exc
    except psycopg.Error as exc:
        if ours := _OURS.get(exc.sqlstate):
            raise ours from exc
        # what cannot be connected to quotes nobody
        reason = exc.diag.message_primary or (isinstance(exc, psycopg.OperationalError) and f"{exc}".partition("\n")[0])
        reason = reason or type(exc).__name__
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(exc, kind)), "Try again.")
        raise StoreBroken(f"The database cannot be used: {reason}.", hint) from exc


_COMMIT = Statement("COMMIT")


class Session:
    """One transaction. `ana.postgres.database` makes it, and ends it.

    Args:
        connection: A connection in autocommit.
        first: The statements to send before all others, BEGIN first.
    """

    def __init__(self, connection: Connection[Any], first: Sequence[Statement]) -> None:
        self._connection = connection
        self._first = list(first)
        self._waiting = list(first)
        self._scans = 0
        self.is_over = False
        """Whether it was committed."""

    def add(self, text: str, *params: Any) -> None:
        """Send a statement with the next ones that are run; nobody reads its rows."""
        self._waiting.append(Statement(text, params))

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows with the next statements that are run; values are in the order of the columns, JSON is text."""
        every, most = list(rows), MOST_PARAMS // len(columns)
        for first in range(0, len(every), most):
            some = every[first : first + most]
            places = ", ".join([f"({', '.join('?' * len(columns))})"] * len(some))
            values = [value for row in some for value in row]
            self.add(f"INSERT INTO {table} ({', '.join(columns)}) VALUES {places}", *values)

    def ask(self, text: str, *params: Any) -> Rows:
        """Run a statement and return its rows."""
        return self.run(Statement(text, params))[0]

    def scan(self, query: str, page: int = 100) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query page by page, while the transaction lasts."""
        self._scans += 1
        name = f"scan_{self._scans}"
        self.add(f"DECLARE {name} NO SCROLL CURSOR FOR {query}")
        while rows := self.ask(f"FETCH {page} FROM {name}"):
            yield from rows
        self.add(f"CLOSE {name}")

    def run(self, *statements: Statement, commits: bool = False) -> list[Rows]:
        """Run statements in one round trip, and return the rows of each.

        Args:
            statements: The statements, run one after the other; after a failed one no more are run.
            commits: Whether the transaction ends with them.
        """
        waiting, self._waiting = self._waiting, []
        self.is_over = commits
        last = [_COMMIT] * commits
        if commits and len(statements) == 1 and waiting == self._first:
            waiting, last = waiting[1:], []  # what is sent together is a transaction anyway
        with map_errors():
            cursors = self._send([*waiting, *statements, *last])
            wanted = cursors[len(waiting) : len(waiting) + len(statements)]
            return [cursor.fetchall() if cursor.description else [] for cursor in wanted]

    @contextmanager
    def part(self) -> Iterator[None]:
        """After an error, roll back the changes made in the context, and only those."""
        self.add("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.add("ROLLBACK TO part")
            raise
        finally:
            self.add("RELEASE part")

    def commit(self) -> None:
        """Commit the changes, unless they are committed already, or there are none.

        Raises:
            StoreBroken: A statement had failed, which undid all changes before it.
        """
        if self.is_over:
            return
        status = self._connection.info.transaction_status
        if status == TransactionStatus.INERROR:
            raise StoreBroken("The database has undone what was begun.", "Try again.")
        if status != TransactionStatus.IDLE or self._waiting != self._first:
            self.run(commits=True)

    def roll_back(self) -> None:
        """Roll back the changes if the connection still works; else the server does it."""
        if not self._connection.closed:
            self._connection.rollback()

    def _send(self, statements: Sequence[Statement]) -> list[Any]:
        # a pipeline takes a third of a millisecond; what is read is binary, so that numbers and bytes need no reading
        with self._connection.pipeline() if len(statements) > 1 else nullcontext():
            return [self._connection.execute(_number(each.text), each.params, binary=True) for each in statements]


def _number(text: str) -> str:
    """Return a statement with numbered question marks, as the protocol requires."""
    first, *others = text.split("?")
    return first + "".join(f"${number}{other}" for number, other in enumerate(others, 1))
