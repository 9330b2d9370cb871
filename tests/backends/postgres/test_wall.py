"""Row-level security: a second wall between people, for a role that is neither owner nor superuser."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest

from ana.backends.postgres.backend import PostgresBackend
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.time.clock import Clock
from evals.postgres import WORKER
from tests.conftest import EMBEDDER
from tests.postgres.server import database, server

TABLES = ("stores", "records", "entries")

_INSERT = """INSERT INTO entries (person, seq, ts, thread, turn, kind, id, names)
    VALUES (%s, 9, '2026-01-09', '', '', 'item', 'a', '["", "", null, "a"]')"""


@pytest.fixture
def people(clock: Clock) -> tuple[int, int]:
    """The numbers of two people, each with an item in every table."""
    numbers = []
    for secret in ("Ann's secret", "Bob's plan"):
        name = secrets.token_hex(8)
        memory = Memory(PostgresBackend(database(), name, EMBEDDER), clock)
        memory.create(secret, {"due_date": "2026-01-09"})
        assert memory.find("secret plan", {"due_date": "2026-01-09"}).total == 1
        numbers.append(database().find_person(name))
    return numbers[0], numbers[1]


@pytest.fixture
def worker() -> Iterator[psycopg.Connection]:
    with psycopg.connect(f"{server()} user={WORKER}", autocommit=True) as connection:
        yield connection


def name_person(worker: psycopg.Connection, person: int) -> None:
    worker.execute("SELECT set_config('ana.person', %s, false)", [str(person)])


def test_the_role_neither_owns_tables_nor_passes_the_wall(worker: psycopg.Connection) -> None:
    owners = worker.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'").fetchall()
    role = worker.execute(
        "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    assert role == (WORKER, False, False)
    assert (WORKER,) not in owners


def test_every_table_of_a_persons_stands_behind_the_wall(worker: psycopg.Connection) -> None:
    walled = worker.execute("SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity").fetchall()
    having = worker.execute("SELECT table_name FROM information_schema.columns WHERE column_name = 'person'").fetchall()
    assert {*walled} == {*having} >= {(table,) for table in TABLES}


@pytest.mark.parametrize("table", TABLES)
def test_without_a_person_nothing_is_read_or_written(
    worker: psycopg.Connection, people: tuple[int, int], table: str
) -> None:
    for statement in (f"SELECT * FROM {table}", f"DELETE FROM {table}", f"UPDATE {table} SET person = {people[0]}"):
        with pytest.raises(psycopg.Error, match=r"ana\.person|integer"):
            worker.execute(statement.encode())
    name_person(worker, people[0])
    assert worker.execute(f"SELECT * FROM {table}".encode()).fetchall(), "with one there is something"


@pytest.mark.parametrize("table", TABLES)
def test_another_persons_rows_are_not_there(worker: psycopg.Connection, people: tuple[int, int], table: str) -> None:
    ann, bob = people
    name_person(worker, ann)
    assert worker.execute(f"SELECT DISTINCT person FROM {table}".encode()).fetchall() == [(ann,)]
    of_bob = f"FROM {table} WHERE person = {bob}"
    assert worker.execute(f"SELECT * {of_bob}".encode()).fetchall() == []
    assert worker.execute(f"DELETE {of_bob}".encode()).rowcount == 0
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        worker.execute(f"UPDATE {table} SET person = {bob}".encode())
    name_person(worker, bob)
    assert worker.execute(f"SELECT DISTINCT person FROM {table}".encode()).fetchall() == [(bob,)]


def test_nothing_is_inserted_for_another_person(worker: psycopg.Connection, people: tuple[int, int]) -> None:
    ann, bob = people
    name_person(worker, ann)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        worker.execute(_INSERT, [bob])
    worker.execute(_INSERT, [ann])


def test_an_own_connection_of_the_pool_has_no_person(people: tuple[int, int]) -> None:
    alone = Database(f"{server()} user={WORKER}", most=1)
    with alone.transaction(people[0], "READ COMMITTED") as session:
        assert session.ask("SELECT count(*) FROM records") == [(1,)]
    with alone.connect() as connection, pytest.raises(psycopg.Error, match=r"ana\.person|integer"):
        connection.execute("SELECT count(*) FROM records")
    alone.close()


def test_whoever_is_removed_leaves_no_row(people: tuple[int, int]) -> None:
    ann, bob = people
    with database().transaction(ann, "READ COMMITTED") as session:
        session.add("DELETE FROM people WHERE number = ?", ann)
    with psycopg.connect(server()) as owner:
        for table in TABLES:
            left = owner.execute(f"SELECT DISTINCT person FROM {table} WHERE person IN ({ann}, {bob})".encode())
            assert left.fetchall() == [(bob,)], table
