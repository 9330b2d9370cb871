"""The tools over items: look before create, the note of a query, and the reasons for what it found."""

import json
from datetime import datetime
from typing import Any

from ana.memory.trash import restore
from ana.memory.views import show_item
from ana.models.scripted import calls
from ana.settings import PROJECT, Settings
from ana.tracing.files import TraceFiles
from ana.values import Properties
from tests.conftest import BERLIN, THREAD, MakeAssistant, script_of

MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task", "n": 1}})
AGAIN = ("create_item", {"content": " buy  MILK. ", "properties": {"n": 1.0, "type": "task"}})


def observed(settings: Settings, turn: int = -1) -> list[Any]:
    return [step["observation"] for step in TraceFiles(settings.traces_dir).read(THREAD)[turn]["steps"]]


def test_a_copy_is_stored_when_the_call_comes_again_in_the_next_turn(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    """A model that only repeats itself in the same turn gets the same answer."""
    assistant = make_assistant(
        *(calls(MILK), "Saved."),
        *(calls(AGAIN), calls(AGAIN), "You have that already; a second one?"),
        *(calls(AGAIN), "Saved once more."),
        *(calls(AGAIN), "You have two already."),
    )
    for said in ("buy milk", "buy milk", "yes, a second one", "buy milk"):
        answer = assistant.ask(said, THREAD)
    assert [["existing" in told for told in observed(settings, turn)] for turn in range(4)] == [
        [False],
        [True, True],
        [False],
        [True],
    ]
    assert assistant.handles.memory.count() == 2
    (told,) = observed(settings)
    assert told["existing"]["id"] in [item.id for item in assistant.handles.memory.items()]
    assert "Nothing was stored" in told["choice"]
    assert (answer.answer, answer.changes) == ("You have two already.", [])


def test_an_update_is_answered_with_what_changed(make_assistant: MakeAssistant, settings: Settings) -> None:
    known: Properties = {"status": "active", "due_date": "2026-01-09", "project": "Lumen", "mood": "calm"}
    id = make_assistant().handles.memory.create("Notes from the talk\n" + "long " * 200, known).id
    changed = {"due_date": "2026-01-12", "mood": None, "hours": 3, "project": "Lumen"}
    update = ("update_item", {"id": id, "content": {"$append": "One line more."}, "properties": changed})
    make_assistant(calls(update), "Moved.").ask("move the notes to Monday, 3 hours, no mood, one line more", THREAD)
    (told,) = observed(settings)
    assert "One line more. [cut:" in told.pop("content")
    assert told == {
        "id": id,
        "properties": {"due_date": "2026-01-12 (Monday)", "mood": None, "hours": 3},
        "was": {"due_date": "2026-01-09 (Friday)", "mood": "calm"},
    }
    assert len(json.dumps(told)) < 400


def test_what_an_update_left_as_it_was_may_be_said(make_assistant: MakeAssistant) -> None:
    id = make_assistant().handles.memory.create("Wireframes", {"effort_hours": 1250, "status": "active"}).id
    update = ("update_item", {"id": id, "properties": {"hours_spent": 975}})
    draft = "Wireframes: 975 hours are in, of 1250."
    answer = make_assistant(calls(update), draft).ask("I have worked 975 hours on the wireframes", THREAD)
    assert answer.answer.startswith(draft)


def test_of_a_long_query_it_is_said_what_was_read(make_assistant: MakeAssistant, settings: Settings) -> None:
    asked = calls(("query_items", {"text": "milk"}), ("query_items", {"text": f"milk{' and more' * 500}"}))
    make_assistant(asked, "Nothing.").ask("what is there?", THREAD)
    short, long = observed(settings)
    assert "note" not in short or "characters" not in short["note"]
    assert long["note"].endswith("Of the text the first 4,000 characters were read for words and days.")


def test_a_query_says_that_it_was_read_as_a_due_question(make_assistant: MakeAssistant, settings: Settings) -> None:
    due = calls(("query_items", {"text": "what's due this week"}), ("query_items", {"text": "anything overdue?"}))
    assistant = make_assistant(due, "Nothing.")
    assistant.ask("what is due?", THREAD)
    week, overdue = observed(settings)
    assert set(week) == {"items", "total", "truncated", "note"}
    assert week["note"].startswith("The text was taken as the question what is due: ")
    assert " to " in week["note"]
    assert overdue["note"] == "The text was taken as the question what is overdue."


def test_the_reasons_of_a_query_are_in_the_trace_and_not_shown_to_the_model(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant(calls(MILK), "Saved.", calls(("query_items", {"text": "milk"})), "There it is.")
    assistant.ask("buy milk", THREAD)
    assistant.ask("where is the milk?", THREAD)
    (step,) = TraceFiles(settings.traces_dir).read(THREAD)[-1]["steps"]
    (why,) = step["why"]
    assert why["id"] == step["observation"]["items"][0]["id"]
    assert why["words"] == ["milk"]
    assert 0 < why["vector"] < 1
    sent = script_of(assistant).seen[-1]
    seen = json.dumps([message.model_dump(mode="json", exclude={"artifact"}) for message in sent])
    assert "vector" not in seen
    assert all("why" not in s for s in TraceFiles(settings.traces_dir).read(THREAD)[0]["steps"])


def test_what_the_prompt_calls_open_has_a_status_and_no_note_is_open(make_assistant: MakeAssistant) -> None:
    prompt = PROJECT.joinpath("prompts", "system.md").read_text(encoding="utf-8")
    where = json.loads(prompt.partition("is open: ")[2].partition(";")[0])
    memory = make_assistant().handles.memory
    for status in ("active", "waiting", "done", "cancelled", None):
        memory.create(f"It is {status}", {"status": status} if status else {"type": "note"})
    assert {item.content for item in memory.find(where=where).items} == {"It is active", "It is waiting"}
    assert memory.find(where={"type": "note"} | where).total == 0


def test_a_done_item_tells_when_it_was_done_by_the_journal(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(calls(("query_items", {})), "These.")
    memory = assistant.handles.memory
    closed, open_ = (memory.create(content, {"status": "active"}) for content in ("Closed", "Open"))
    memory.update(closed.id, properties={"status": "done"})
    done = memory.history(id=closed.id)[0].ts
    memory.create("Closed the day before", {"status": "done", "completed_at": "2026-01-06"})
    memory.update(closed.id, "Closed and renamed")
    memory.delete(closed.id)
    restore(memory, closed.id)
    assert memory.get_completed_at(memory.get(closed.id)) == done
    assert memory.get_completed_at(memory.get(open_.id)) is None
    assistant.ask("what do I have?", THREAD)
    (told,) = observed(settings)
    moments = {item["content"]: item.get("completed_at") for item in told["items"]}
    assert moments["Open"] is moments["Closed the day before"] is None  # a property says when
    assert datetime.fromisoformat(moments["Closed and renamed"]) == datetime.fromisoformat(done).replace(microsecond=0)


def test_a_list_a_number_and_a_text_are_changed_inside(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(
        calls(("create_item", {"content": "Packing list", "properties": {"items": ["inhaler", "map"], "hours": 1}})),
        "Kept.",
    )
    assistant.ask("a packing list: inhaler, map", THREAD)
    (item,) = assistant.handles.memory.items()
    packed = {"items": {"$add": ["goggles"], "$remove": ["map"]}, "hours": {"$add": 0.5}}
    assistant = make_assistant(
        calls(("update_item", {"id": item.id, "content": {"$append": "For Oslo."}, "properties": packed})), "Changed."
    )
    answer = assistant.ask("goggles on the packing list instead of the map, half an hour more, for Oslo", THREAD)
    (kept,) = assistant.handles.memory.items()
    assert kept.content == "Packing list\nFor Oslo."
    assert kept.properties == {"items": ["inhaler", "goggles"], "hours": 1.5}
    assert len(answer.changes) == 1
    assistant = make_assistant(
        calls(("update_item", {"id": item.id, "content": {"$replace": ["Oslo", "Bergen"]}})), "Changed."
    )
    assistant.ask("not Oslo, Bergen", THREAD)
    assert assistant.handles.memory.get(item.id).content == "Packing list\nFor Bergen."


def test_an_operation_that_cannot_be_carried_out_is_told_with_the_form(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant(calls(("create_item", {"content": "List", "properties": {"items": ["a"]}})), "Kept.")
    assistant.ask("keep a list with a", THREAD)
    (item,) = assistant.handles.memory.items()
    wrong: list[dict[str, Any]] = [
        {"properties": {"items": {"$add": ["b"], "other": 1}}},
        {"properties": {"items": '{"$add": ["b"]}'}},
        {"properties": {"items": {"$remove": ["z"]}, "due_date": "2026-01-09"}},
        {"properties": {"due_date": {"$add": ["2026-01-09"]}}},
        {"content": {"$append": " "}},
        {"content": {"$replace": ["Lost", "List"]}},
        {"content": {"$replace": ["List", ""]}},
        {"content": {"$replace": ["List"]}},
    ]
    assistant = make_assistant(calls(*(("update_item", {"id": item.id, **args}) for args in wrong)), "I could not.")
    assistant.ask("put b on the list", THREAD)
    assert all("error" in told and told["hint"] for told in observed(settings))
    assert assistant.handles.memory.get(item.id) == item


def test_a_model_is_shown_the_beginning_of_a_long_content_that_is_kept_whole(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant()
    made = assistant.handles.memory.create("x" * 5000)
    assert made.after
    assert assistant.handles.memory.get(made.id).content == "x" * 5000
    assert show_item(made.after, BERLIN)["content"] == "x" * 4000 + " [cut: 5,000 characters in all]"
