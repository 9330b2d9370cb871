"""Searches find what every other backend finds, whoever wrote meanwhile, and from whatever zone they come."""

import itertools
import secrets
from contextlib import ExitStack
from datetime import tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.backends.in_memory import InMemoryBackend
from ana.backends.postgres.backend import PostgresBackend
from ana.memory.backend import Backend
from ana.memory.changes import Change, Entry
from ana.memory.filters import parse
from ana.memory.item import Item
from ana.memory.search.query import Query, parse_query
from ana.memory.search.result import QueryResult
from evals.retrieval.measure import load_items, load_queries
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.examples import examples
from tests.memory.conformance import STAMP
from tests.memory.test_filters_oracle import ZONES, filters, properties
from tests.postgres.server import database

TEXTS = [query.text for query in load_queries()][::20]
FILTERS: list[Any] = [{}, {"status": "active"}, {"type": {"$ne": "task"}}, {"due_date": {"$gte": "2026-01-12"}}]


def open_backend(person: str = "") -> PostgresBackend:
    return PostgresBackend(database(), person or secrets.token_hex(8), EMBEDDER)


def store(backend: Backend, items: list[Item]) -> None:
    backend.apply([Entry(STAMP, "", "stored", Change("item", item.id, None, item)) for item in items])


def make_query(text: str | None, where: dict[str, Any], zone: tzinfo = BERLIN, limit: int = 10) -> Query:
    parsed = parse_query(text, WEDNESDAY.date()) if text else None
    return Query(parsed, parse(where, zone), zone, limit, now=WEDNESDAY)


def describe(found: QueryResult) -> Any:
    """Return all that was found, scores to five places: each database adds in an order of its own."""
    reasons = [(round(r.vector or 0, 5), r.words, r.date, r.first, r.filter, round(r.share, 5)) for r in found.reasons]
    return [*zip(found.items, reasons, strict=True)], found.total, found.truncated, found.other_dates


def test_ranked_searches_find_the_same_in_the_same_order() -> None:
    backends = InMemoryBackend(EMBEDDER), open_backend()
    for backend in backends:
        store(backend, load_items())
    for text, where, limit in itertools.product([None, *TEXTS], FILTERS, (3, 20)):
        query = make_query(text, where, limit=limit)
        plain, indexed = (describe(backend.query(query)) for backend in backends)
        assert plain == indexed, (text, where)
    for item in load_items()[::20]:
        near, similar = (backend.find_similar("item", item.id, 5) for backend in backends)
        assert [each for each, _ in near] == [each for each, _ in similar]


class Step(NamedTuple):
    """Items that are stored or, without properties, deleted in one act, and what is asked after it."""

    items: list[tuple[str, str, dict[str, Any] | None]]
    text: str | None
    where: dict[str, Any]
    zone: str


REPEATING = st.sampled_from(
    [{"repeats": "FREQ=WEEKLY;BYDAY=FR", "due_date": "2026-01-09"}, {"repeats": "never", "start_date": "2026-01-09"}]
)
WORDS = st.lists(st.sampled_from(["milk", "garden", "report", "Friday", "oat", "x" * 600]), max_size=4).map(" ".join)
ITEMS = st.tuples(st.sampled_from("abcdef"), WORDS, st.none() | properties | REPEATING)
STEPS = st.lists(
    st.builds(
        Step,
        st.lists(ITEMS, max_size=3, unique_by=lambda item: item[0]),
        st.sampled_from([None, "milk on Friday", '"oat milk" garden', "what is open?"]),
        st.just({}) | filters,
        st.sampled_from(ZONES),
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=examples(32))
@given(steps=STEPS)
def test_random_steps_of_two_backends_are_those_of_one_in_memory(steps: list[Step]) -> None:
    plain, person = InMemoryBackend(EMBEDDER), secrets.token_hex(8)
    ours = itertools.cycle([open_backend(person), open_backend(person)])
    for number, step in enumerate(steps):
        writer, reader = next(ours), next(ours)
        next(ours)  # in the next step each does what the other did
        held = plain.get_many("item", list("abcdef"))
        stamp = f"2026-01-01T00:00:{number:02}+00:00"
        entries = [
            Entry(stamp, "thread", f"turn {number}", Change("item", id, held.get(id), after))
            for id, content, held_by in step.items
            if (after := None if held_by is None else Item(id, content, held_by, stamp, stamp)) or id in held
        ]
        assert plain.apply(entries) == writer.apply(entries)
        query = make_query(step.text, step.where, ZoneInfo(step.zone), limit=4)
        assert describe(plain.query(query)) == describe(reader.query(query))
        for read in (list_all, list_properties):
            assert read(plain) == read(reader) == read(writer)


def list_all(backend: Backend) -> Any:
    scanned = sorted(backend.scan("item"), key=lambda item: item.id)
    journal = backend.entries(), backend.latest("item"), backend.deletions(), backend.turns(), backend.position()
    similar = [[item.id for item, _ in backend.find_similar("item", id, 3)] for id in "abc"]
    return scanned, backend.count("item"), journal, similar


def list_properties(backend: Backend) -> Any:
    keys = backend.list_keys()
    # of two spellings that are as common either may stand for both
    values = {key: [(str(value).casefold(), count) for value, count in backend.list_values(key)] for key in keys}
    return list(keys.items()), values


def test_many_changes_leave_in_memory_what_a_new_backend_reads() -> None:
    person = secrets.token_hex(8)
    reader, writer, items = open_backend(person), open_backend(person), load_items()
    store(writer, items[:40])
    query = make_query("garden", {})
    for first in range(40, 80, 10):
        reader.query(query)
        store(writer, items[first : first + 10])
        writer.apply(
            [Entry(STAMP, "", "gone", Change("item", item.id, item, None)) for item in items[first - 40 :][:5]]
        )
        assert describe(reader.query(query)) == describe(open_backend(person).query(query))
    writer.erase([("item", items[0].id)])  # the journal no longer tells what changed
    store(writer, items[80:90])
    assert describe(reader.query(query)) == describe(open_backend(person).query(query))


def test_one_state_is_read_though_what_is_in_memory_has_gone_on() -> None:
    backend = open_backend()
    store(backend, load_items()[:10])
    query = make_query("garden", {})
    with backend.reading(), ExitStack() as stack:
        before = describe(backend.query(query))
        other = stack.enter_context(_in_a_thread())
        other(lambda: store(backend, load_items()[10:20]))
        other(lambda: backend.query(query))
        assert describe(backend.query(query)) == before
    assert backend.query(query).total == 20


class _in_a_thread:
    """Runs calls in one other thread, each to its end."""

    def __enter__(self) -> Any:
        from concurrent.futures import ThreadPoolExecutor

        self._pool = ThreadPoolExecutor(1)
        return lambda call: self._pool.submit(call).result()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()


@pytest.fixture
def dated() -> PostgresBackend:
    backend = open_backend()
    store(backend, [Item("a", "x", {"due": "2026-01-13"}, STAMP, STAMP)])
    return backend


def find(backend: Backend, zone: tzinfo) -> list[str]:
    where = parse({"due": "2026-01-13"}, zone)
    return [item.id for item in backend.query(Query(None, where, zone)).items]


def test_a_new_zone_is_met_wherever_it_is_asked_from(dated: PostgresBackend) -> None:
    tokyo, berlin, local = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
    with dated.reading():
        assert [find(dated, zone) for zone in (tokyo, tokyo)] == [["a"], ["a"]]
    with dated.alone():
        assert find(dated, berlin) == ["a"]
        store(dated, [Item("b", "x", {"due": "2026-01-13"}, STAMP, STAMP)])
        assert find(dated, local) == ["a", "b"]
    assert [find(dated, zone) for zone in (tokyo, berlin, local)] == [["a", "b"]] * 3
