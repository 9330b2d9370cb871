"""The store keeps everything exactly, whatever it is."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ana.backends.chroma.collection import ChromaStore
from ana.backends.chroma.folder import Folder
from ana.errors import ConfigError, ToolError
from ana.memory.found import Store
from ana.memory.item import Properties
from ana.memory.memory import Memory
from ana.memory.property_text import DELIMITER, property_text
from ana.time.clock import Clock
from tests.conftest import EMBEDDER
from tests.examples import examples

TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXT, v, max_size=3), max_leaves=6)
KEYS = TEXT | st.sampled_from(
    ["created_at", "updated_at", "id", "due_date", "ana:length", "chroma:document", "$ne", "#", ""]
)
PROPERTIES = st.dictionaries(KEYS, JSON, max_size=5)
CONTENT = TEXT | st.builds(lambda a, b: a + DELIMITER + b, TEXT, TEXT)

lasting = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def store(memory: Memory) -> ChromaStore:
    return memory.items


@lasting
@given(content=CONTENT, properties=PROPERTIES)
def test_content_and_properties_come_back_exactly(store: ChromaStore, content: str, properties: Properties) -> None:
    added = store.add(content, properties)
    found = store.get(added.id)
    assert found == added
    assert found is not None
    assert found.content == content
    assert repr(found.properties) == repr(properties), "types and order too"


@lasting
@given(content=CONTENT, first=PROPERTIES, second=PROPERTIES)
def test_an_update_leaves_nothing_stale(
    store: ChromaStore, content: str, first: Properties, second: Properties
) -> None:
    item = store.add("before", first)
    gone: Properties = dict.fromkeys(first)
    updated = store.update(item.id, content, gone | second)
    expected = {k: v for k, v in (gone | second).items() if v is not None}
    assert store.get(item.id) == updated
    assert updated.properties == expected
    raw = store._opened[1].chroma.get(ids=[item.id])["metadatas"][0]  # type: ignore[index]
    flat = {k for k in raw if not k.startswith("ana:")}
    assert flat <= set(expected)


def test_a_megabyte_comes_back(store: ChromaStore) -> None:
    content = "wörd " * 200_000
    item = store.add(content, {"note": "x" * 100_000})
    assert store.get(item.id) == item


@pytest.mark.parametrize("value", [math.nan, math.inf, [1.0, -math.inf], {"a": {"b": math.nan}}, 10**400, object()])
def test_what_json_cannot_carry_is_refused_by_name(store: ChromaStore, value: Any) -> None:
    with pytest.raises(ToolError, match="'odd'"):
        store.add("x", {"odd": value})
    assert store.count() == 0


@pytest.mark.parametrize(
    "number", [0, -0.0, 1e-300, 1e300, 2**53, 2**63 - 1, 2**63, -(2**63), 2**200, 0.1, 5e-324, True, False]
)
def test_numbers_keep_value_and_type(store: ChromaStore, number: float) -> None:
    found = store.get(store.add("n", {"n": number}).id)
    assert found is not None
    assert repr(found.properties["n"]) == repr(number)


def test_a_property_called_created_at_is_the_users(store: ChromaStore) -> None:
    item = store.add("x", {"created_at": "1999-01-01"})
    assert item.properties == {"created_at": "1999-01-01"}
    assert item.created_at.startswith("2026-01-07T08:00:00")
    assert [i.id for i in store.query(where={"created_at": "1999-01-01"}).items] == [item.id]


def test_update_merges_and_null_removes(store: ChromaStore) -> None:
    item = store.add("x", {"a": 1, "b": 2, "n": None})
    assert store.update(item.id, properties={"b": None, "c": 3}).properties == {"a": 1, "n": None, "c": 3}


def test_unknown_ids_are_errors_the_model_can_act_on(store: ChromaStore) -> None:
    calls: list[Callable[[], Any]] = [lambda: store.update("nope1234", "x"), lambda: store.delete("nope1234")]
    for call in calls:
        with pytest.raises(ToolError, match="nope1234") as caught:
            call()
        assert "query_items" in caught.value.hint
    assert store.get("nope1234") is None
    assert store.get("") is None


def test_an_id_is_taken_once(store: ChromaStore) -> None:
    item = store.add("x")
    with pytest.raises(ToolError, match=item.id):
        store.add("y", id=item.id)
    assert store.get(item.id) == item


def test_ids_are_eight_characters_of_base32(store: ChromaStore) -> None:
    ids = {store.add("x").id for _ in range(20)}
    assert len(ids) == 20
    assert all(len(id) == 8 and set(id) <= set("abcdefghijklmnopqrstuvwxyz234567") for id in ids)


def test_delete_gives_back_what_it_removed(store: ChromaStore) -> None:
    item = store.add("x", {"a": 1})
    assert store.delete(item.id) == item
    assert store.get(item.id) is None
    assert store.count() == 0


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"a", "b", "c", "d", "e"}),
    ({"type": "task"}, {"a", "b"}),
    ({"type": "task", "status": "active"}, {"a"}),
    ({"status": "gone"}, set()),
    ({"n": 1}, {"a", "b"}),
    ({"n": True}, {"c"}),
    ({"nothing": "here"}, set()),
    ({"list": ["x", 1]}, {"d"}),
    ({"nest": {}}, {"d"}),
    ({"n": {"$gte": 1}}, {"a", "b"}),
    ({"type": {"$in": ["task", "note"]}, "n": {"$ne": 1}}, {"c"}),
    ({"list": {"$contains": 1}}, {"d"}),
    ({"$or": [{"type": "note"}, {"": "empty"}]}, {"c", "e"}),
    ({"due": "2026-01-13"}, {"a", "b"}),
    ({"due": {"$gt": "2026-01-13"}}, {"c"}),
    ({"due": {"$lte": "2026-01-13", "$gte": "2026-01-13"}}, {"a", "b"}),
    ({"": "empty"}, {"e"}),
    ({"id": "a"}, {"a"}),
]


@pytest.mark.parametrize(("where", "expected"), FILTERS)
def test_where_means_what_the_filter_language_says(
    store: ChromaStore, where: dict[str, Any], expected: set[str]
) -> None:
    store.add("a", {"type": "task", "status": "active", "n": 1, "due": "2026-01-13"}, id="a")
    store.add("b", {"type": "task", "status": "done", "n": 1.0, "due": "2026-01-13T23:59"}, id="b")
    store.add("c", {"type": "note", "n": True, "due": "2026-01-14"}, id="c")
    store.add("d", {"list": ["x", 1], "nest": {}}, id="d")
    store.add("e", {"": "empty"}, id="e")
    found = store.query(where=where)
    assert {i.id for i in found.items} == expected
    assert found.total == len(expected)
    assert {i.id for i in store.query("anything", where).items} == expected


def test_an_unknown_key_matches_nothing_and_says_so(store: ChromaStore) -> None:
    store.add("a", {"type": "task"})
    assert store.query(where={"typo": "task", "type": "task", "id": "x"}).unknown == ("typo",)
    assert store.query(where={"type": "other"}).unknown == ()
    assert store.query(where={"typo": {"$ne": 1}}).total == 1


@pytest.mark.parametrize("where", [{"$and": []}, {"due_date": {"$approx": 1}}])
def test_a_filter_that_is_none_says_what_is_wrong(store: ChromaStore, where: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        store.query(where=where)
    assert caught.value.hint


def test_query_finds_the_nearest_first_and_counts(store: ChromaStore) -> None:
    for text in ("Buy oat milk", "Quarterly report for the board", "Water the tomatoes"):
        store.add(text)
    found = store.query("finance report", limit=2)
    assert found.items[0].content == "Quarterly report for the board"
    assert (len(found.items), found.total, found.truncated) == (2, 3, True)
    assert store.query("x", limit=9).truncated is False
    with pytest.raises(ToolError):
        store.query("x", limit=0)


def test_without_text_by_date_then_newest(tmp_path: Path) -> None:
    stamps = itertools.count()
    from datetime import timedelta

    from tests.conftest import BERLIN, WEDNESDAY

    ticking = Clock(BERLIN, lambda: WEDNESDAY + timedelta(seconds=next(stamps)))
    store = ChromaStore(Folder(tmp_path), "items", EMBEDDER, ticking)
    store.add("old", id="old")
    store.add("late", {"due_date": "2026-03-01"}, id="late")
    store.add("new", id="new")
    store.add("soon", {"when": "2026-01-09"}, id="soon")
    assert [i.id for i in store.query().items] == ["soon", "late", "new", "old"]


def test_scan_pages_through_everything(store: ChromaStore) -> None:
    added = {store.add(f"item {n}").id for n in range(7)}
    assert {i.id for i in store.scan(page=3)} == added
    assert len(list(store.scan(page=7))) == 7


def test_every_item_is_found_by_its_own_vector(store: ChromaStore) -> None:
    ids = [store.add(text).id for text in ("", "   ", "milk", "\ud800", "記憶")]
    for id, vector in zip(ids, store.vectors(ids), strict=True):
        assert id in store.nearest(vector, 2)


class _Other:
    name = "other"
    dimension = 3

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0, 0.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(len(text)), 0.0, 1.0]


def test_a_collection_refuses_another_embedder(memory: Memory, clock: Clock) -> None:
    memory.items.add("x")
    memory.close()
    with pytest.raises(ConfigError, match="wordllama"):
        ChromaStore(memory.folder, "items", _Other(), clock).count()


def test_property_text_is_the_designs() -> None:
    properties: Properties = {
        "type": "task",
        "due_date": "2026-01-13",
        "at": "2026-01-13T14:30",
        "tags": ["home", "garden"],
        "nested": {"a": [1]},
        "none": None,
        "done": False,
    }
    assert property_text("Review quarterly report", properties) == (
        "Review quarterly report\n---ANA_PROPS---\ntype: task\ndue date: Tuesday January 13 2026\n"
        'at: Tuesday January 13 2026 14:30\ntags: home, garden\nnested: {"a": [1]}\ndone: false'
    )
    assert property_text("just text", {}) == "just text"
    assert property_text("just text", {"n": None}) == "just text"


def test_chroma_store_is_a_store(store: ChromaStore) -> None:
    as_store: Store = store
    assert as_store.count() == 0
