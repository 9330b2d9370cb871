"""Deleted items stay in the trash until they are restored or purged."""

from datetime import timedelta

from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.memory.trash import list_deleted, purge, restore
from ana.memory.undo import find_undoable, undo
from tests.conftest import WEDNESDAY


def test_bringing_back_can_be_done_again_and_taken_back(memory: Memory) -> None:
    item = memory.create("one").id
    for _ in range(2):
        memory.delete(item)
        restore(memory, item)
    undo(memory, find_undoable(memory))
    assert memory.record("item", item) is None
    assert [each.item.id for each in list_deleted(memory)] == [item]


def test_an_item_removed_by_undo_is_in_the_trash_too(memory: Memory) -> None:
    item = memory.create("one", {}, Cause("a/0", "t", "a")).id
    undo(memory, "a")
    restore(memory, item)
    assert memory.get(item).content == "one"


def test_purging_forgets_only_what_is_old_and_gone(memory: Memory) -> None:
    gone, kept = memory.create("gone").id, memory.create("kept").id
    memory.append_line("Prefers tea")
    memory.delete(gone)
    later = (WEDNESDAY + timedelta(days=1)).isoformat(timespec="microseconds")
    assert purge(memory, WEDNESDAY.isoformat(timespec="microseconds")) == []
    assert [each.item.id for each in purge(memory, later)] == [gone]
    assert list_deleted(memory) == []
    assert memory.history(id=gone) == []
    assert [entry.change.id for entry in memory.history()] == ["0", kept]
