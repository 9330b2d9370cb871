"""How often a call waits for the server, counted in what libpq sends."""

import secrets
from collections.abc import Callable, Iterator
from datetime import date

import pytest

from ana.backends.postgres.backend import PostgresBackend
from ana.memory.changes import Cause
from ana.memory.filters import EVERY_ITEM, parse
from ana.memory.memory import Memory
from ana.memory.search.query import Query, parse_query
from ana.postgres.database import Database
from ana.time.clock import Clock
from evals.postgres import WORKER
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.memory.conformance import find_due
from tests.postgres.server import server
from tests.postgres.trips import counting

TODAY = WEDNESDAY.date()


@pytest.fixture
def one() -> Iterator[Database]:
    """A database with one connection."""
    opened = Database(f"{server()} user={WORKER}", most=1)
    yield opened
    opened.close()


@pytest.fixture
def person() -> str:
    return secrets.token_hex(8)


@pytest.fixture
def memory(one: Database, clock: Clock, person: str) -> Memory:
    memory = Memory(PostgresBackend(one, person, EMBEDDER), clock)
    for n in range(3):
        memory.create(f"plan {n} for the garden", {"status": "active", "tags": ["home"], "due_date": "2026-01-09"})
    memory.find("garden")  # after which they are in memory
    return memory


def make_query(text: str | None) -> Query:
    where = parse({"status": "active", "due_date": {"$gte": "2026-01-01"}}, BERLIN)
    return Query(parse_query(text, TODAY) if text else None, where, BERLIN)


TEXT = 'the open "garden" plan abcdefgh #home on January 9'
"""A text that asks for all that a text can ask for."""


@pytest.mark.parametrize("text", [TEXT, "garden", None])
def test_a_query_waits_once(memory: Memory, one: Database, text: str | None) -> None:
    query = make_query(text)
    with counting(one) as trips:
        assert memory.backend.query(query).total == 3
    assert trips == [1]
    memory.create("another plan for the garden", {"status": "active", "due_date": "2026-01-09"})
    with counting(one) as trips:
        assert memory.backend.query(query).total == 4
    assert trips[0] <= 4, "what others have written is read as well"


def test_what_another_process_wrote_is_read_once(memory: Memory, one: Database, clock: Clock, person: str) -> None:
    query = Query(parse_query("garden", TODAY), EVERY_ITEM, BERLIN)
    Memory(PostgresBackend(one, person, EMBEDDER), clock).create("a garden, written by another process")
    assert memory.backend.query(query).total == 4
    with counting(one) as trips:
        assert memory.backend.query(query).total == 4
    assert trips == [1]


def test_a_call_of_memory_waits_seldom(memory: Memory, one: Database) -> None:
    kept = memory.create("kept").after
    assert kept
    day = date(2026, 1, 9)
    find_due(memory, day, day)
    memory.find(where={"due_date": "2026-01-09"})
    calls: list[tuple[Callable[[], object], int]] = [
        (lambda: find_due(memory, day, day), 1),
        (lambda: memory.find(where={"due_date": "2026-01-09"}), 2),
        (lambda: memory.get(kept.id), 1),
        (lambda: memory.create("new", {"n": 1, "due_date": "2026-01-10"}), 2),
        (lambda: memory.create("new", {"n": 2}, Cause("a key", "a thread", "a turn")), 2),
        (lambda: memory.create("another", {}, copy=False), 2),
        (lambda: memory.update(kept.id, "changed", {"due_date": "2026-01-10"}), 3),
        (lambda: memory.delete(kept.id), 3),
        (lambda: memory.append_line("a line"), 4),
    ]
    counted = []
    for call, _ in calls:
        with counting(one) as trips:
            call()
        counted += trips
    assert counted == [most for _, most in calls]
