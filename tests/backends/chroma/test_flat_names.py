"""Of properties that have more names than a collection has room for, Chroma gets no flat copies."""

import pytest

from ana.backends.chroma import metadata, source
from ana.backends.chroma.care.examine import examine
from ana.memory.memory import Memory
from ana.values import Properties
from tests.chroma import chroma_of, hold_source


def test_a_collection_has_room_for_so_many_names_and_no_more(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "MOST_NAMES", 6)
    for n in range(10):
        properties: Properties = {f"name {n}": n, "type": "task", "due_date": "2026-01-13"}
        id = memory.create(f"item {n}", properties).id
        memory.update(id, properties={"late": True, "type": None})
        assert memory.get(id).properties == {f"name {n}": n, "due_date": "2026-01-13", "late": True}
    with hold_source(memory) as opened:
        assert len(source.read_names(opened.chroma._collection)) <= 7
        raw = opened.chroma.get(ids=[id])["metadatas"][0]
    assert raw.keys() <= {"ana:item", "due_date", "ana:date:due_date", "late", "name 0"}
    assert examine(chroma_of(memory)).is_sound
