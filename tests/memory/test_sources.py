"""Who told it: what a write does to the sources of the content and each property of a record."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.backends.in_memory import InMemoryBackend
from ana.memory.changes import make_edit
from ana.memory.item import Item, from_json, to_json
from ana.memory.memory import Memory
from ana.memory.operations import Operation, read_operation, read_operations
from ana.memory.others import OTHERS, claim_turn, find_from
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.sources import (
    IMPORT,
    PASTE,
    PERSON,
    SUGGESTED,
    PastStates,
    Sources,
    find_source,
    name_assistant,
    name_tool,
    read_source,
)
from ana.memory.trash import restore
from ana.memory.undo import undo
from ana.memory.views import show_item
from ana.values import Properties
from tests.conftest import BERLIN, EMBEDDER
from tests.memory.conformance import memory_on

STAMP = "2026-01-07T08:00:00.000000+00:00"


def keep(memory: Memory, content: str, properties: Properties, source: str = IMPORT) -> Item:
    item = memory.create(content, properties, make_edit(source=source)).after
    assert item
    return item


def tell(memory: Memory, id: str) -> tuple[str, dict[str, str]]:
    sources = memory.get(id).sources
    return sources.content, dict(sources.properties)


@pytest.mark.parametrize("name", [name_assistant, name_tool])
def test_a_name_in_a_source_is_one_short_printable_line(name: Any) -> None:
    assert name(" Ann\n\x1b[2J  B ").partition(" ")[2] == "Ann [2J B"
    assert len(name("x" * 999)) < 80
    for each in ("Ann", "", " ", "\n", "x " * 99):
        assert read_source(name(each)) == name(each)


@pytest.mark.parametrize(
    "wrong", ["", "me", "Person", "calendar  two", "assistant a\nb", "tool " + "x" * 99, 1, None, {}]
)
def test_what_is_no_source_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="is not a source"):
        read_source(wrong)


@pytest.mark.parametrize(
    ("content", "properties", "told"),
    [
        (None, {"status": "done"}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        (None, {"note": "mine"}, (IMPORT, {"tags": IMPORT, "n": IMPORT})),
        (None, {"note": None, "n": 1}, (IMPORT, {"tags": IMPORT, "n": IMPORT})),
        ("Milk", {}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        ("My milk", {}, (PERSON, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        ({"$append": "more"}, {}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        ({"$replace": ["Milk", "Tea"]}, {}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        (None, {"tags": {"$add": "b"}, "n": {"$add": 1}}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
        (None, {"tags": {"$remove": "a"}, "n": 7}, (IMPORT, {"tags": IMPORT, "note": IMPORT})),
        (None, {"fresh": {"$append": "x"}}, (IMPORT, {"tags": IMPORT, "n": IMPORT, "note": IMPORT})),
    ],
)
def test_only_editing_that_very_text_makes_it_the_persons(
    memory: Memory, content: Any, properties: Any, told: tuple[str, dict[str, str]]
) -> None:
    id = keep(memory, "Milk", {"tags": ["a", "c"], "n": 1, "note": "x"}).id
    given: Any = read_operation("content", content)
    memory.update(id, given, read_operations(properties))
    assert tell(memory, id) == told


def test_an_addition_of_others_makes_the_persons_text_theirs(memory: Memory) -> None:
    id = keep(memory, "Milk", {"tags": ["a"], "n": 1}, PERSON).id
    by = make_edit(source=SUGGESTED)
    memory.update(id, Operation("content", append="and tea"), {"tags": Operation("tags", add="b"), "n": 1}, by)
    assert tell(memory, id) == (SUGGESTED, {"tags": SUGGESTED})
    assert memory.get(id).source == SUGGESTED


def test_what_repeats_keeps_its_sources_as_it_moves_on(memory: Memory) -> None:
    id = keep(memory, "Trash", {"repeats": "every Monday", "due_date": "2026-01-12"}).id
    memory.update(id, None, {"status": "done"})
    assert memory.get(id).properties["due_date"] == "2026-01-19"
    assert tell(memory, id) == (IMPORT, {"repeats": IMPORT, "due_date": IMPORT})
    memory.update(id, None, {"moved": {"2026-01-26": "2026-01-27"}}, make_edit(source=PASTE))
    memory.update(id, None, {"moved": {"2026-02-02": "2026-02-03"}})
    assert tell(memory, id)[1]["moved"] == PASTE, "it was merged into what others told"
    memory.update(id, None, {"repeats": "every Tuesday", "due_date": "2026-01-20"})
    assert {"repeats", "due_date"}.isdisjoint(tell(memory, id)[1])


def test_the_trash_and_undo_bring_sources_back(memory: Memory) -> None:
    item = keep(memory, "Milk", {"n": 1})
    memory.delete(item.id)
    restore(memory, item.id)
    assert memory.get(item.id) == item
    by = make_edit()
    memory.update(item.id, "Mine", {"n": 2}, by)
    done = undo(memory, by.turn, source=name_assistant("Friend"))
    assert memory.get(item.id) == item
    assert memory.history(turn=done.name)[0].source == "assistant Friend"


def test_json_has_sources_only_where_they_are_others(memory: Memory) -> None:
    mine, theirs = keep(memory, "Tea", {"n": 1}, PERSON), keep(memory, "Milk", {"n": 1})
    assert {"sources", "source", "zone"}.isdisjoint(to_json(mine) | show_item(mine, BERLIN))
    assert to_json(theirs)["sources"] == {"content": IMPORT, "properties": {"n": IMPORT}}
    assert show_item(theirs, BERLIN)["source"] == IMPORT
    zoned = Item("a", "b", {}, STAMP, STAMP, zone="Asia/Tokyo")
    for item in (mine, theirs, zoned):
        assert from_json(to_json(item)) == item


def test_a_property_called_source_is_no_source(memory: Memory) -> None:
    item = keep(memory, "Tea", {"source": "person", "sources": {}})
    assert show_item(item, BERLIN)["source"] == IMPORT
    memory.update(item.id, None, {"source": "import"})
    assert from_json(to_json(memory.get(item.id))) == memory.get(item.id)


def test_what_is_claimed_is_told_in_its_receipt(memory: Memory) -> None:
    by = make_edit(source=IMPORT)
    id = memory.create("Milk", {"n": 1}, by).id
    memory.append_line("Likes tea", by)
    mine = make_edit()
    changes = claim_turn(memory, by.turn, mine)
    assert {describe_change(make_receipt(change)) for change in changes} == {
        "~ “Milk” (now your own words)",
        "~ now known: “Likes tea” (now your own words)",
    }
    assert memory.get(id).source == PERSON
    taken_back = [describe_change(make_receipt(change)) for change in undo(memory, mine.turn).changes]
    assert "~ “Milk” (no longer your own words)" in taken_back


def test_items_are_found_by_their_source(memory: Memory) -> None:
    keep(memory, "Buy milk", {"n": 1})
    keep(memory, "Buy milk again", {"n": 1}, PASTE)
    keep(memory, "Call the bank", {"n": 1}, PERSON)

    def find(source: str, **more: Any) -> list[str]:
        return [
            item.content for item in find_from(memory, source, **{"text": None, "where": None, "limit": 9} | more).items
        ]

    assert sorted(find(OTHERS)) == ["Buy milk", "Buy milk again"]
    assert (find(PERSON), find(PASTE, text="milk"), find(IMPORT, where={"n": 2})) == (
        ["Call the bank"],
        ["Buy milk again"],
        [],
    )
    few = find_from(memory, OTHERS, None, None, 1)
    assert (few.total, few.truncated, len(few.items)) == (2, True, 1)
    assert "calendar Work" in find_from(memory, "calendar Work", None, None, 1).explain()


@pytest.mark.parametrize(
    ("turn", "source"),
    [
        ("import-1a2b", IMPORT),
        ("mcp-Claude Code-1a2b", "assistant Claude Code"),
        ("mcp-a-b-1a2b", "assistant a-b"),
        ("edit-1a2b", PERSON),
        ("undo-0a1b2c3d-of-import-1a2b", PERSON),
        ("5d6a8f5e-1c1b", PERSON),
        ("imported-1a2b", PERSON),
    ],
)
def test_the_name_of_a_turn_tells_who_wrote_before_sources_were_kept(turn: str, source: str) -> None:
    assert find_source(turn) == source


def test_a_state_that_came_back_has_the_sources_that_it_had() -> None:
    first, second = (to_json(Item("a", text, {"n": 1}, STAMP, STAMP)) for text in ("Milk", "Tea"))
    states = PastStates()
    for turn, before, after in (("import-1", None, first), ("edit-2", first, second), ("undo-3", second, first)):
        states.add(turn, before, after)
    assert states.complete(first)["sources"] == {"content": IMPORT, "properties": {"n": IMPORT}}
    assert states.complete(second)["sources"] == {"content": PERSON, "properties": {"n": IMPORT}}
    assert states.complete(states.complete(first)) == states.complete(first)
    unknown = to_json(Item("a", "Other", {}, STAMP, STAMP))
    assert states.complete(unknown) == unknown


@given(data=st.data())
def test_past_sources_are_those_that_the_writes_kept(data: st.DataObject, store: Memory) -> None:
    """Where whole values are written, what the names of turns tell is what Memory keeps."""
    turns = {"edit-1": PERSON, "import-2": IMPORT, "mcp-Friend-3": "assistant Friend"}
    states, record = PastStates(), None
    for number in range(data.draw(st.integers(1, 5))):
        turn = data.draw(st.sampled_from([*turns]))
        by = make_edit(source=turns[turn])
        values = data.draw(st.dictionaries(st.sampled_from("ab"), st.integers(0, 9), max_size=2))
        text = f"{number} said" if data.draw(st.booleans()) else None
        if record is None:
            change = store.create(text or "Milk", dict(values), by)
        else:
            change = store.update(record.id, text, values, by)
        record = change.after
        assert record
        before, after = (drop_sources(to_json(side)) if side else None for side in (change.before, record))
        states.add(turn, before, after)
        assert from_json(states.complete(after or {})) == record


def drop_sources(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "sources"}


@pytest.fixture(scope="module")
def store() -> Memory:
    return memory_on(InMemoryBackend(EMBEDDER))


def test_sources_read_from_json_are_checked() -> None:
    told = Sources.from_json({"content": IMPORT, "properties": {"a": PERSON, "b": PASTE}})
    assert told == Sources(IMPORT, {"b": PASTE})
    for wrong in (
        None,
        {},
        {"content": IMPORT},
        {"content": "x", "properties": {}},
        {"content": IMPORT, "properties": []},
    ):
        with pytest.raises(ValueError, match="source"):
            Sources.from_json(wrong)
