"""What stands in the place of a receipt where nothing was written: the records that an answer names, as they are."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ana.memory.memory import Memory
from ana.models.scripted import calls
from ana.time.clock import Clock
from ana.values import Properties
from app.outcome import expect_done
from nodes.unchanged import describe_unchanged
from tests.conftest import BERLIN, THREAD, MakeAssistant

INSPECTION: Properties = {"type": "appointment", "due_date": "2026-12-16", "status": "active"}
STATE = "- Car inspection: Wed 16 Dec, active"


def show(said: str, *ids: str) -> list[AnyMessage]:
    """Return a turn in which a query found records."""
    items: list[dict[str, Any]] = [{"id": id, "content": "as it was"} for id in ids]
    call = {"name": "query_items", "args": {}, "id": said}
    result = ToolMessage(json.dumps({"items": items}), name="query_items", tool_call_id=said)
    return [HumanMessage(said), AIMessage("", tool_calls=[call]), result, AIMessage("Found.")]


def describe(memory: Memory, answer: str, *messages: AnyMessage) -> list[str]:
    state: Any = {"messages": [*messages], "turn": {"ts": "2026-12-01T09:00"}}
    handles: Any = SimpleNamespace(memory=memory, clock=Clock(BERLIN))
    first, *rest = describe_unchanged(answer, state, handles).splitlines()
    assert first == "no changes"
    return rest


@pytest.mark.parametrize(
    ("content", "answer", "told"),
    [
        ("Car inspection", "The car inspection is cancelled.", True),
        ("Car inspection", "Your Inspection of the car is off.", True),
        ("Car inspection", "It is cancelled.", False),
        ("Car inspection", "The cars are fine.", False),
        ("Lunch with Brandt at noon", "Lunch with Brandt is moved to one.", True),
        ("Lunch with Brandt at noon", "Brandt is moved.", False),
        ("Rent 1,240 on 2026-12-01", "The rent is 1,300 now.", True),
        ("Gym", "Gym cancelled.", True),
        ("Gym", "The gymnastics are cancelled.", False),
        ("車検の予約", "車検の予約をキャンセルしました。", True),
        ("車検の予約", "歯医者の予約です。", False),
    ],
)
def test_a_record_is_named_by_most_of_the_words_of_its_first_line(
    memory: Memory, content: str, answer: str, told: bool
) -> None:
    id = memory.create(f"{content}\nat the garage in Graz", INSPECTION).id
    assert describe(memory, answer, *show("cancel it", id)) == [f"- {content}: Wed 16 Dec, active"] * told


def test_an_id_names_a_record_and_what_was_not_shown_is_not_named(memory: Memory) -> None:
    shown, other = (memory.create("Car inspection", INSPECTION).id, memory.create("Car", {}).id)
    assert describe(memory, f"I deleted {shown}.", *show("delete it", shown)) == [STATE]
    assert describe(memory, "The car is sold.", *show("delete it", shown)) == []
    assert describe(memory, "The car is sold.", *show("sell it", other)) == ["- Car"]


def test_what_the_turn_before_was_shown_is_told_as_it_is_now(memory: Memory) -> None:
    id = memory.create("Car inspection", INSPECTION).id
    before = show("when is it?", id)
    between: list[AnyMessage] = [HumanMessage("thanks"), AIMessage("You are welcome.")]
    memory.update(id, None, {"status": "done"})
    told = describe(memory, "The car inspection is cancelled.", *before, HumanMessage("cancel it"))
    assert told == ["- Car inspection: Wed 16 Dec, done"]
    assert describe(memory, "The car inspection is off.", *before, *between, HumanMessage("cancel it")) == []
    memory.delete(id)
    assert describe(memory, "The car inspection is cancelled.", *before, HumanMessage("cancel it")) == []


def test_at_most_three_are_told_in_few_characters_those_named_best_first(memory: Memory) -> None:
    ids = [memory.create(f"Read paper {n} {'long ' * n}by Haldane", {"note": "x " * 50}).id for n in (11, 12, 0, 13)]
    told = describe(memory, "You read paper 0 by Haldane.", *show("which?", *ids))
    assert len(told) == 3
    assert told[0].startswith("- Read paper 0 by Haldane: note “x x")
    assert all(len(line) < 90 for line in told)


def test_an_answer_that_claims_a_change_stands_above_the_record_that_denies_it(make_assistant: MakeAssistant) -> None:
    keep = ("create_item", {"content": "Car inspection", "properties": INSPECTION})
    look = ("query_items", {"text": "inspection"})
    false = "The car inspection on Wed 16 Dec is cancelled."
    assistant = make_assistant(calls(keep), "Kept: Wed 16 Dec 2026.", calls(look), false, false, false)
    assistant.ask("car inspection on 2026-12-16", THREAD)
    done = expect_done(assistant.ask("car inspection is off, cancel it", THREAD))
    assert (done.answer, done.receipt) == (false, f"no changes\n{STATE}")
