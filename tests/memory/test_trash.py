"""Deleted items stay in the trash until they are restored or purged."""

from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.memory.trash import list_deleted, restore
from ana.memory.undo import find_undoable, undo


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
