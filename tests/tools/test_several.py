"""Several items in one call: changed, moved by a distance or deleted, all or none and once; the sums of a query."""

from typing import Any

import pytest

from ana.errors import NoSuchItem, ToolError
from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.memory.operations import Operation, read_operation
from ana.memory.undo import find_undoable, undo
from ana.models.scripted import calls
from ana.values import Properties
from app.outcome import Done, Waiting, expect_done
from tests.conftest import THREAD, MakeAssistant

CAUSE = Cause("key", "thread", "turn")


def shift(distance: str) -> dict[str, Any]:
    return {"due_date": read_operation("due_date", {"$shift": distance})}


def run(make_assistant: MakeAssistant, *made: tuple[str, dict[str, Any]]) -> tuple[list[Any], Done]:
    """Return what the tools answered to calls of one turn, and its outcome."""
    done = expect_done(make_assistant(calls(*made), "As it says.").ask("the workshop", THREAD))
    return [step["observation"] for step in done.steps if not step["tool"].startswith("⛔")], done


def test_several_are_moved_in_one_call_with_one_receipt_and_one_undo(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    days = ("2030-05-14", "2030-05-15T09:00")
    ids = [memory.create(f"Workshop {day}", {"due_date": day}).id for day in days]
    (told,), done = run(make_assistant, ("update_item", {"id": ids, "properties": {"due_date": {"$shift": "1 week"}}}))
    moved = ["2030-05-21 (Tuesday)", "2030-05-22T09:00 (Wednesday)"]
    assert [(item["id"], item["properties"]["due_date"]) for item in told["items"]] == [*zip(ids, moved, strict=True)]
    assert [change["id"] for change in done.changes] == ids
    assert done.receipt.count("Changed: “Workshop") == 2
    undo(memory, find_undoable(memory))
    assert [memory.get(id).date for id in ids] == [*days]


def test_several_are_deleted_in_one_call(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    ids = [memory.create(f"Chair {n}", {}).id for n in range(3)]
    (told,), _ = run(make_assistant, ("delete_item", {"ids": ids}))
    assert [item["id"] for item in told["deleted"]] == ids
    assert memory.count() == 0


def test_one_that_cannot_be_changed_keeps_all_as_they_are_and_is_named(memory: Memory) -> None:
    dated, other = memory.create("Slides", {"due_date": "2030-05-14"}).id, memory.create("Notes", {}).id
    with pytest.raises(ToolError, match=f"{other}: due_date holds no date that could be moved"):
        memory.change_all([dated, other], lambda _: shift("1 day"), CAUSE)
    with pytest.raises(NoSuchItem):
        memory.change_all([dated, "abcdefgh"], lambda _: None, CAUSE)
    assert memory.get(dated).date == "2030-05-14"
    assert memory.get(other).properties == {}


def test_a_call_that_comes_again_changes_nothing_more(memory: Memory) -> None:
    ids = [memory.create(f"Slides {n}", {"due_date": "2030-05-14"}).id for n in range(3)]
    first = memory.change_all(ids, lambda _: shift("1 day"), CAUSE)
    assert memory.change_all(ids, lambda _: shift("1 day"), CAUSE) == first
    assert {memory.get(id).date for id in ids} == {"2030-05-15"}
    assert len({entry.key for entry in memory.history(turn="turn")}) == 3, "each record has a key of its own"
    gone = memory.change_all(ids, lambda _: None, Cause("other", "thread", "turn"))
    assert memory.change_all(ids, lambda _: None, Cause("other", "thread", "turn")) == gone


@pytest.mark.parametrize(
    ("old", "distance", "new"),
    [
        ("2030-01-31", "1 month", "2030-02-28"),
        ("2030-05-14", "-2 days", "2030-05-12"),
        ("2030-05-14T23:30", "45 minutes", "2030-05-15T00:15"),
        ("2030-05-14T10:00+02:00", "3 hours", "2030-05-14T13:00+02:00"),
    ],
)
def test_a_date_moves_by_a_distance(old: str, distance: str, new: str) -> None:
    operation = read_operation("due_date", {"$shift": distance})
    assert isinstance(operation, Operation)
    assert operation.apply(old) == new


@pytest.mark.parametrize(
    ("old", "distance"),
    [("2030-05-14", "1 hour"), ("soon", "1 day"), (None, "1 day"), ("9999-12-31", "1 day")],
)
def test_what_no_distance_moves_is_refused(old: Any, distance: str) -> None:
    operation = read_operation("due_date", {"$shift": distance})
    assert isinstance(operation, Operation)
    with pytest.raises(ToolError):
        operation.apply(old)


@pytest.mark.parametrize("value", [{"$shift": "next week"}, {"$shift": 3}, {"$shift": "1 day", "$add": 2}])
def test_another_distance_is_refused(value: Any) -> None:
    with pytest.raises(ToolError, match="operators of due_date"):
        read_operation("due_date", value)


def test_what_repeats_takes_its_end_and_its_single_dates_along(memory: Memory) -> None:
    weekly: Properties = {
        "due_date": "2030-05-14T10:00",
        "repeats": "FREQ=WEEKLY",
        "until": "2030-08-27",
        "except": ["2030-05-28"],
        "moved": {"2030-06-04": "2030-06-05T15:00"},
    }
    id = memory.create("Choir", weekly).id
    after = memory.change_all([id], lambda _: shift("1 week"), CAUSE)[0].after
    assert after is not None
    told = {key: after.properties[key] for key in ("due_date", "until", "except", "moved")}
    assert told == {
        "due_date": "2030-05-21T10:00",
        "until": "2030-09-03",
        "except": ["2030-06-04"],
        "moved": {"2030-06-11": "2030-06-12T15:00"},
    }


def test_a_new_item_has_no_date_to_move(make_assistant: MakeAssistant) -> None:
    call = ("create_item", {"content": "Slides", "properties": {"due_date": {"$shift": "1 week"}}})
    assert "due_date takes a date" in run(make_assistant, call)[0][0]["error"]


def test_ten_ids_count_as_ten_records(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    ids = [memory.create(f"Chair {n}", {"type": "furniture"}).id for n in range(11)]
    call = ("update_item", {"id": ids, "properties": {"type": "chair"}})
    asked = make_assistant(calls(call), "Done.").ask("these are chairs", THREAD)
    assert isinstance(asked, Waiting)
    (action,) = asked.request["action_requests"]
    assert "Changes 11 items." in action["description"]
    assert all(f"Chair {n}" in action["description"] for n in range(11))
    assert memory.get(ids[0]).properties["type"] == "furniture"


def test_numbers_that_all_have_are_added_up_over_all_that_match(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    for n in range(30):
        memory.create(f"Paid {n}", {"type": "expense", "amount": 0.1, "priority": 1, "guests": 2})
    memory.create("Paid in all", {"type": "expense", "amount": 12, "priority": 1})
    memory.create("A chair", {"type": "furniture", "amount": 5})
    where = {"type": "expense"}
    asks: list[dict[str, Any]] = [{"where": where}, {"where": where, "text": "paid"}, {"where": {}}]
    first, by_text, every = run(make_assistant, *(("query_items", ask) for ask in asks))[0]
    assert len(first["items"]) == 10
    assert first["total"] == 31
    assert first["sums"] == {"amount": 15}
    assert "sums" not in by_text, "what a text ranks has no end"
    assert every["sums"] == {"amount": 20}
