"""The spec of a backend, written once, as checks that run on every backend.

A check takes a new, empty backend, or a store on which it opens several, and raises where a backend is wrong. A new
backend joins the suite with one class in test_conformance.py. What is true for one database only, such as a crash of
Chroma, is tested beside it.
"""

import itertools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any, Protocol, TypeVar
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.embedders import Embedder
from ana.errors import DuplicateItem, ModelFailed, RecordChanged, ToolError, UserError
from ana.memory.backend import Backend, Expected, JournalPosition, list_since
from ana.memory.bounds import check_item
from ana.memory.changes import Cause, Change, Entry, make_edit
from ana.memory.digests import digest_line
from ana.memory.filters import EVERY_ITEM, matches, parse
from ana.memory.item import Item, iter_candidate_ids, merge_properties
from ana.memory.memory import Memory
from ana.memory.operations import Operation, read_operation
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult
from ana.memory.sources import ALL_MINE, IMPORT, PASTE, PERSON, SUGGESTED, Sources, name_assistant, tell_all
from ana.memory.status import CLOSED
from ana.memory.trash import list_deleted, purge, restore
from ana.memory.undo import FEW, find_undoable, undo
from ana.time.clock import Clock
from ana.values import DELIMITER, Json, Properties
from tests.examples import examples
from tests.memory.test_filters_oracle import ZONES, filters, properties

Check = Callable[[Backend], None]


class SuiteEmbedder:
    """The embedder of the tests, which fails on one text as a server that is down does, and is slow where it is told.

    Args:
        inner: Makes the vectors.
    """

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimension = inner.name, inner.dimension
        self.meanwhile: Callable[[], object] = lambda: None
        """What happens while something is embedded."""
        self._inner = inner

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.meanwhile()
        if UNEMBEDDABLE in texts:
            raise ModelFailed("The embedder did not answer.")
        return self._inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        self.meanwhile()
        return self._inner.embed_query(text)


class Store(Protocol):
    """Where the backends of a check keep what they are given."""

    embedder: SuiteEmbedder

    def open(self, person: str = "ann") -> Backend:
        """Return one more backend of a person."""

    def sever(self, backend: Backend) -> None:
        """Let a backend lose its connections, without its knowledge."""


StoreCheck = Callable[[Store], None]

BERLIN = ZoneInfo("Europe/Berlin")
NOW = date(2026, 1, 7)
"""A Wednesday."""

STAMP = "2026-01-01T00:00:00.000000+00:00"
PATIENCE = 5.0
"""Seconds that a check waits for what should happen at once; what must fail is given fewer."""

UNEMBEDDABLE = "this text cannot be embedded"
"""The embedders of the suite fail on it."""

TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXT, v, max_size=3), max_leaves=6)
NAMES = ["created_at", "updated_at", "id", "due_date", "ana:length", "chroma:document", "$ne", "#", ""]
PROPERTIES = st.dictionaries(TEXT | st.sampled_from(NAMES), JSON, max_size=5)
CONTENT = TEXT | st.builds(lambda a, b: a + DELIMITER + b, TEXT, TEXT)

ODD = (
    "\x00",
    "a\x00b\x00",
    "\ud800",
    "x\udfff y \ud83d",
    "\U0010ffff",
    "\uffff",
    "%_'\"\\",
    token_hex(5000),
    "ü" * 20_000,
)
"""Texts that databases refuse, cut or change: NUL, halves of a surrogate pair, more than an index takes."""

T = TypeVar("T")

some = settings(max_examples=examples(60), deadline=None, database=None, suppress_health_check=list(HealthCheck))


class MemoryOfAnyNames(Memory):
    """Takes properties of any name, as earlier versions did: a backend keeps what they stored."""

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        for change in (entry.change for entry in entries):
            if change.after:
                check_item(change.after, change.before)
        return self.backend.apply(entries, expected, distinct=distinct)


def memory_on(backend: Backend) -> Memory:
    """Return a memory whose clock goes on by a second at every look."""
    from tests.conftest import WEDNESDAY

    seconds = itertools.count()
    return MemoryOfAnyNames(backend, Clock(BERLIN, lambda: WEDNESDAY + timedelta(seconds=next(seconds))))


def create(memory: Memory, content: str, properties: Properties | None = None, cause: Cause | None = None) -> Item:
    item = memory.create(content, properties, cause).after
    assert item is not None
    return item


def put(memory: Memory, content: str, properties: Properties, before: Item | None = None, source: str = PERSON) -> Item:
    """Store an item, or replace one, with whatever an earlier version took: a memory refuses what is no text."""
    id, stamp, by = before.id if before else next(iter_candidate_ids("")), memory.stamp(), make_edit()
    change = Change("item", id, before, Item(id, content, properties, stamp, stamp, tell_all(source, properties)))
    after = memory.backend.apply([Entry(stamp, by.thread, by.turn, change)])[0].after
    assert after is not None
    return after


def find_due(memory: Memory, first: date, last: date, limit: int = 100) -> QueryResult:
    """Return the open items whose own date is on these days, both included, the earliest first."""
    now = memory._clock.now()
    return memory.backend.query(Query(None, EVERY_ITEM, memory._clock.zone, limit, (first, last), CLOSED, now))


def item(id: str, content: str, properties: Properties | None = None) -> Item:
    return Item(id, content, properties or {}, STAMP, STAMP)


def store(backend: Backend, *items: Item) -> None:
    backend.apply([Entry(STAMP, "", "stored", Change("item", each.id, None, each)) for each in items])


def tell(memory: Memory, id: str) -> tuple[str, Mapping[str, str]]:
    """Return the sources of an item's content and properties."""
    sources = memory.get(id).sources
    return sources.content, sources.properties


# ---- sources


def sources_and_zone_come_back_exactly(backend: Backend) -> None:
    told = replace(
        item("told", "Buy milk", {"tag": "x", "n": 1}), sources=Sources("import", {"n": "paste"}), zone="Asia/Tokyo"
    )
    line = replace(item("0", "Likes tea"), sources=Sources("assistant Friend"))
    changes = Change("item", "told", None, told), Change("line", "0", None, line)
    backend.apply([Entry(STAMP, "", "stored", change, source=SUGGESTED) for change in changes])
    store(backend, item("near", "Buy milk"))
    found = backend.query(Query(None, EVERY_ITEM, BERLIN, 9, now=datetime.now(BERLIN))).items
    kept = [*backend.scan("item"), *found, *(near for near, _ in backend.find_similar("item", "near", 1))]
    assert [each for each in kept if each.id == "told"] == [told, told, told]
    assert backend.get_many("line", ["0"]) == {"0": line}
    assert {entry.change.after.source for entry in backend.latest("line") if entry.change.after} == {"assistant Friend"}
    assert [entry.source for entry in backend.entries()] == [PERSON, SUGGESTED, SUGGESTED]
    memory_on(backend).delete("told")
    assert backend.deletions()[0].change.before == told


def a_write_tells_the_source_of_what_it_writes(backend: Backend) -> None:
    memory = memory_on(backend)
    id = create(memory, "Milk", {"tags": ["a"], "note": "x", "n": 1}, make_edit(source=IMPORT)).id
    memory.update(id, None, {"note": "mine", "n": 1, "new": "y"})
    assert tell(memory, id) == (IMPORT, {"tags": IMPORT, "n": IMPORT})
    memory.update(id, Operation("content", append="and tea"), {"tags": read_operation("tags", {"$add": "b"})})
    assert tell(memory, id) == (IMPORT, {"tags": IMPORT, "n": IMPORT}), "added to what others told"
    memory.update(id, None, {"note": read_operation("note", {"$append": "z"}), "n": None}, make_edit(source=SUGGESTED))
    assert tell(memory, id) == (IMPORT, {"tags": IMPORT, "note": SUGGESTED})
    assert memory.get(id).source == SUGGESTED, "the last of others"
    memory.update(id, "My own words", {"tags": []})
    assert tell(memory, id) == (PERSON, {"note": SUGGESTED})
    line = memory.append_line("Likes tea", make_edit(source=PASTE)).id
    memory.replace_line(int(line), "Likes green tea", make_edit(source=name_assistant("Friend")))
    assert [each.source for each in backend.scan("line")] == ["assistant Friend"]


def what_is_claimed_is_the_persons_until_that_is_undone(backend: Backend) -> None:
    memory = memory_on(backend)
    told = create(memory, "Milk", {"note": "x"}, make_edit(source=IMPORT))
    line = memory.append_line("Likes tea", make_edit(source=PASTE)).after
    assert line
    by = make_edit()
    memory.claim([told.id], by)
    memory.claim([f"line {line.id}"], by)
    assert [each.sources for each in (memory.get(told.id), *backend.scan("line"))] == [ALL_MINE, ALL_MINE]
    assert memory.get(told.id) == replace(told, sources=ALL_MINE), "and nothing else was changed"
    assert memory.claim([told.id]) == []
    undo(memory, by.turn)
    assert (memory.get(told.id), [*backend.scan("line")]) == (told, [line])


# ---- exact round trip


def content_and_properties_come_back_exactly(backend: Backend) -> None:
    memory = memory_on(backend)

    @some
    @given(content=CONTENT, properties=PROPERTIES, source=st.sampled_from([PERSON, IMPORT]))
    def check(content: str, properties: Properties, source: str) -> None:
        added = put(memory, content, properties, source=source)
        found = memory.get(added.id)
        assert found == added
        assert found.sources == tell_all(source, properties)
        assert found.content == content
        assert repr(found.properties) == repr(properties), "types and order too"

    check()


def an_update_leaves_nothing_stale(backend: Backend) -> None:
    memory = memory_on(backend)

    @some
    @given(content=CONTENT, first=PROPERTIES, second=PROPERTIES)
    def check(content: str, first: Properties, second: Properties) -> None:
        item = put(memory, "before", first)
        gone: Properties = dict.fromkeys(first)
        updated = put(memory, content, merge_properties(item.properties, gone | second), item)
        assert memory.record("item", item.id) == updated
        assert updated.properties == {k: v for k, v in (gone | second).items() if v is not None}

    check()


def a_megabyte_comes_back(backend: Backend) -> None:
    memory = memory_on(backend)
    item = create(memory, "wörd " * 200_000, {"note": "x" * 100_000})
    assert memory.get(item.id) == item


def numbers_keep_value_and_type(backend: Backend) -> None:
    memory = memory_on(backend)
    for number in (0, -0.0, 1e-300, 1e300, 2**53, 2**63 - 1, 2**63, -(2**63), 2**200, 0.1, 5e-324, True, False):
        found = memory.get(create(memory, "n", {"n": number}).id)
        assert repr(found.properties["n"]) == repr(number)


def a_property_called_created_at_is_the_users(backend: Backend) -> None:
    memory = memory_on(backend)
    item = create(memory, "x", {"created_at": "1999-01-01"})
    assert item.properties == {"created_at": "1999-01-01"}
    assert item.created_at.startswith("2026-01-07T08:00:0")
    assert [i.id for i in memory.find(where={"created_at": "1999-01-01"}).items] == [item.id]


def values_that_json_cannot_carry_are_refused_by_name(backend: Backend) -> None:
    memory = memory_on(backend)
    odd: list[Any] = [math.nan, math.inf, [1.0, -math.inf], {"a": {"b": math.nan}}, 10**400, object()]
    for value in odd:
        with pytest.raises(ToolError, match="'odd'"):
            memory.create("x", {"odd": value})
    assert memory.count() == 0


def update_merges_and_null_removes(backend: Backend) -> None:
    memory = memory_on(backend)
    item = create(memory, "x", {"a": 1, "b": 2, "n": None})
    updated = memory.update(item.id, properties={"b": None, "c": 3}).after
    assert updated is not None
    assert updated.properties == {"a": 1, "n": None, "c": 3}


def unknown_ids_are_errors_the_model_can_act_on(backend: Backend) -> None:
    memory = memory_on(backend)
    calls: list[Callable[[], Any]] = [lambda: memory.update("nope1234", "x"), lambda: memory.delete("nope1234")]
    for call in calls:
        with pytest.raises(ToolError, match="nope1234") as caught:
            call()
        assert "query_items" in caught.value.hint
    assert memory.record("item", "nope1234") is None
    assert memory.record("item", "") is None


def ids_are_eight_characters_of_base32(backend: Backend) -> None:
    memory = memory_on(backend)
    ids = {create(memory, "x").id for _ in range(20)}
    assert len(ids) == 20
    assert all(len(id) == 8 and set(id) <= set("abcdefghijklmnopqrstuvwxyz234567") for id in ids)


def delete_gives_back_what_it_removed(backend: Backend) -> None:
    memory = memory_on(backend)
    item = create(memory, "x", {"a": 1})
    assert memory.delete(item.id).before == item
    assert memory.record("item", item.id) is None
    assert (memory.count(), list(memory.items())) == (0, [])


def scan_and_get_many_give_what_is_stored(backend: Backend) -> None:
    items = [item(f"item{n:04}", f"item {n}", {"n": n}) for n in range(25)]
    store(backend, *items)
    assert sorted(backend.scan("item"), key=lambda i: i.id) == items
    assert backend.get_many("item", ["item0003", "nothing", "item0001"]) == {i.id: i for i in (items[1], items[3])}
    assert (backend.count("item"), backend.count("line")) == (25, 0)


def stored_objects_are_not_shared(backend: Backend) -> None:
    memory = memory_on(backend)
    given: Properties = {"tags": ["a"]}
    item = create(memory, "one", given)
    for each in (given, item.properties, memory.get(item.id).properties, next(memory.items()).properties):
        tags = each["tags"]
        assert isinstance(tags, list)
        tags.append("b")
    found = memory.find("one").items[0].properties["tags"]
    assert isinstance(found, list)
    found.append("b")
    assert memory.get(item.id).properties == {"tags": ["a"]}
    changed = memory.history()[0].change.after
    assert changed is not None
    assert changed.properties == {"tags": ["a"]}


# ---- filters


def where_means_what_the_filter_language_says(backend: Backend) -> None:
    store(
        backend,
        item("a", "a", {"type": "task", "status": "active", "n": 1, "due": "2026-01-13"}),
        item("b", "b", {"type": "task", "status": "done", "n": 1.0, "due": "2026-01-13T23:59"}),
        item("c", "c", {"type": "note", "n": True, "due": "2026-01-14"}),
        item("d", "d", {"list": ["x", 1], "nest": {}}),
        item("e", "e", {"": "empty"}),
    )
    memory = memory_on(backend)
    cases: list[tuple[dict[str, Json], str]] = [
        ({}, "abcde"),
        ({"type": "task"}, "ab"),
        ({"type": "task", "status": "active"}, "a"),
        ({"status": "gone"}, ""),
        ({"n": 1}, "ab"),
        ({"n": True}, "c"),
        ({"nothing": "here"}, ""),
        ({"list": ["x", 1]}, "d"),
        ({"nest": {}}, "d"),
        ({"n": {"$gte": 1}}, "ab"),
        ({"type": {"$in": ["task", "note"]}, "n": {"$ne": 1}}, "c"),
        ({"list": {"$contains": 1}}, "d"),
        ({"list": {"$contains": "X"}}, "d"),
        ({"$or": [{"type": "note"}, {"": "empty"}]}, "ce"),
        ({"due": "2026-01-13"}, "ab"),
        ({"due": {"$gt": "2026-01-13"}}, "c"),
        ({"due": {"$lte": "2026-01-13", "$gte": "2026-01-13"}}, "ab"),
        ({"": "empty"}, "e"),
        ({"id": "a"}, "a"),
    ]
    for where, expected in cases:
        found = memory.find(where=where)
        assert ("".join(sorted(i.id for i in found.items)), found.total) == (expected, len(expected)), where
        assert "".join(sorted(i.id for i in memory.find("anything", where).items)) == expected, where


def random_filters_find_what_the_exact_test_finds(backend: Backend) -> None:
    """In ten zones on one backend: a zone belongs to the query, and an item may keep one of its own."""
    stored: dict[str, Item] = {}

    @some
    @given(
        held=st.lists(st.tuples(properties, st.sampled_from(["", *ZONES])), min_size=1, max_size=4),
        where=filters,
        zone=st.sampled_from(ZONES).map(ZoneInfo),
    )
    def check(held: list[tuple[Properties, str]], where: dict[str, Json], zone: ZoneInfo) -> None:
        new = [replace(item(f"i{len(stored) + n}", "x", each), zone=own) for n, (each, own) in enumerate(held)]
        store(backend, *new)
        stored.update({each.id: each for each in new})
        node = parse(where, zone)
        found = backend.query(Query(None, node, zone, limit=10_000))
        assert {i.id for i in found.items} == {i.id for i in stored.values() if matches(node, i)}
        assert found.total == len(found.items)

    check()


def an_unknown_key_matches_nothing_and_says_so(backend: Backend) -> None:
    memory = memory_on(backend)
    memory.create("a", {"type": "task"})
    unmet = memory.find(where={"typ": "task", "type": "task"})
    assert unmet.explain() == "No item has the property 'typ'; there are type."
    assert memory.find(where={"type": "task"}).explain() == ""
    assert memory.find(where={"typo": {"$ne": 1}}).total == 1


def numbers_beyond_64_bits_are_compared(backend: Backend) -> None:
    store(backend, *(item(name, name, {"n": n}) for name, n in (("a", -(2**70)), ("b", 5), ("c", 2**70))))
    memory = memory_on(backend)
    cases: list[tuple[Json, str]] = [({"$gt": 5}, "c"), ({"$lt": 5}, "a"), ({"$gte": 5}, "bc")]
    for condition, expected in cases:
        assert "".join(sorted(found.id for found in memory.find(where={"n": condition}).items)) == expected


def what_repeats_stands_by_its_date_among_the_others(backend: Backend) -> None:
    weekly: Properties = {"type": "task", "due_date": "2026-01-12", "repeats": "FREQ=WEEKLY"}
    dated: list[Properties] = [{"type": "task", "due_date": f"2026-01-{day}"} for day in (14, 10)]
    store(backend, *(item(name, name, each) for name, each in zip("abc", (dated[0], weekly, dated[1]), strict=True)))
    assert [found.id for found in memory_on(backend).find(where={"type": "task"}).items] == ["c", "b", "a"]


def a_filter_or_limit_that_makes_no_sense_says_what_is_wrong(backend: Backend) -> None:
    memory = memory_on(backend)
    wrong: list[dict[str, Json]] = [{"$and": []}, {"due_date": {"$approx": 1}}]
    for where in wrong:
        with pytest.raises(ToolError) as caught:
            memory.find(where=where)
        assert caught.value.hint
    with pytest.raises(ToolError, match="limit"):
        memory.find("x", limit=0)


def without_text_by_date_then_newest(backend: Backend) -> None:
    memory = memory_on(backend)
    memory.create("old")
    memory.create("late", {"due_date": "2026-03-01"})
    memory.create("new")
    memory.create("soon", {"on": "2026-01-09"})
    memory.create("sooner, though later by its letters", {"on": "2026-01-09T08:00+10:00"})
    found = ["sooner, though later by its letters", "soon", "late", "new", "old"]
    assert [i.content for i in memory.find().items] == found
    assert [i.content for i in memory.find(limit=3).items] == found[:3]


def due_items_are_open_and_go_by_their_own_date(backend: Backend) -> None:
    memory = memory_on(backend)
    memory.create("a", {"due_date": "2026-01-05"})
    memory.create("b", {"due_date": "2026-01-04", "status": "Done"})
    memory.create("c", {"when": "2026-01-03T10:00", "due_date": None})
    memory.create("d", {"due_date": "2026-01-09", "noticed": "2026-01-01"})
    memory.create("e", {"noticed": "soon"})
    memory.create("f", {"due_date": "2026-01-07", "status": "cancelled"})
    assert [i.content for i in find_due(memory, date.min, date(2026, 1, 6)).items] == ["c", "a"]
    assert find_due(memory, date(2026, 1, 9), date.max, 5).total == 1
    assert find_due(memory, NOW, NOW).total == memory.find("what is due today?").total == 0
    found = memory.find("what is due on Friday?")
    assert ([i.content for i in found.items], found.due) == (["d"], (date(2026, 1, 9), date(2026, 1, 9)))
    assert found.reasons[0].date == "2026-01-09"
    assert [i.content for i in memory.find("what was due on January 4?").items] == ["b"]


def what_is_overdue_is_open_and_has_to_be_done(backend: Backend) -> None:
    memory, due = memory_on(backend), {"due_date": "2026-01-05"}
    memory.create("task", {**due, "status": "active"})
    memory.create("earlier today", {"due_date": f"{NOW}T08:59", "status": "waiting"})
    memory.create("dose", {**due, "repeats": "FREQ=DAILY", "missed": "waits"})
    past: list[Properties] = [
        {**due},
        {**due, "status": "Done"},
        {**due, "status": "active", "type": "Appointment"},
        {**due, "status": "active", "repeats": "FREQ=MONTHLY", "missed": "passes"},
        {"due_date": f"{NOW}T08:59", "status": "active", "repeats": "FREQ=DAILY", "missed": "passes"},
        {"start_date": "2026-01-05", "status": "active"},
        {"paid_on": "2026-01-05", "status": "active"},
        {"due_date": str(NOW), "status": "active"},
    ]
    for n, each in enumerate(past):
        memory.create(f"past {n}", each)
    expected = ["task", "dose", "earlier today"]
    assert sorted(i.content for i in memory.find_overdue().items) == sorted(expected)
    assert sorted(i.content for i in memory.find("what is overdue?").items) == sorted(expected)
    assert memory.find("overdue", {"status": "active"}).total == 1


def times_stay_where_they_were_said_and_days_go_along(backend: Backend) -> None:
    memory = memory_on(backend)
    home, tokyo = str(memory._clock.zone), ZoneInfo("Asia/Tokyo")
    memory.create("dentist", {"due_date": "2026-01-09T17:00"})
    memory.create("holiday", {"due_date": "2026-01-09"})
    memory.create("pill", {"due_date": "2026-01-09T20:00", "repeats": "FREQ=DAILY"})
    memory.create("class", {"start_date": "2026-01-09T18:00", "repeats": "FREQ=WEEKLY"})
    memory.create("floating", {"start_date": "2026-01-09T18:00", "zone": "floating"})
    memory.create("there", {"start_date": "2026-01-09T23:30", "zone": "America/New_York"})
    ninth = {i.content for i in memory.find(where={"$on": "2026-01-09"}).items}
    assert ninth == {"dentist", "holiday", "pill", "class", "floating"}
    assert {i.content for i in memory.items() if i.zone != home} == {"holiday"}, "of days alone no zone is kept"
    memory._clock.zone = tokyo
    ninth = {i.content for i in memory.find(where={"$on": "2026-01-09"}).items}
    tenth = {i.content for i in memory.find(where={"$on": "2026-01-10"}).items}
    assert ninth == {"holiday", "pill", "floating"}
    assert tenth == {"dentist", "pill", "class", "there"}, "17:00, 18:00 there are 1:00, 2:00 of the day after here"
    at: Properties = {"due_date": {"$gte": "2026-01-10T00:59", "$lte": "2026-01-10T01:01"}}
    assert [i.content for i in memory.find(where=at).items] == ["dentist"]


# ---- ranking on exact hits


def the_nearest_come_first_and_all_are_counted(backend: Backend) -> None:
    memory = memory_on(backend)
    for text in ("Buy oat milk", "Quarterly report for the board", "Water the tomatoes"):
        memory.create(text)
    found = memory.find("finance report", limit=2)
    assert found.items[0].content == "Quarterly report for the board"
    assert (len(found.items), found.total, found.truncated) == (2, 3, True)
    assert memory.find("x", limit=9).truncated is False
    assert found.reasons[0].words == ("report",)


def an_id_a_phrase_and_a_tag_come_first(backend: Backend) -> None:
    memory = memory_on(backend)
    for n in range(3):
        memory.create(f"red roses and a white house by the sea {n}")
    phrase = create(memory, "an old note, much longer, about a RED house nobody knows, with many more words").id
    tagged = create(memory, "something else entirely", {"tags": ["Deep-Work"]}).id
    cases = (
        (f"{tagged.upper()} roses", tagged, "id"),
        ('"red house" sea', phrase, "phrase"),
        ("#deep_work roses", tagged, "tag"),
    )
    for text, id, first in cases:
        found = memory.find(text)
        assert (found.items[0].id, found.reasons[0].first) == (id, first)
        assert all(reason.first is None for reason in found.reasons[1:])
        assert memory.find(text, {"no": "such"}).items == []


def a_day_that_is_named_lifts_items_of_that_day(backend: Backend) -> None:
    memory = memory_on(backend)
    memory.create("Check-up at the dentist", {"due_date": "2026-02-03"})
    memory.create("Check-up at the dentist", {"due_date": "2026-01-13T14:30"})
    memory.create("Check-up at the dentist")
    found = memory.find("the dentist on January 13")
    assert found.items[0].date == found.reasons[0].date == "2026-01-13T14:30"
    assert memory.find("the dentist without a date").items[0].date is None


def words_that_vectors_cannot_tell_apart_are(backend: Backend) -> None:
    memory = memory_on(backend)
    for town in ("Gdańsk", "Gdynia", "Sopot", "Poznań"):
        memory.create(f"Great-grandfather came from {town} in 1921")
    assert memory.find("gdansk", limit=1).items[0].content == "Great-grandfather came from Gdańsk in 1921"
    assert memory.find("Poznań 1921", limit=1).items[0].content == "Great-grandfather came from Poznań in 1921"


def equal_items_are_in_an_order(backend: Backend) -> None:
    def make(id: str, content: str, day: int) -> Item:
        return replace(item(id, content), created_at=f"2026-01-0{day}T00:00:00.000000+00:00")

    same = [make(id, "Water the tomatoes", day) for id, day in (("b", 2), ("e", 1), ("a", 2), ("d", 1), ("c", 3))]
    store(backend, *same, make("other", "Quarterly report for the board", 4))
    memory = memory_on(backend)
    for limit in range(1, 6):
        for found in (memory.find("tomatoes", limit=limit), memory.find("tomatoes", {"id": {"$ne": "other"}}, limit)):
            assert "".join(each.id for each in found.items) == "cabde"[:limit]
        assert "".join(each.id for each, _ in backend.find_similar("item", "d", limit)[:4]) == "cabe"[:limit]
    assert "".join(each.id for each in memory.find(where={"id": {"$ne": "other"}}).items) == "cabde"


def a_record_that_does_not_exist_has_no_neighbours(backend: Backend) -> None:
    memory = memory_on(backend)
    gone, _ = create(memory, "Water the tomatoes"), create(memory, "Water the beans")
    assert len(backend.find_similar("item", gone.id, 9)) == 1
    memory.delete(gone.id)
    assert [backend.find_similar("item", id, 9) for id in (gone.id, "never", *ODD[:9])] == [[]] * 11


def vectors_are_given_by_id(backend: Backend) -> None:
    memory = memory_on(backend)
    one, other = create(memory, "Water the tomatoes"), create(memory, "Water the beans")
    vectors = backend.get_vectors("item", [one.id, other.id, "never", *ODD[:9]])
    assert vectors.keys() == {one.id, other.id}
    ((near, cosine),) = backend.find_similar("item", one.id, 1)
    assert near.id == other.id
    assert float(vectors[one.id] @ vectors[other.id]) == pytest.approx(cosine, abs=1e-5)
    assert backend.get_vectors("line", [one.id]) == {}


def odd_texts_are_kept_and_found(backend: Backend) -> None:
    memory = memory_on(backend)
    for n, odd in enumerate(ODD):
        name = odd[:200]
        made = put(memory, odd, {name: odd, "tags": [odd, "plain"], "n": n})
        assert memory.get(made.id) == made
        assert [each.id for each in memory.find(where={"n": n, name: odd}).items] == [made.id], n
        assert [each.id for each in memory.find(where={"tags": {"$contains": odd}}).items] == [made.id], n
        assert backend.list_keys()[name] == 1
        if len(odd) < 100:
            assert memory.find(odd, {"n": n}).items == [made]
            assert backend.list_values(name) == [(odd, 1)]
        assert memory.record("item", odd) is None
        assert backend.entries(id=odd) == backend.deletions(("item", odd)) == []
        memory.delete(made.id)
        assert [entry.change.before for entry in backend.deletions(("item", made.id))] == [made]
        undo(memory, backend.entries(limit=1)[0].turn)
        assert memory.get(made.id) == made
        memory.update(made.id, "plain", {name: None, "tags": None})


def names_of_calls_turns_and_threads_may_be_odd_and_long(backend: Backend) -> None:
    memory = memory_on(backend)
    for odd in (each for each in ODD if each.isascii() or each.encode("utf-8", "ignore").decode() == each):
        cause = Cause(f"key {odd}", f"thread {odd}", f"turn {odd}")
        made = memory.create("made", {}, cause)
        assert memory.create("made", {}, cause) == backend.find_change(cause.key) == made
        assert [entry.key for entry in backend.entries(turn=cause.turn)] == [cause.key]
        assert backend.turns(thread=cause.thread) == backend.turns(prefix=f"turn {odd}") == {cause.turn: cause.thread}
        assert find_undoable(memory, cause.thread) == cause.turn
        assert undo(memory, cause.turn).changes
        with pytest.raises(UserError):
            find_undoable(memory, cause.thread)


def any_text_is_a_query(backend: Backend) -> None:
    memory = memory_on(backend)
    assert memory.find("anything", {"a": 1}).explain() == "There are no items yet."
    memory.create("something")
    for text in ("a" * 100_000, "\ud800", "'; DROP TABLE items", "% _ \" ' “", "0000-00-00", "#", "🌍", "\x00", " "):
        assert memory.find(text).total in (0, 1)


# ---- call keys

CALL = Cause("thread/message/0/digest", "thread", "turn")


def a_call_that_runs_again_changes_nothing(backend: Backend) -> None:
    memory = memory_on(backend)
    kept = create(memory, "Buy milk", {"a": 1})
    memory.append_line("Likes tea")
    memory.append_line("Likes rain")
    writes: list[Callable[[Cause], Change]] = [
        lambda cause: memory.create("New", {"b": 2}, cause),
        lambda cause: memory.update(kept.id, "Buy oat milk", {"a": None}, cause),
        lambda cause: memory.append_line("Likes coffee", cause),
        lambda cause: memory.replace_line(0, "Likes green tea", cause),
        lambda cause: memory.delete_line(1, cause),
        lambda cause: memory.delete(kept.id, cause),
    ]
    for n, write in enumerate(writes):
        cause = Cause(f"thread/message/{n}", "thread", "turn")
        made = write(cause)
        before = sorted(i.content for i in memory.items()), memory.lines(), len(memory.history())
        assert write(cause) == made
        assert (sorted(i.content for i in memory.items()), memory.lines(), len(memory.history())) == before


def the_same_call_at_once_is_made_once(backend: Backend) -> None:
    memory = memory_on(backend)
    made: list[Change] = []
    run_at_once(*[lambda: made.append(memory.create("Buy milk", {}, CALL)) for _ in range(8)])
    assert memory.count() == 1
    assert len({change.id for change in made}) == 1
    assert len(memory.history()) == 1


def a_key_is_written_down_with_its_change(backend: Backend) -> None:
    memory = memory_on(backend)
    change = memory.create("Buy milk", {}, CALL)
    assert backend.find_change(CALL.key) == change
    assert backend.find_change("another") is None


def a_copy_is_refused_unless_it_is_wanted(backend: Backend) -> None:
    memory = memory_on(backend)
    first = create(memory, "Buy  milk.", {"type": "task", "n": 1, "gone": None})
    with pytest.raises(DuplicateItem) as caught:
        memory.create("buy milk", {"n": 1.0, "type": "task"}, copy=False)
    assert caught.value.id == first.id
    assert memory.create("buy milk", {"n": 2, "type": "task"}, copy=False).op == "create"
    assert memory.create("buy oat milk", {"n": 1, "type": "task"}, copy=False).op == "create"
    assert memory.create("buy milk", {"type": "task", "n": 1}).op == "create"
    assert memory.count() == 4


def the_oldest_of_several_copies_is_named(backend: Backend) -> None:
    ages = (("b", 2), ("d", 1), ("c", 1), ("a", 3))
    store(backend, *(replace(item(id, "Buy milk"), created_at=f"2026-01-0{day}T00:00:00+00:00") for id, day in ages))
    for named in ("c", "d", "b", "a"):
        with pytest.raises(DuplicateItem) as caught:
            memory_on(backend).create("buy milk.", copy=False)
        assert caught.value.id == named
        memory_on(backend).delete(named)


# ---- apply: all or nothing, as expected


def a_record_that_is_not_as_expected_stops_the_whole_act(backend: Backend) -> None:
    stored, other = item("stored", "as it is"), item("other", "the other")
    store(backend, stored)
    wrong: list[Expected] = [
        {("item", "stored"): item("stored", "as it was")},
        {("item", "stored"): None},
        {("item", "missing"): item("missing", "gone")},
        {("line", "0"): item("0", "gone")},
    ]
    for expected in wrong:
        with pytest.raises(RecordChanged):
            backend.apply(
                [
                    Entry(STAMP, "", "act", Change("item", "other", None, other)),
                    Entry(STAMP, "", "act", Change("item", "stored", stored, None)),
                ],
                expected,
            )
    assert list(backend.scan("item")) == [stored]
    assert [entry.turn for entry in backend.entries()] == ["stored"]


def apply_returns_the_net_change_of_each_record(backend: Backend) -> None:
    first, second = item("a", "first"), item("a", "second")
    entries = [
        Entry(STAMP, "", "act", Change("item", "a", None, first)),
        Entry(STAMP, "", "act", Change("item", "a", first, second)),
        Entry(STAMP, "", "act", Change("line", "0", None, item("0", "line"))),
    ]
    assert backend.apply(entries, {("item", "a"): None}) == [
        Change("item", "a", None, second),
        Change("line", "0", None, item("0", "line")),
    ]
    assert [entry.change.after for entry in backend.entries()] == [item("0", "line"), second, first]
    assert backend.get_many("item", ["a"]) == {"a": second}


def a_failure_in_the_middle_leaves_nothing(backend: Backend) -> None:
    kept = item("kept", "kept")
    store(backend, kept)
    entries = [
        Entry(STAMP, "", "act", Change("item", "kept", kept, None)),
        Entry(STAMP, "", "act", Change("item", "new", None, item("new", "new"))),
        Entry(STAMP, "", "act", Change("item", "bad", None, item("bad", UNEMBEDDABLE))),
    ]
    with pytest.raises(UserError):
        backend.apply(entries)
    assert list(backend.scan("item")) == [kept]
    assert len(backend.entries()) == 1
    store(backend, item("next", "the next write works"))
    assert backend.count("item") == 2


# ---- undo and trash


def a_turn_is_undone_as_a_whole_and_that_can_be_undone(backend: Backend) -> None:
    memory = memory_on(backend)
    kept, gone = create(memory, "kept", {"a": 1}), create(memory, "gone")
    before = sorted(memory.items(), key=lambda i: i.id), memory.lines()
    memory.update(kept.id, "changed", {"b": 2}, Cause("k1", "thread", "turn"))
    memory.delete(gone.id, Cause("k2", "thread", "turn"))
    memory.create("new", {}, Cause("k3", "thread", "turn"))
    memory.append_line("learned", Cause("k4", "thread", "turn"))
    after = sorted(memory.items(), key=lambda i: i.id), memory.lines()
    assert find_undoable(memory, "thread") == "turn"
    done = undo(memory, "turn")
    assert (sorted(memory.items(), key=lambda i: i.id), memory.lines()) == before
    assert not done.conflicts
    undo(memory, done.name)
    assert (sorted(memory.items(), key=lambda i: i.id), memory.lines()) == after
    with pytest.raises(UserError):
        undo(memory, "no such turn")


def undo_stops_at_a_conflict(backend: Backend) -> None:
    memory = memory_on(backend)
    change = memory.create("new", {}, Cause("k1", "thread", "turn"))
    memory.update(change.id, "changed since")
    assert undo(memory, "turn").conflicts
    assert memory.get(change.id).content == "changed since"
    assert undo(memory, "turn", override=True).changes
    assert memory.count() == 0


def deleted_items_can_be_listed_restored_and_purged(backend: Backend) -> None:
    memory = memory_on(backend)
    one, two = create(memory, "one"), create(memory, "two")
    memory.delete(one.id)
    memory.delete(two.id)
    assert [deleted.item for deleted in list_deleted(memory)] == [two, one]
    restore(memory, one.id)
    assert memory.get(one.id) == one
    with pytest.raises(UserError):
        restore(memory, one.id)
    assert purge(memory, "2026") == []
    assert [deleted.item for deleted in purge(memory, "2027")] == [two]
    assert list_deleted(memory) == []
    assert memory.history(id=two.id) == []
    assert len(memory.history(id=one.id)) == 3


def only_what_is_gone_was_deleted(backend: Backend) -> None:
    memory = memory_on(backend)
    one, two = create(memory, "one"), create(memory, "two")
    memory.append_line("line")
    memory.delete(one.id)
    memory.delete_line(0)
    memory.delete(two.id)
    assert [(e.change.key, e.change.before) for e in backend.deletions(("item", one.id))] == [(("item", one.id), one)]
    assert backend.deletions(("line", one.id)) == backend.deletions(("item", "0")) == []
    assert [entry.change.id for entry in backend.deletions()] == [two.id, "0", one.id]
    restore(memory, one.id)
    restore(memory, "line 0")
    assert [entry.change.id for entry in backend.deletions()] == [two.id]
    memory.update(one.id, "changed")
    memory.delete(one.id)
    assert [entry.change.id for entry in backend.deletions()] == [one.id, two.id], "the last deletion of each counts"
    assert [entry.change.before and entry.change.before.content for entry in backend.deletions()] == ["changed", "two"]


# ---- journal


def the_journal_records_turn_time_and_order(backend: Backend) -> None:
    memory = memory_on(backend)
    first = memory.create("one", {}, Cause("k1", "t1", "turn 1"))
    memory.append_line("line", Cause("k2", "t2", "turn 2"))
    memory.update(first.id, "two", cause=Cause("k3", "t1", "turn 3"))
    entries = memory.history()
    assert [entry.turn for entry in entries] == ["turn 3", "turn 2", "turn 1"]
    assert [entry.seq for entry in entries] == sorted((entry.seq for entry in entries), reverse=True)
    assert [entry.change.op for entry in memory.history(id=first.id)] == ["update", "create"]
    assert [entry.key for entry in memory.history(turn="turn 2")] == ["k2"]
    assert memory.history(limit=1) == entries[:1]
    assert memory.history(since=entries[1].ts) == entries[:2]
    assert memory.turns() == {"turn 3": "t1", "turn 2": "t2", "turn 1": "t1"}
    assert list(memory.turns()) == ["turn 3", "turn 2", "turn 1"]
    assert [entry.turn for entry in backend.latest("item")] == ["turn 3"]
    assert [(entry.key, entry.thread, entry.turn) for entry in backend.latest("line")] == [("k2", "t2", "turn 2")]


def the_last_turn_is_the_one_written_last_whatever_the_clock_said(backend: Backend) -> None:
    from tests.conftest import WEDNESDAY

    for turn, days in (("turn 1", 0), ("turn 2", 365), ("turn 3", 0), ("turn 4", -1)):
        moments = itertools.repeat(WEDNESDAY + timedelta(days=days))
        memory = Memory(backend, Clock(BERLIN, moments.__next__))
        memory.create(turn, {}, Cause(f"{turn}/0", "thread", turn))
    assert list(memory.turns()) == ["turn 4", "turn 3", "turn 2", "turn 1"]
    for turn in ("turn 4", "turn 3", "turn 2", "turn 1"):
        assert undo(memory, find_undoable(memory)).turn == turn
    assert memory.count() == 0


def the_journal_has_no_gaps_and_is_in_the_order_of_changes(backend: Backend) -> None:
    memory = memory_on(backend)
    ends = threading.Event()
    read: list[list[int]] = []

    def follow() -> None:
        """Take what is new, again and again, as whoever keeps counts does."""
        at: JournalPosition = (0, "")
        seen: list[int] = []
        while True:
            was_last = ends.is_set()
            with backend.reading():
                new, at = list_since(backend, at, 1000) if at[0] else backend.entries(), backend.position()
            assert new is not None
            seen += [entry.seq for entry in reversed(new)]
            if was_last:
                read.append(seen)
                return

    def write(name: str) -> None:
        for n in range(8):
            memory.create(f"{name} {n}", {}, Cause(f"{name}{n}", "thread", name))
            with pytest.raises(UserError):
                memory.create(UNEMBEDDABLE)
            lines = [
                Entry(STAMP, "", name, Change("item", f"{name}{n}{k}", None, item(f"{name}{n}{k}", "x"))) for k in "ab"
            ]
            backend.apply(lines)
            with pytest.raises(RecordChanged):
                backend.apply(lines, {("item", f"{name}{n}a"): None})

    readers = [threading.Thread(target=follow) for _ in range(2)]
    for reader in readers:
        reader.start()
    run_at_once(*(partial(write, name) for name in ("left", "right", "middle")))
    ends.set()
    for reader in readers:
        reader.join()
    assert [entry.seq for entry in reversed(backend.entries())] == list(range(1, 73))
    assert read == [list(range(1, 73))] * 2


def a_position_is_never_reached_twice(backend: Backend) -> None:
    memory = memory_on(backend)
    assert backend.position() == (0, "")
    first, gone = create(memory, "first"), create(memory, "gone")
    at = backend.position()
    assert list_since(backend, at, 1) == []
    memory.delete(gone.id)
    assert [entry.change.id for entry in list_since(backend, at, 1) or []] == [gone.id]
    assert list_since(backend, at, 0) is None, "there is more"
    end = backend.position()
    backend.erase([("item", gone.id)])
    assert backend.position()[0] == end[0], "what was made counts, erased or not"
    assert list_since(backend, at, 10) is None, "some of it was erased"
    memory.update(first.id, "second")
    assert backend.entries(limit=1)[0].seq == end[0] + 1
    assert list_since(backend, end, 10) is None


def turns_are_found_by_thread_and_by_how_they_begin(backend: Backend) -> None:
    memory = memory_on(backend)
    for turn, thread in (
        ("a-1", "x"),
        ("b-1", "y"),
        ("a-2", "y"),
        ("a-1", "x"),
        ("edit", ""),
        ("a%2", "y"),
        ("A-3", "y"),
    ):
        memory.create(turn, {}, Cause("", thread, turn))
    assert list(backend.turns(limit=3)) == ["A-3", "a%2", "edit"]
    assert backend.turns(thread="y") == {"A-3": "y", "a%2": "y", "a-2": "y", "b-1": "y"}
    assert list(backend.turns(thread="y", limit=2)) == ["A-3", "a%2"]
    assert backend.turns(thread="") == {"edit": ""}
    assert list(backend.turns(prefix="a-").items()) == [("a-1", "x"), ("a-2", "y")]
    assert list(backend.turns(prefix="a-", thread="y")) == ["a-2"]
    assert list(backend.turns(prefix="a%")) == ["a%2"]
    assert backend.turns(prefix="c") == backend.turns(thread="z") == backend.turns(limit=0) == {}


def the_last_turn_is_found_among_many_that_were_undone(backend: Backend) -> None:
    memory = memory_on(backend)
    create(memory, "kept", cause=Cause("", "thread", "first"))
    for n in range(FEW + 1):
        create(memory, "taken back", cause=Cause("", "thread", f"turn {n}"))
        undo(memory, f"turn {n}")
    assert find_undoable(memory, "thread") == find_undoable(memory) == "first"
    with pytest.raises(UserError):
        find_undoable(memory, "another")


def an_erased_record_leaves_no_trace_in_the_journal(backend: Backend) -> None:
    memory = memory_on(backend)
    one, two = create(memory, "one"), create(memory, "two")
    memory.delete(one.id, CALL)
    backend.erase([("item", one.id)])
    assert backend.find_change(CALL.key) is None
    assert backend.deletions() == memory.history(turn=CALL.turn) == []
    assert [entry.change.id for entry in memory.history()] == [two.id]
    assert [entry.change.id for entry in backend.latest("item")] == [two.id]


# ---- line numbers


def line_numbers_are_never_used_again(backend: Backend) -> None:
    memory = memory_on(backend)
    for text in ("zero", "one", "two"):
        memory.append_line(text)
    memory.delete_line(2)
    memory.delete_line(0)
    memory.append_line("three")
    assert memory.lines() == {1: "one", 3: "three"}
    assert backend.next_line_number() == 4
    backend.reserve_line_numbers(10)
    assert (backend.next_line_number(), backend.take_line_number(), backend.take_line_number()) == (10, 10, 11)
    backend.reserve_line_numbers(5)
    assert memory.append_line("later").id == "12"


def a_line_that_changed_since_it_was_read_is_left(backend: Backend) -> None:
    memory = memory_on(backend)
    memory.append_line("Likes tea")
    shown = {0: "digest of another text"}
    calls: list[Callable[[], Any]] = [
        lambda: memory.replace_line(0, "Likes coffee", digests=shown),
        lambda: memory.delete_line(0, digests=shown),
    ]
    for call in calls:
        with pytest.raises(ToolError, match="Likes tea"):
            call()
    with pytest.raises(ToolError, match="Likes tea"):
        memory.delete_line(0, digests={})
    with pytest.raises(ToolError, match="no Global Context line 7") as caught:
        memory.delete_line(7)
    assert caught.value.hint == "The lines are: 0."
    assert memory.lines() == {0: "Likes tea"}
    memory.replace_line(0, "Likes water", digests={0: digest_line("Likes tea")})
    assert memory.lines() == {0: "Likes water"}


# ---- names in use


def names_are_counted_once_and_then_followed(backend: Backend) -> None:
    memory = memory_on(backend)
    for name in ("lumen", "Lumen", "Lumen"):
        create(memory, f"plan for {name}", {"project": name, "tags": ["work", "home"], "type": "task"})
    wanted = {
        "project": [("Lumen", 3)],
        "topic": [],
        "person": [],
        "type": [("task", 3)],
        "status": [],
        "tags": [("home", 3), ("work", 3)],
        "dates": [],
        "properties": [],
    }
    assert memory.vocabulary.names() == wanted
    acme = create(memory, "call Acme", {"project": "Acme", "status": "active", "due_date": "2026-01-09"})
    note = create(memory, "a note", {"type": "note", "project": "LUMEN"})
    memory.update(acme.id, properties={"status": "done", "tags": ["work", "work"]})
    memory.delete(note.id)
    wanted |= {"project": [("Lumen", 3), ("Acme", 1)], "status": [("done", 1)], "dates": [("due_date", 1)]}
    wanted |= {"tags": [("work", 4), ("home", 3)]}
    assert memory.vocabulary.names() == memory_on(backend).vocabulary.names() == wanted
    memory.delete(acme.id)
    backend.erase([("item", acme.id), ("item", note.id)])
    create(memory, "write to Lumen", {"project": "Lumen"})
    create(memory, "write to Lumen again", {"project": "Lumen"})
    assert memory.vocabulary.names()["project"] == [("Lumen", 5)]


# ---- threads


def threads_lose_nothing(backend: Backend) -> None:
    memory = memory_on(backend)

    def write(name: str) -> None:
        for n in range(10):
            memory.append_line(f"{name} {n}")
            memory.create(f"{name} {n}")

    run_at_once(*(partial(write, name) for name in ("left", "right", "middle")))
    wanted = sorted(f"{name} {n}" for name in ("left", "right", "middle") for n in range(10))
    assert sorted(i.content for i in memory.items()) == wanted
    assert sorted(memory.lines().values()) == wanted


def changes_of_one_record_follow_one_another(backend: Backend) -> None:
    memory = memory_on(backend)
    counter = create(memory, "counter", {"log": []})

    def count(name: str) -> None:
        for n in range(5):
            memory.update(counter.id, properties={f"{name}{n}": True})

    run_at_once(*(partial(count, name) for name in ("a", "b", "c")))
    assert len(memory.get(counter.id).properties) == 16
    history = memory.history(id=counter.id)
    assert all(newer.change.before == older.change.after for newer, older in itertools.pairwise(history))


def reads_together_see_one_state(backend: Backend) -> None:
    memory = memory_on(backend)
    create(memory, "early")
    writer = threading.Thread(target=lambda: memory.create("late"))
    with backend.reading():
        before = memory.count()
        writer.start()
        writer.join(0.1)
        with backend.reading():
            assert (before, memory.count(), len(list(memory.items())), len(memory.history())) == (1, 1, 1, 1)
            assert memory.find("late").total == 1
        assert memory.count() == 1
    writer.join()
    assert memory.count() == 2


def who_is_alone_keeps_writers_out(backend: Backend) -> None:
    memory = memory_on(backend)
    writer = threading.Thread(target=lambda: memory.create("late"))
    with backend.alone():
        writer.start()
        writer.join(0.1)
        with backend.alone(), backend.reading():
            assert memory.count() == 0
        memory.create("early")
        with backend.reading():
            assert [item.content for item in memory.items()] == ["early"], "its own writes are read"
    writer.join()
    assert sorted(item.content for item in memory.items()) == ["early", "late"]


def an_error_undoes_nothing_that_was_made_alone(backend: Backend) -> None:
    memory = memory_on(backend)

    def fail() -> None:
        with backend.alone():
            memory.create("made", {}, CALL)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [item.content for item in memory.items()] == ["made"]
    assert backend.find_change(CALL.key) is not None
    run_at_once(lambda: memory.create("others can write again"))
    assert memory.count() == 2


# ---- several backends, persons and connections


def two_backends_on_one_store_agree(shelf: Store) -> None:
    one, other = shelf.open(), shelf.open()
    first, second = memory_on(one), memory_on(other)
    kept = create(first, "Buy oat milk", {"type": "task", "due_date": "2026-01-09"})
    first.append_line("Likes tea")
    assert [each.id for each in second.find("milk").items] == [kept.id]
    assert second.find(where={"due_date": "2026-01-09"}).total == find_due(second, NOW, date(2026, 1, 9)).total == 1
    assert second.vocabulary.names()["type"] == [("task", 1)]
    second.update(kept.id, "Buy soy milk", {"type": "note"})
    assert first.get(kept.id).content == first.find("soy").items[0].content == "Buy soy milk"
    assert first.vocabulary.names()["type"] == [("note", 1)]
    with pytest.raises(DuplicateItem):
        first.create("buy soy milk", {"type": "note", "due_date": "2026-01-09"}, copy=False)
    with pytest.raises(RecordChanged):
        one.apply([Entry(STAMP, "", "act", Change("item", kept.id, kept, None))], {("item", kept.id): kept})
    assert first.create("Once", {}, CALL) == second.create("Once", {}, CALL)
    assert (second.append_line("Likes rain").id, first.append_line("Likes snow").id) == ("1", "2")
    first.delete(kept.id)
    assert (second.find("milk").total, second.record("item", kept.id), second.lines()) == (1, None, first.lines())
    assert [entry.change.id for entry in other.deletions()] == [kept.id]
    with one.reading():
        assert one.find_change(CALL.key) is not None
    other.erase([("item", kept.id)])
    assert one.deletions() == one.entries(id=kept.id) == []
    assert first.history() == second.history()
    assert one.position() == other.position() == (7, second.history()[0].ts if second.history()[0].seq == 7 else "")


def two_backends_lose_nothing(shelf: Store) -> None:
    backends = shelf.open(), shelf.open()

    def write(name: str, backend: Backend) -> None:
        memory = memory_on(backend)
        for n in range(6):
            memory.append_line(f"{name} {n}")
            memory.create(f"{name} {n}")

    run_at_once(*(partial(write, name, backend) for name, backend in zip("ab", backends, strict=True)))
    wanted = sorted(f"{name} {n}" for name in "ab" for n in range(6))
    for backend in backends:
        assert sorted(each.content for each in backend.scan("item")) == wanted
        assert sorted(memory_on(backend).lines().values()) == wanted
        assert [entry.seq for entry in reversed(backend.entries())] == list(range(1, 25))


def one_backend_alone_keeps_the_other_out(shelf: Store) -> None:
    one, other = shelf.open(), shelf.open()
    memory_on(other).find("opened")
    writer = threading.Thread(target=lambda: memory_on(other).create("late"))
    with one.alone():
        writer.start()
        writer.join(0.1)
        memory_on(one).create("early")
    writer.join()
    assert [entry.change.after.content for entry in one.entries() if entry.change.after] == ["late", "early"]


def reads_of_one_backend_see_one_state_while_the_other_writes(shelf: Store) -> None:
    one, other = shelf.open(), shelf.open()
    create(memory_on(one), "early")
    writer = threading.Thread(target=lambda: memory_on(other).create("late"))
    with one.reading():
        writer.start()
        writer.join(0.2)
        assert (one.count("item"), one.position()[0], len(one.entries())) == (1, 1, 1)
    writer.join()
    assert (one.count("item"), one.position()[0]) == (2, 2)


def two_persons_know_nothing_of_one_another(shelf: Store) -> None:
    ann, bob = shelf.open("ann"), shelf.open("bob")
    hers, his = memory_on(ann), memory_on(bob)
    store(ann, item("same", "Ann's secret", {"project": "Lumen"}))
    assert (bob.count("item"), bob.entries(), bob.position(), his.find("secret").total) == (0, [], (0, ""), 0)
    store(bob, item("same", "Bob's plan"))
    assert hers.create("Once", {}, CALL).after == ann.get_many("item", [his.create("Once", {}, CALL).id]).popitem()[1]
    assert hers.append_line("Likes tea").id == his.append_line("Likes rain").id == "0"
    assert (hers.get("same").content, his.get("same").content) == ("Ann's secret", "Bob's plan")
    assert [each.id for each in his.find("secret of Lumen").items if "Ann" in each.content] == []
    assert bob.find_similar("item", "same", 9)[0][0].content == "Once"
    assert (bob.list_keys(), bob.list_values("project"), bob.turns(thread="")) == (
        {},
        [],
        {"stored": ""} | bob.turns(thread=""),
    )
    assert his.create("Ann's secret", {"project": "Lumen"}, copy=False).op == "create", "hers is no copy"
    hers.delete("same")
    ann.erase([("item", "same")])
    assert ann.deletions() == bob.deletions() == []
    assert his.get("same").content == "Bob's plan"
    assert [entry.turn for entry in bob.entries(id="same")] == ["stored"]
    assert bob.entries(id="same")[0].seq == 1
    undo(his, CALL.turn)
    assert hers.find("Once").total == 1


def a_lost_connection_is_opened_again(shelf: Store) -> None:
    backend = shelf.open()
    memory = memory_on(backend)
    kept = create(memory, "kept", {"n": 1}, CALL)
    memory.append_line("Likes tea")
    reads: list[Callable[[], object]] = [
        lambda: backend.get_many("item", [kept.id]),
        lambda: list(backend.scan("line")),
        lambda: backend.count("item"),
        lambda: memory.find("kept").items,
        lambda: memory.find(where={"n": 1}).items,
        lambda: backend.find_similar("item", kept.id, 3),
        lambda: [*backend.get_vectors("item", [kept.id])],
        lambda: backend.list_values("n"),
        lambda: backend.find_change(CALL.key),
        backend.entries,
        backend.position,
        backend.turns,
        backend.deletions,
        backend.next_line_number,
    ]
    for read in reads:
        before = again(read)
        shelf.sever(backend)
        assert again(read) == before
    writes: list[Callable[[], object]] = [
        lambda: memory.create("new", {}, replace(CALL, key="new")),
        lambda: memory.update(kept.id, "changed", None, replace(CALL, key="changed")),
        lambda: memory.delete(kept.id, replace(CALL, key="deleted")),
        lambda: backend.erase([("item", kept.id)]),
    ]
    for write in writes:
        shelf.sever(backend)
        again(write)
    assert [each.content for each in memory.items()] == ["new"]
    assert [entry.key for entry in backend.entries(turn=CALL.turn)] == ["new"]
    shelf.sever(backend)
    with suppress(UserError), backend.alone():
        backend.count("item")
    again(lambda: run_at_once(lambda: memory.create("others can write again")))


def again(call: Callable[[], T]) -> T:
    """Return what a call returns, at the second try if the first is told of a lost connection."""
    try:
        return call()
    except UserError:
        return call()


def nobody_is_kept_out_while_something_is_embedded(shelf: Store) -> None:
    backend = shelf.open()
    memory = memory_on(backend)
    created = iter("abcdef")

    def write_alone() -> None:
        with backend.alone():
            memory.create(next(created))

    def meanwhile() -> None:
        shelf.embedder.meanwhile = lambda: None
        other = threading.Thread(target=write_alone, daemon=True)
        other.start()
        other.join(PATIENCE)
        assert not other.is_alive(), "somebody else can be alone meanwhile"

    kept = create(memory, "kept")
    calls: list[Callable[[], object]] = [
        lambda: memory.create("new"),
        lambda: memory.update(kept.id, "changed"),
        lambda: memory.find("kept"),
        lambda: undo(memory, memory.history(id=kept.id)[0].turn),
        lambda: store(backend, *(item(f"many{n}", f"one of many, {n}") for n in range(120))),
    ]
    for call in calls:
        shelf.embedder.meanwhile = meanwhile
        call()
    assert next(created) == "f"
    assert memory.count() == 127


def run_at_once(*calls: Callable[[], object]) -> None:
    """Run calls in threads of their own and raise what the first of them raised."""
    with ThreadPoolExecutor(len(calls)) as pool:
        for future in [pool.submit(call) for call in calls]:
            future.result()


ON_A_STORE: dict[str, tuple[StoreCheck, ...]] = {
    "two backends": (
        two_backends_lose_nothing,
        one_backend_alone_keeps_the_other_out,
        reads_of_one_backend_see_one_state_while_the_other_writes,
        two_backends_on_one_store_agree,
    ),
    "lost connection": (a_lost_connection_is_opened_again,),
    "two persons": (two_persons_know_nothing_of_one_another,),
    "embedding": (nobody_is_kept_out_while_something_is_embedded,),
}
"""What needs more than one backend, or more of it than its methods."""

IN_A_PROCESS = ("two persons", "embedding")
"""Those that also hold for a store that is gone with its process."""

GROUPS: dict[str, tuple[Check, ...]] = {
    "sources": (
        sources_and_zone_come_back_exactly,
        a_write_tells_the_source_of_what_it_writes,
        what_is_claimed_is_the_persons_until_that_is_undone,
    ),
    "round trip": (
        content_and_properties_come_back_exactly,
        an_update_leaves_nothing_stale,
        a_megabyte_comes_back,
        numbers_keep_value_and_type,
        a_property_called_created_at_is_the_users,
        values_that_json_cannot_carry_are_refused_by_name,
        update_merges_and_null_removes,
        unknown_ids_are_errors_the_model_can_act_on,
        ids_are_eight_characters_of_base32,
        delete_gives_back_what_it_removed,
        scan_and_get_many_give_what_is_stored,
        odd_texts_are_kept_and_found,
        names_of_calls_turns_and_threads_may_be_odd_and_long,
        stored_objects_are_not_shared,
    ),
    "filters": (
        where_means_what_the_filter_language_says,
        random_filters_find_what_the_exact_test_finds,
        an_unknown_key_matches_nothing_and_says_so,
        numbers_beyond_64_bits_are_compared,
        what_repeats_stands_by_its_date_among_the_others,
        a_filter_or_limit_that_makes_no_sense_says_what_is_wrong,
        without_text_by_date_then_newest,
        due_items_are_open_and_go_by_their_own_date,
        what_is_overdue_is_open_and_has_to_be_done,
        times_stay_where_they_were_said_and_days_go_along,
    ),
    "ranking": (
        the_nearest_come_first_and_all_are_counted,
        an_id_a_phrase_and_a_tag_come_first,
        a_day_that_is_named_lifts_items_of_that_day,
        words_that_vectors_cannot_tell_apart_are,
        equal_items_are_in_an_order,
        a_record_that_does_not_exist_has_no_neighbours,
        vectors_are_given_by_id,
        any_text_is_a_query,
    ),
    "call keys": (
        a_call_that_runs_again_changes_nothing,
        the_same_call_at_once_is_made_once,
        a_key_is_written_down_with_its_change,
        the_oldest_of_several_copies_is_named,
        a_copy_is_refused_unless_it_is_wanted,
    ),
    "apply": (
        a_record_that_is_not_as_expected_stops_the_whole_act,
        apply_returns_the_net_change_of_each_record,
        a_failure_in_the_middle_leaves_nothing,
    ),
    "undo": (
        the_last_turn_is_found_among_many_that_were_undone,
        a_turn_is_undone_as_a_whole_and_that_can_be_undone,
        undo_stops_at_a_conflict,
    ),
    "trash": (only_what_is_gone_was_deleted, deleted_items_can_be_listed_restored_and_purged),
    "journal": (
        the_journal_has_no_gaps_and_is_in_the_order_of_changes,
        a_position_is_never_reached_twice,
        turns_are_found_by_thread_and_by_how_they_begin,
        the_journal_records_turn_time_and_order,
        the_last_turn_is_the_one_written_last_whatever_the_clock_said,
        an_erased_record_leaves_no_trace_in_the_journal,
    ),
    "line numbers": (line_numbers_are_never_used_again, a_line_that_changed_since_it_was_read_is_left),
    "names in use": (names_are_counted_once_and_then_followed,),
    "threads": (
        threads_lose_nothing,
        changes_of_one_record_follow_one_another,
        an_error_undoes_nothing_that_was_made_alone,
        reads_together_see_one_state,
        who_is_alone_keeps_writers_out,
    ),
}
