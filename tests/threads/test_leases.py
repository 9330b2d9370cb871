"""Leases in PostgreSQL: whose ran out writes nothing more, whatever it writes and in whichever thread."""

import asyncio
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from ana.backends.postgres.backend import PostgresBackend
from ana.errors import LeaseLost
from ana.leases import working_under
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.postgres.person import PersonRows
from ana.tables import Statement
from ana.threads.postgres import PostgresThreadStore
from ana.threads.postgres_locks import ALL, Lease, PostgresThreadLocks
from ana.threads.runs import Run
from ana.time.clock import Clock
from ana.workspace.postgres import PostgresStorage
from evals.postgres import WORKER
from tests.conftest import EMBEDDER
from tests.postgres.server import open_people, server
from tests.postgres.trips import counting
from tests.threads.conformance import ONE, TWO, address, builder, read, say

taken: list[Lease] = []


@pytest.fixture
def rows() -> Iterator[PersonRows]:
    yield open_people()("owner")
    while taken:
        taken.pop().release()  # one that is held is renewed also when the server has gone


def take(rows: PersonRows, thread: str = ONE, seconds: float = 30) -> Lease:
    lease = PostgresThreadLocks(rows, seconds).lock(thread, "a test", patience=0)
    lease.acquire()
    taken.append(lease)
    return lease


def let_run_out(rows: PersonRows) -> None:
    """Let every lease of a person run out, as if its process had been stopped for long."""
    rows.change(Statement("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))


def test_a_lease_that_ran_out_is_taken_over(rows: PersonRows) -> None:
    late = take(rows)
    let_run_out(rows)
    new = PostgresThreadLocks(rows).lock(ONE, "another", patience=0)
    assert new.acquire(), "it was abandoned"
    assert late.number is not None
    assert new.number is not None
    assert new.number > late.number
    late.release()
    assert [token for (token,) in rows.ask("SELECT token FROM leases")] == [new.number], "only its own is released"
    new.release()


@pytest.mark.parametrize("thread", [ONE, ALL])
def test_a_lease_from_when_the_clock_of_the_database_was_ahead_is_taken_over(rows: PersonRows, thread: str) -> None:
    take(rows, thread)
    rows.change(Statement("UPDATE leases SET until = until + interval '1 year'"))
    take(rows)
    rows.change(Statement("UPDATE leases SET until = until + interval '1 year'"))
    with PostgresThreadLocks(rows).own_all("another", patience=0):
        pass


def test_a_lease_is_renewed_while_it_is_held(rows: PersonRows) -> None:
    lease = take(rows, seconds=0.3)
    query = "SELECT until FROM leases WHERE token = ?"
    first = rows.ask(query, lease.number)
    while rows.ask(query, lease.number) == first:
        pass
    lease.release()


def enter(rows: PersonRows) -> None:
    Memory(PostgresBackend(rows.database, rows.person, EMBEDDER), Clock(UTC)).create("milk", {})


def spend(rows: PersonRows) -> None:
    PostgresStorage(rows).note("spending.json").change(lambda _: "1 USD")


WRITES: list[Callable[[PersonRows], Any]] = [
    lambda rows: PostgresThreadStore(rows).set_names({ONE: "work"}),
    lambda rows: say(PostgresThreadStore(rows), ONE, "hello"),
    lambda rows: asyncio.run(answer_late(rows)),
    enter,
    spend,
]


async def answer_late(rows: PersonRows) -> None:
    async with PostgresThreadStore(rows).open_server_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        await graph.ainvoke({"messages": [HumanMessage("hello")]}, address(ONE), durability="async")


def count_rows(rows: PersonRows) -> list[int]:
    tables = ("states", "task_writes", "thread_names", "records", "entries", "notes")
    return [
        count for found in rows.read(*(Statement(f"SELECT count(*) FROM {t}") for t in tables)) for (count,) in found
    ]


@pytest.mark.parametrize("write", WRITES)
def test_who_lost_its_lease_writes_nothing(write: Callable[[PersonRows], Any], rows: PersonRows) -> None:
    late = take(rows)
    let_run_out(rows)
    new = take(rows)
    with pytest.raises(LeaseLost), working_under(late.token):
        write(rows)
    assert set(count_rows(rows)) == {0}
    with working_under(new.token):
        write(rows)
    assert set(count_rows(rows)) != {0}


def test_who_gave_its_lease_back_writes_nothing(rows: PersonRows) -> None:
    lease = take(rows)
    lease.release()
    with pytest.raises(LeaseLost), working_under(lease.token):
        PostgresThreadStore(rows).set_names({ONE: "work"})


def test_whoever_takes_all_or_one_ends_what_ran_out_of_the_other(rows: PersonRows) -> None:
    locks = PostgresThreadLocks(rows)
    late = take(rows)
    let_run_out(rows)
    with locks.own_all("ana restore", patience=0):
        let_run_out(rows)
        take(rows, TWO)
        with pytest.raises(LeaseLost):
            PostgresThreadStore(rows).set_names({ONE: "work"})
    with pytest.raises(LeaseLost), working_under(late.token):
        PostgresThreadStore(rows).set_names({ONE: "work"})


def test_a_lease_is_not_taken_over_while_its_holder_commits(rows: PersonRows) -> None:
    late, others = take(rows), list[Lease]()
    with working_under(late.token), rows.write() as session:
        session.ask("SELECT 1")
        elsewhere(let_run_out, rows)
        other = threading.Thread(target=lambda: others.append(take(rows)))
        other.start()
        while not rows.ask("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%leases%'"):
            pass
        session.ask("INSERT INTO thread_names (thread, name) VALUES (?, '\"work\"') RETURNING thread", ONE)
        assert not others
    other.join()
    assert PostgresThreadStore(rows).names() == {ONE: "work"}


def elsewhere(do: Callable[[PersonRows], Any], rows: PersonRows) -> None:
    """Do something in a thread that works under no lease."""
    other = threading.Thread(target=do, args=[rows])
    other.start()
    other.join()


def test_a_check_of_the_lease_takes_no_round_trip(rows: PersonRows) -> None:
    alone = Database(f"{server()} user={WORKER}", most=1)
    own = PersonRows(alone, f"{uuid.uuid4()}")
    lease = PostgresThreadLocks(own).lock(ONE, "a test")
    lease.acquire()
    with counting(alone) as trips, working_under(lease.token):
        own.change(Statement("INSERT INTO stopped (run_id) VALUES ('one')"))
    assert trips == [1]
    lease.release()
    alone.close()


def test_what_a_run_does_in_its_threads_and_tasks_is_checked(rows: PersonRows) -> None:
    run = Run(PostgresThreadLocks(rows).lock(ONE, "ana server", patience=0), ONE)

    async def check() -> None:
        await run.acquire(0)
        await answer_late(rows)
        elsewhere(let_run_out, rows)
        elsewhere(take, rows)
        with pytest.raises(LeaseLost):
            await answer_late(rows)

    asyncio.run(check())
    run.close()
    assert read(PostgresThreadStore(rows), ONE) == ["hello", "heard hello"]
