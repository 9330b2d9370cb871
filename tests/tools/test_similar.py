"""Items and lines that say nearly the same as a new one, and items like another."""

import json
from typing import Any

import pytest

from ana.embedders import Embedder
from ana.errors import NoSuchItem
from ana.memory.memory import Memory
from ana.memory.similar import find_twins
from ana.models.scripted import calls
from tests.conftest import THREAD, MakeAssistant

TASK: dict[str, Any] = {"type": "task", "status": "active"}
SAME = [
    ("Pick up the prints", "Pick up prints"),
    ("Buy milk", "Buy some milk"),
    ("Renew passport", "Renew my passport"),
    ("Cancel gym membership", "Cancel the gym subscription"),
    ("Buy printer ink", "Get ink for the printer"),
    ("Tom's wifi password is blue-otter-77", "Wifi password at Tom's: blue-otter-77"),
]
ALIKE = [
    ("Buy printer ink", "Buy printer paper"),
    ("Write report for Q3", "Write report for Q4"),
    ("Send invoice 2041 to Lumen", "Send invoice 2042 to Lumen"),
    ("Book flights to Lisbon", "Book hotel in Lisbon"),
    ("Dentist appointment", "Doctor appointment"),
    ("Call mum", "Call dad"),
    ("Buy milk", "Buy bread"),
    ("Pay rent", "Pay electricity bill"),
]


@pytest.mark.parametrize(("known", "new"), SAME)
def test_what_says_nearly_the_same_is_found(memory: Memory, known: str, new: str) -> None:
    there = memory.create(known, TASK).after
    made = memory.create(new, TASK).after
    assert made
    assert find_twins(memory.backend, "item", made, 3) == [there]


@pytest.mark.parametrize(("known", "new"), ALIKE)
def test_what_only_sounds_alike_is_not(memory: Memory, known: str, new: str) -> None:
    memory.create(known, TASK)
    made = memory.create(new, TASK).after
    assert made
    assert find_twins(memory.backend, "item", made, 3) == []


def test_a_new_item_comes_with_similar_ones_and_a_line_with_a_similar_line(make_assistant: MakeAssistant) -> None:
    lines = (("append_context", {"content": f"Prefers{very} early mornings for work"}) for very in ("", " the"))
    items = (("create_item", {"content": text, "properties": TASK}) for text in SAME[0])
    assistant = make_assistant(calls(*items, *lines), "Kept.")
    answer = assistant.ask("keep all", THREAD)
    first, second, line, again = (step["observation"] for step in answer.steps)
    assert "similar" not in first
    day = str(assistant.handles.clock.now().date())
    assert second["similar"] == [{"id": first["id"], "content": first["content"], "recorded": day}]
    assert "similar" not in line
    assert again["similar"] == [{"line": 0, "content": line["content"], "recorded": day}]
    assert len(answer.changes) == 4


def test_looking_for_similar_records_embeds_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    made = memory.create("Buy milk").after
    memory.create("Buy some milk")
    assert made
    embedder: Embedder = memory.backend.embedder  # type: ignore[attr-defined]  # of the backend in memory
    monkeypatch.delattr(type(embedder), "embed_documents")
    monkeypatch.delattr(type(embedder), "embed_query")
    assert find_twins(memory.backend, "item", made, 3)


def test_items_like_another_leave_it_out_and_pass_the_filter(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant()
    memory = assistant.handles.memory
    milk = memory.create("Buy milk", {"n": 1}).id
    for n, content in enumerate(("Buy oat milk", "Buy bread and milk", "Dentist")):
        memory.create(content, {"n": n})
    queries = (
        {"like": milk, "limit": 2},
        {"like": milk, "where": {"n": 1}},
        {"like": milk, "text": "x"},
        {"like": "milk"},
    )
    asked = make_assistant(calls(*(("query_items", query) for query in queries)), "These.")
    near, filtered, both, wrong = (step["observation"] for step in asked.ask("what is like it?", THREAD).steps)
    assert {item["content"] for item in near["items"]} == {"Buy oat milk", "Buy bread and milk"}
    assert near["truncated"]
    assert "total" not in near
    assert [item["content"] for item in filtered["items"]] == ["Buy bread and milk"]
    assert filtered["total"] == 1
    assert both["error"] == "Both text and like were given."
    assert "milk" in json.dumps(wrong["similar"])
    with pytest.raises(NoSuchItem):
        memory.find_similar("nothing")
