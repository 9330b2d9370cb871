"""Who writes is told what else is at a date, that the date keeps moving, and what is searched of a long text."""

from typing import Any

import pytest

from ana.memory.receipts import describe_change
from ana.memory.search.property_text import SEARCHED
from ana.memory.undo import find_undoable, undo
from ana.models.scripted import calls
from ana.values import Properties
from app.outcome import CutShort, Done
from tests.conftest import THREAD, MakeAssistant

BANK: Properties = {"type": "call", "due_date": "2030-05-14T10:00"}
WORKSHOP: Properties = {"start_date": "2030-05-14T13:00", "end_date": "2030-05-14T16:00"}


def write(make_assistant: MakeAssistant, *made: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the tools answered to calls of one turn."""
    outcome = make_assistant(calls(*made), "As it says.").ask("coffee with Noor, the bank and the workshop", THREAD)
    assert not isinstance(outcome, CutShort)
    return [step["observation"] for step in outcome.steps if not step["tool"].startswith("⛔")]


@pytest.mark.parametrize(
    ("properties", "met"),
    [
        ({"due_date": "2030-05-14T10:00"}, ["Call with the bank"]),
        ({"due_date": "2030-05-14T10:00:00"}, ["Call with the bank"]),
        ({"due_date": "2030-05-14T14:30"}, ["Workshop"]),
        ({"start_date": "2030-05-14T09:30", "end_date": "2030-05-14T13:30"}, ["Call with the bank", "Workshop"]),
        ({"start_date": "2030-05-13T22:00", "end_date": "2030-05-14T11:00"}, ["Call with the bank"]),
        ({"start_date": "2030-05-14T12:00", "end_date": "2030-05-13T12:00"}, []),
        ({"due_date": "2030-05-14T16:00"}, []),
        ({"due_date": "2030-05-14"}, []),
        ({"due_date": "2030-05-15T10:00"}, []),
        ({"due_date": "2030-05-14T10:00", "status": "done"}, []),
        ({}, []),
    ],
)
def test_what_is_at_that_time_is_told(make_assistant: MakeAssistant, properties: Properties, met: list[str]) -> None:
    memory = make_assistant().handles.memory
    memory.create("Call with the bank", BANK)
    memory.create("Workshop", WORKSHOP)
    memory.create("Cancelled walk", BANK | {"status": "cancelled"})
    memory.create("Pay the rent, due by then", {"type": "task", "status": "active", "due_date": "2030-05-14T10:00"})
    (told,) = write(make_assistant, ("create_item", {"content": "Coffee with Noor", "properties": properties}))
    assert sorted(item["content"] for item in told.get("at_the_same_time", [])) == met


def test_a_date_that_is_moved_a_third_time_is_told(make_assistant: MakeAssistant) -> None:
    id = make_assistant().handles.memory.create("Prepare the tax return", {"due_date": "2030-05-10"}).id
    moves = [("update_item", {"id": id, "properties": {"due_date": f"2030-05-1{n}"}}) for n in range(1, 4)]
    other = ("update_item", {"id": id, "properties": {"priority": "high"}})
    dropped = ("update_item", {"id": id, "properties": {"due_date": None}})
    told = write(make_assistant, *moves, other, dropped)
    assert [each.get("times_moved") for each in told] == [None, None, 3, None, None]


def test_what_repeats_is_not_moved_by_the_person(make_assistant: MakeAssistant) -> None:
    weekly: Properties = {"due_date": "2030-05-06", "recurrence": "every Monday"}
    id = make_assistant().handles.memory.create("List open invoices", weekly).id
    moves = [("update_item", {"id": id, "properties": {"due_date": f"2030-05-{day}"}}) for day in (13, 20, 27)]
    assert [each.get("times_moved") for each in write(make_assistant, *moves)] == [None, None, None]


def test_a_move_that_was_taken_back_does_not_count(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    id = memory.create("Prepare the tax return", {"due_date": "2030-05-10"}).id
    move = ("update_item", {"id": id, "properties": {"due_date": "2030-05-11"}})
    for _ in range(2):
        assert write(make_assistant, move)[0].get("times_moved") is None
        taken_back = undo(memory, find_undoable(memory))
    undo(memory, taken_back.name)  # now one move counts
    moves = [("update_item", {"id": id, "properties": {"due_date": f"2030-05-1{n}"}}) for n in (2, 3)]
    assert [each.get("times_moved") for each in write(make_assistant, *moves)] == [None, 3]


def test_a_name_that_is_nearly_one_in_use_is_told(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    for n in range(4):
        memory.create(f"Idea {n}", {"topic": "linear attention", "tags": ["maths"]})
    new = {"content": "Cluster the heads", "properties": {"topic": "lineare Attention", "tags": ["Math", "heads"]}}
    made, again = write(
        make_assistant,
        ("create_item", new),
        ("create_item", {"content": "Bolt", "properties": {"topic": "linear attention", "tags": ["maths"]}}),
    )
    assert made["nearly_in_use"] == [
        "topic 'lineare Attention' is near 'linear attention', which 4 items have",
        "tags 'Math' is near 'maths', which 4 items have",
    ]
    assert "nearly_in_use" not in again
    (found,) = write(make_assistant, ("query_items", {"where": {"topic": "linear attention"}}))
    assert found["total"] == 5
    assert found["note"] == "topic 'linear attention' is near 'lineare Attention', which 1 item has."


@pytest.mark.parametrize(
    ("long", "of"),
    [({"content": "x" * (SEARCHED + 1)}, "content"), ({"properties": {"words": "x" * SEARCHED}}, "properties")],
)
def test_model_and_person_are_told_of_what_the_beginning_is_searched(
    make_assistant: MakeAssistant, long: dict[str, Any], of: str
) -> None:
    id = make_assistant().handles.memory.create("Letters", {"priority": "low"}).id
    short = {"content": "x" * SEARCHED, "properties": {"words": "x"}}
    made = [("create_item", short), ("create_item", {"content": "Letter"} | long), ("update_item", {"id": id} | long)]
    outcome = make_assistant(calls(*made), "Saved.").ask("keep these letters", THREAD)
    assert isinstance(outcome, Done)
    said = f"Of its {of} the first 50,000 characters are searched"
    assert [step["observation"].get("searched") for step in outcome.steps] == [None, f"{said}.", f"{said}."]
    told = [describe_change(change).endswith(said) for change in outcome.changes]
    assert told == [False, True, True]
    assert outcome.receipt.count(said) == 2


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"start_date": "2030-05-13"}, "2030-05-15 (Wednesday)"),
        ({"start_date": "2030-05-20"}, "2030-05-15 (Wednesday), before it starts"),
        ({"start_date": "2030-05-20", "end_date": "2030-05-21"}, None),
        ({"status": "planned"}, None),
    ],
)
def test_the_end_of_a_span_whose_beginning_moves_alone_is_told(
    make_assistant: MakeAssistant, given: Properties, told: str | None
) -> None:
    span: Properties = {"start_date": "2030-05-14", "end_date": "2030-05-15"}
    change = make_assistant().handles.memory.create("Tiler at work", span)
    (result,) = write(make_assistant, ("update_item", {"id": change.id, "properties": given}))
    assert result.get("end_date_stays") == told
