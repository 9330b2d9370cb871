"""A transaction whose statements reach the server together: a round trip costs more than most statements."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from psycopg import Connection
from psycopg.pq import TransactionStatus

Rows = list[tuple[Any, ...]]


class Statement(NamedTuple):
    """A statement of SQL, and the values of its question marks."""

    text: str
    params: Sequence[Any] = ()


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
        self._is_over = False

    def add(self, text: str, *params: Any) -> None:
        """Send a statement with the next ones that are run; nobody reads its rows."""
        self._waiting.append(Statement(text, params))

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
        with self._connection.pipeline():
            for statement in waiting:
                self._send(statement)
            cursors = [self._send(statement) for statement in statements]
            if commits:
                self._is_over = True
                self._send(Statement("COMMIT"))
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]

    def commit(self) -> None:
        """Commit what was done, unless it is committed already, or nothing was."""
        has_begun = self._connection.info.transaction_status != TransactionStatus.IDLE
        if not self._is_over and (has_begun or len(self._waiting) > self._first):
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
