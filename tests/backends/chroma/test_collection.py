"""One Chroma collection: what Chroma itself holds, pages, vectors, embedders."""

import pytest
from hypothesis import HealthCheck, assume, given, settings

from ana.backends.chroma.collection import ChromaCollection
from ana.memory.memory import Memory
from ana.text import find_fault
from ana.values import Properties
from tests.chroma import chroma_of, hold_source
from tests.examples import examples
from tests.memory.conformance import PROPERTIES, memory_on

lasting = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))


@pytest.fixture
def collection(memory: Memory) -> ChromaCollection:
    return chroma_of(memory).collections["item"]


@lasting
@given(first=PROPERTIES, second=PROPERTIES)
def test_an_update_leaves_no_stale_key_in_chroma(
    memory: Memory, collection: ChromaCollection, first: Properties, second: Properties
) -> None:
    """Chroma merges metadata, also on an upsert."""
    assume(not find_fault([first, second]))  # refused before it comes here
    memory = memory_on(memory.backend)
    id = memory.create("before", first).id
    updated = memory.update(id, "after", dict.fromkeys(first) | second).after
    with hold_source(memory) as source:
        raw = source.chroma.get(ids=[id])["metadatas"][0]
    assert updated is not None
    assert {key for key in raw if not key.startswith("ana:")} <= set(updated.properties)


def test_scan_pages_through_everything(memory: Memory, collection: ChromaCollection) -> None:
    added = {memory.create(f"item {n}").id for n in range(7)}
    assert {item.id for item in chroma_of(memory).scan("item", page=3)} == added
    assert len(list(chroma_of(memory).scan("item", page=7))) == 7
