"""The acts of other assistants' calls that were not answered yet, in a database."""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ana.errors import PersonRemoved
from ana.postgres.person import PersonRows
from ana.postgres.session import Statement
from app.mcp.again import LONGEST, Act, digest_call

_NOTE = """INSERT INTO calls (digest, thread, act) VALUES (?, ?, ?)
    ON CONFLICT (person, digest) DO UPDATE SET noted = now(),
    thread = CASE WHEN calls.noted < now() - make_interval(secs => ?) THEN excluded.thread ELSE calls.thread END,
    act = CASE WHEN calls.noted < now() - make_interval(secs => ?) THEN excluded.act ELSE calls.act END
    RETURNING thread, act"""


class PostgresAgain:
    """The acts of a client, as `Again` has them in files: any process sees them.

    The same call that comes while the first is at work is that one, sent again: whether its process lives is not known.

    Args:
        rows: What the person has in the database.
        client: The client's name.
    """

    def __init__(self, rows: PersonRows, client: str) -> None:
        self._rows = rows
        self._client = client
        self._open: str | None = None

    def begin(self, name: str, args: Mapping[str, Any], thread: str) -> Act:
        """Return a call's act; arguments as of `Again`."""
        self.close()
        self._open = digest_call(self._client, name, args)
        new = Act(thread, secrets.token_hex(5))
        (((thread, act),),) = self._rows.change(Statement(_NOTE, [self._open, *new, LONGEST, LONGEST]))
        return Act(thread, act)

    def close(self) -> None:
        """Take the last call as answered."""
        if self._open:
            with suppress(PersonRemoved):  # then there is nobody to whom it could be sent again
                self._rows.change(Statement("DELETE FROM calls WHERE digest = ?", [self._open]))
        self._open = None

    def leave_open(self) -> None:
        """Take the last call as one that waits to be sent again, as if its process had ended."""
        self._open = None
