"""A store as it was before sources were kept, when only the names of turns told who wrote; and what they should be."""

from ana.memory.changes import Cause, Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.operations import Operation
from ana.memory.sources import tell_all
from ana.memory.undo import undo
from ana.values import Properties

FRIEND = "assistant Friend"
ODD = "odd \x00 \ud800"


def fill_from_others(memory: Memory) -> dict[str, str]:
    """Write as an import, another assistant and the person did; return the ids of items by name."""
    ids, stamp = {}, memory.stamp()
    for name, turn in (("import", "import-1"), ("friend", "mcp-Friend-2"), ("mine", "edit-3")):
        properties: Properties = {"tags": ["a"], "note": "x \x00 \ud800", "n": 1, ODD: "y"}
        ids[name] = f"{name:a<8}"
        made = Item(ids[name], f"Milk of {name}", properties, stamp, stamp)  # a memory refuses what is no text
        memory.backend.apply([Entry(stamp, "", turn, Change("item", made.id, None, made))])
    memory.update(ids["import"], Operation("content", append="and tea"), {"note": "my own"}, Cause("", "", "edit-4"))
    memory.update(ids["mine"], None, {"tags": Operation("tags", add="b"), "n": 2}, Cause("", "", "mcp-Friend-5"))
    memory.append_line("Likes tea", Cause("", "", "import-6"))
    memory.delete(ids["friend"], Cause("", "", "edit-7"))
    return ids


def check_sources(memory: Memory, ids: dict[str, str], odd: str = ODD) -> None:
    """Check what was written then, and that the trash and undo know it too.

    Args:
        odd: What the property with an odd name is called now.
    """
    records = [*memory.items(), *memory.backend.scan("line")]
    assert {each.id: (each.sources.content, dict(each.sources.properties)) for each in records} == {
        ids["import"]: ("import", {"tags": "import", "n": "import", odd: "import"}),
        ids["mine"]: ("person", {"tags": FRIEND, "n": FRIEND}),
        "0": ("import", {}),
    }
    by_turn = {entry.turn: entry.source for entry in memory.history() if entry.source != "person"}
    assert by_turn == {"import-1": "import", "mcp-Friend-2": FRIEND, "mcp-Friend-5": FRIEND, "import-6": "import"}
    undo(memory, "edit-7")
    friend = memory.get(ids["friend"])
    assert friend.sources == tell_all(FRIEND, friend.properties)
    undo(memory, "mcp-Friend-5")
    assert memory.get(ids["mine"]).source == "person"
