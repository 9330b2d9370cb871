"""Connections, migrations and transactions, as a role that may only read and write rows."""

import secrets
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from psycopg_pool.base import AttemptWithBackoff

from ana.errors import ConfigError, StoreBroken
from ana.postgres import migrations
from ana.postgres.database import READ, WRITE, Database
from ana.tables import Statement
from evals.postgres import WORKER, PostgresServer, add_worker
from tests.postgres.server import database, new_database, server
from tests.postgres.trips import counting


@pytest.fixture
def empty() -> Iterator[str]:
    """The address of a new database without tables, for its owner, who is no superuser."""
    with new_database() as url:
        yield url


def add_person() -> int:
    return database().find_person(secrets.token_hex(8))


def test_steps_are_taken_once_whoever_comes_first(empty: str) -> None:
    databases = [Database(empty) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda each: each.find_person("ann"), databases)) == {1}
    with databases[0].connect() as connection:
        taken = connection.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
    steps = sorted(Path(migrations.__file__).parent.glob("[0-9]*.sql"))
    assert taken == [(number, step.stem) for number, step in enumerate(steps, 1)]
    for each in databases:
        each.close()


def test_a_database_of_a_later_version_is_refused(empty: str) -> None:
    with psycopg.connect(empty) as owner:
        owner.execute(migrations._MAKE_TABLE.encode())
        owner.execute("INSERT INTO migrations SELECT number, 'later' FROM generate_series(1, 999) AS number")
    with pytest.raises(ConfigError, match="later version"):
        Database(empty).find_person("ann")


def test_a_step_that_fails_leaves_nothing(empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "0001_one.sql").write_text("CREATE TABLE one (a integer)")
    (tmp_path / "0002_two.sql").write_text("CREATE TABLE two (a integer); SELECT 1 / 0")
    with pytest.raises(StoreBroken, match="division by zero"):
        Database(empty).find_person("ann")
    with psycopg.connect(empty) as owner:
        names = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert sorted(names) == [("migrations",), ("one",)]


def test_a_transaction_is_made_whole_or_undone() -> None:
    name = secrets.token_hex(8)

    def add(*statements: Statement) -> None:
        with database().transaction(add_person(), WRITE) as session:
            session.add("INSERT INTO people (name) VALUES (?)", name)
            session.run(*statements)

    with pytest.raises(StoreBroken, match="division by zero"):
        add(Statement("SELECT 1 / ?::integer", [0]))
    with database().connect() as connection:
        counted = "SELECT count(*) FROM people WHERE name = $1"
        assert connection.execute(counted, [name]).fetchone() == (0,)
        add()
        assert connection.execute(counted, [name]).fetchone() == (1,)


def test_nothing_is_written_where_one_state_is_read() -> None:
    with pytest.raises(StoreBroken, match="read-only"), database().transaction(add_person(), READ) as session:
        session.ask("INSERT INTO people (name) VALUES ('anybody')")


def test_who_may_not_read_a_table_is_told_what_to_do(empty: str) -> None:
    refused = Database(empty)
    refused.find_person("ann")
    with psycopg.connect(empty) as owner:
        owner.execute("REVOKE ALL ON people FROM CURRENT_USER")
    with pytest.raises(StoreBroken) as told:
        refused.find_person("ann")
    assert told.value.hint == "Grant it to the role that ANA_DATABASE_URL names."
    refused.close()


def test_the_person_is_forgotten_with_the_transaction() -> None:
    alone, person = Database(f"{server()} user={WORKER}", most=1), add_person()
    with alone.transaction(person, WRITE) as session:
        assert session.ask("SELECT current_setting('ana.person')") == [(str(person),)]
    with alone.connect() as connection:
        assert connection.execute("SELECT current_setting('ana.person', true)").fetchone() in [(None,), ("",)]
    alone.close()


def test_a_transaction_begins_and_ends_with_its_statements() -> None:
    alone, person = Database(f"{server()} user={WORKER}", most=1), add_person()
    with counting(alone) as trips, alone.transaction(person, WRITE) as session:
        assert session.run(Statement("SELECT 1"), Statement("SELECT 2"), commits=True) == [[(1,)], [(2,)]]
    assert trips == [1]
    with counting(alone) as trips, alone.transaction(person, WRITE) as session:
        session.ask("SELECT 1")
    assert trips == [2]
    with counting(alone) as trips, alone.transaction(person, WRITE):
        """Nothing is sent."""
    assert trips == [0]
    alone.close()


def test_a_lost_connection_is_opened_again() -> None:
    alone, person = Database(f"{server()} user={WORKER}", most=2), add_person()
    with alone.transaction(person, READ) as first, alone.transaction(person, READ) as second:
        pids = [session.ask("SELECT pg_backend_pid()")[0][0] for session in (first, second)]
    with psycopg.connect(server(), autocommit=True) as owner:
        for pid in pids:
            owner.execute("SELECT pg_terminate_backend(%s, 1000)", [pid])
    with pytest.raises(StoreBroken), alone.transaction(person, READ) as session:
        session.ask("SELECT 1")
    with alone.transaction(person, READ) as first, alone.transaction(person, READ) as second:
        assert [session.ask("SELECT 1") for session in (first, second)] == [[(1,)], [(1,)]]
    alone.close()


def test_what_gets_no_connection_in_time_is_no_conflict() -> None:
    narrow = Database(f"{server()} user={WORKER}", most=1, timeout=0.3)
    with narrow.connect(), pytest.raises(StoreBroken, match="gave no connection in time"), narrow.connect(0.01):
        pass
    narrow.close()


def test_where_one_has_waited_in_vain_others_wait_less_until_one_gets_a_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited, connection = list[float | None](), ConnectionPool.connection

    def note(pool: ConnectionPool[Any], timeout: float | None = None) -> AbstractContextManager[Any]:
        waited.append(timeout)
        return connection(pool, timeout)

    monkeypatch.setattr(ConnectionPool, "connection", note)
    monkeypatch.setattr("ana.postgres.database._SHORT_PATIENCE", 0.01)
    narrow = Database(f"{server()} user={WORKER}", most=1, timeout=0.3)
    with narrow.connect():
        for _ in range(2):
            with pytest.raises(StoreBroken), narrow.connect():
                pass
    for _ in range(2):
        with narrow.connect():
            pass
    assert waited == [None, None, 0.01, 0.01, None]
    narrow.close()


def test_a_database_that_was_away_for_long_is_found_soon_after_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AttemptWithBackoff, "INITIAL_DELAY", 600.0)  # as after a quarter of an hour away
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)  # PostgreSQL runs as another user than root
        (folder := Path(name, "postgres")).mkdir()
        own = PostgresServer(folder)
        own.start()
        try:
            kept = Database(add_worker(own.url), most=1)
            assert kept.find_person("ann") == 1
            own.kill()
            with suppress(StoreBroken):
                while kept.find_person("ann"):  # what the server has started ends a moment later
                    pass
            with pytest.raises(StoreBroken), kept.connect(0.1):
                pass
            own.start()
            with kept.connect(60) as connection:
                assert connection.execute("SELECT name FROM people").fetchall() == [("ann",)]
            kept.close()
        finally:
            own.stop()
