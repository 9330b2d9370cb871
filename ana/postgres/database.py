"""The database of a deployment: its connections, and transactions of one person.

Nothing outlives a transaction on a connection, no setting, lock or prepared statement: a pooler such as PgBouncer may
hand each transaction to another.
"""

import atexit
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

from psycopg import Connection, ProgrammingError, RawCursor
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from ana.errors import ConfigError
from ana.leases import tokens
from ana.postgres.migrations import migrate
from ana.postgres.session import IN_FOLDER, Session, map_errors
from ana.tables import Statement

Mode = Literal["READ COMMITTED", "REPEATABLE READ READ ONLY"]
WRITE: Mode = "READ COMMITTED"
"""Each statement sees what was committed before it: what is read after a lock was waited for is present."""
READ: Mode = "REPEATABLE READ READ ONLY"
"""All statements see one state."""

_PATIENCE = "10s"
"""How long a transaction waits for one that writes."""

_LONGEST_PAUSE = "60s"
"""How long a transaction may do nothing: one of a process that was stopped keeps all others waiting."""

RECONNECT_SECONDS = 2.0
"""How many seconds a pool goes on reconnecting by itself. After that, the next request starts a new attempt at once.

The library's default is 300, with pauses that double: after an outage of two minutes it may pause for two more.
"""

_AWAY_SECONDS, _SHORT_PATIENCE = 5.0, 0.5
"""How long others wait less for a connection after one has waited in vain, and how long they wait then."""

_BEGIN_WORK = (
    "SELECT begin_work(?), set_config('lock_timeout', ?, true), "
    "set_config('idle_in_transaction_session_timeout', ?, true)"
)
_KEEP_LEASES = "SELECT keep_leases(?)"


class Database:
    """A pool of connections to one database, opened and migrated at the first use. Safe to use from several threads.

    Args:
        url: An address for libpq: postgresql://user:password@host/name.
        most: The greatest number of connections.
        timeout: Seconds to wait for a connection.
    """

    def __init__(self, url: str, most: int = 10, timeout: float = 10.0) -> None:
        self._url, self._most, self._timeout = url, most, timeout
        self._opening = threading.Lock()
        self._pool: ConnectionPool[Connection[Any]] | None = None
        self._failed = -math.inf
        """When somebody waited in vain for a connection; no moment if somebody has got one since."""

    def find_person(self, name: str) -> int:
        """Return the number of a person; enter the person if the name is new.

        Raises:
            ConfigError: The person's data is in a data folder.
        """
        with self.connect() as connection:
            while True:
                known = connection.execute("SELECT number, away FROM people WHERE name = $1", (name,)).fetchone()
                if known and known[1] is not None:
                    raise ConfigError(
                        f"What {name!r} has is in a data folder, not in the database.",
                        IN_FOLDER,
                    )
                if known:
                    return int(known[0])
                connection.execute("INSERT INTO people (name) VALUES ($1) ON CONFLICT DO NOTHING", (name,))

    def find_name(self, person: int) -> str | None:
        """Return the name of a person; None if nobody has the number, or the person was removed."""
        query = "SELECT name FROM people WHERE number = $1 AND name NOT LIKE '% %'"
        with self.connect() as connection:
            row = connection.execute(query, (person,)).fetchone()
        return row[0] if row else None

    def list_people(self) -> list[str]:
        """Return the names of all entered people, without removed ones."""
        with self.connect() as connection:
            rows = connection.execute(
                "SELECT name FROM people WHERE name NOT LIKE '% %' AND away IS NULL ORDER BY name"
            ).fetchall()
        return [name for (name,) in rows]

    @contextmanager
    def transaction(self, person: int, mode: Mode) -> Iterator[Session]:
        """Yield a transaction of a person; it is committed at the end, or undone after an error.

        It begins with the first statement, in the same round trip.

        Raises:
            PersonRemoved: The person was removed.
            LeaseLost: It would write for a turn whose conversation another process has taken over; nothing is written.
            StoreBroken: The person's data was moved into a folder.
        """
        first = [
            Statement(f"BEGIN ISOLATION LEVEL {mode}"),
            Statement(_BEGIN_WORK, [person, _PATIENCE, _LONGEST_PAUSE]),
        ]
        numbers = [number for holder, number in tokens.get() if holder == person]
        if mode == WRITE and numbers:
            first.append(Statement(_KEEP_LEASES, [numbers]))
        with self.begin(*first) as session:
            yield session

    @contextmanager
    def begin(self, *first: Statement) -> Iterator[Session]:
        """Yield a transaction as `transaction` does, which begins with these statements."""
        with self.connect() as connection:
            session = Session(connection, first)
            try:
                yield session
                session.commit()
            except BaseException:
                session.roll_back()
                raise

    @contextmanager
    def connect(self, patience: float | None = None) -> Iterator[Connection[Any]]:
        """Yield a connection in autocommit, waiting for it for some seconds; psycopg's errors become ana's.

        If another caller has just waited in vain, and nobody has got a connection since, the wait is short.
        """
        is_away = time.monotonic() < self._failed + _AWAY_SECONDS
        with map_errors():
            pool = self._get_pool()
            try:
                with pool.connection(patience or (_SHORT_PATIENCE if is_away else None)) as connection:
                    self._failed = -math.inf
                    try:
                        yield connection
                    except BaseException:
                        if connection.closed:  # others may be lost with it: whoever comes next gets one that works
                            pool.check()
                        raise
            except PoolTimeout:
                self._failed = time.monotonic()
                raise

    def close(self) -> None:
        """Close all connections; the next use opens them again."""
        with self._opening:
            if self._pool is not None:
                self._pool.close()
                self._pool = None

    def _get_pool(self) -> "ConnectionPool[Connection[Any]]":
        with self._opening:
            if self._pool is None:
                options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None, "cursor_factory": RawCursor}
                # not from the pool, which says nothing of a wrong password or host but that it took too long
                with Connection.connect(self._url, connect_timeout=round(self._timeout), **options) as connection:
                    migrate(connection)
                    _check_role(connection)
                pool = ConnectionPool(
                    self._url,
                    kwargs=options,
                    min_size=1,
                    max_size=self._most,
                    timeout=self._timeout,
                    reconnect_timeout=RECONNECT_SECONDS,
                    open=True,
                )
                self._pool = pool
            return self._pool


@cache
def open_database(url: str) -> Database:
    """Return the process's own pool of a database; it is closed with the process.

    Raises:
        ConfigError: It is not an address of a database.
    """
    try:
        conninfo_to_dict(url)
    except ProgrammingError as exc:  # without what was said: it may quote a password
        raise ConfigError(
            "ANA_DATABASE_URL is wrong: it is no address of PostgreSQL.",
            "Write it as postgresql://USER:PASSWORD@HOST/NAME.",
        ) from exc
    database = Database(url)
    atexit.register(database.close)
    return database


def _check_role(connection: Connection[Any]) -> None:
    """Raise ConfigError if nothing would keep people apart."""
    passes = "SELECT rolname FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)"
    if row := connection.execute(passes).fetchone():
        raise ConfigError(
            f"ANA_DATABASE_URL: the role {row[0]!r} passes row-level security, which keeps people apart.",
            "Name a role that is no superuser and has no BYPASSRLS; it may own the tables.",
        )
