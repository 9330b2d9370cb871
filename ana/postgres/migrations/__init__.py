"""The steps that make the tables, files of SQL in the order of their numbers, and the code that takes them.

A step that was released is never changed; the next change is another file. The tables of the queue, procrastinate, are
made by its own steps, and ana's steps follow them.
"""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from psycopg import Connection

from ana.errors import ConfigError
from ana.postgres.migrations.sources import tell_sources

_LOCK = 4_170_226
"""Keeps other processes out meanwhile: no other use of advisory locks has this number."""

_MAKE_TABLE = "CREATE TABLE IF NOT EXISTS migrations (number integer PRIMARY KEY, name text NOT NULL)"

_AFTER: dict[int, Callable[[Connection[Any]], None]] = {14: tell_sources}
"""What a step does once its SQL is done, in its transaction."""

_WAKE = "wake.sql"
"""A step of ours on the queue's table; its own begin with a digit, so it is taken after them."""
_MAKE_QUEUE_TABLE = "CREATE TABLE IF NOT EXISTS queue_steps (name text PRIMARY KEY)"


def migrate(connection: Connection[Any]) -> None:
    """Take the steps that the database has not taken, each in a transaction, on a connection in autocommit.

    A role that may not change tables can use a database that is up to date.

    Raises:
        ConfigError: The database has steps that this version does not know.
    """
    steps = {int(path.name[:4]): path for path in sorted(Path(__file__).parent.glob("[0-9]*.sql"))}
    taken = _count_steps(connection)
    if taken > len(steps):
        raise ConfigError("ANA_DATABASE_URL: the database was made by a later version of ana.", "Install that version.")
    while taken < len(steps):
        with connection.transaction():
            _lock(connection)
            connection.execute(_MAKE_TABLE)
            number = _count_steps(connection) + 1  # another process may have taken some meanwhile
            if number in steps:
                connection.execute(steps[number].read_text(encoding="utf-8"))
                if number in _AFTER:
                    _AFTER[number](connection)
                connection.execute("INSERT INTO migrations VALUES ($1, $2)", (number, steps[number].stem))
            taken = number
    _prepare_queue(connection)


def _lock(connection: Connection[Any]) -> None:
    # until the end of the transaction: a lock of the session would outlive it in a pooler
    connection.execute("SELECT pg_advisory_xact_lock($1)", (_LOCK,))


def _prepare_queue(connection: Connection[Any]) -> None:
    steps = {path.name: path for path in files("procrastinate.sql.migrations").iterdir() if path.name.endswith(".sql")}
    steps[_WAKE] = Path(__file__).parent / _WAKE
    for name in sorted(steps.keys() - _list_queue_steps(connection)):
        with connection.transaction():
            _lock(connection)
            connection.execute(_MAKE_QUEUE_TABLE)
            if name not in _list_queue_steps(connection):
                connection.execute(steps[name].read_text(encoding="utf-8"))
                connection.execute("INSERT INTO queue_steps VALUES ($1)", (name,))


def _list_queue_steps(connection: Connection[Any]) -> set[str]:
    (known,) = connection.execute("SELECT to_regclass('queue_steps') IS NOT NULL").fetchone() or (False,)
    return {name for (name,) in connection.execute("SELECT name FROM queue_steps")} if known else set()


def _count_steps(connection: Connection[Any]) -> int:
    (known,) = connection.execute("SELECT to_regclass('migrations') IS NOT NULL").fetchone() or (False,)
    if not known:
        return 0
    (count,) = connection.execute("SELECT count(*) FROM migrations").fetchone() or (0,)
    return int(count)
