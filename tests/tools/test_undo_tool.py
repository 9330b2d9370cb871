"""The model undoes a turn: completely, once, and changes made since only with force."""

import json
from typing import Any

from ana.memory.changes import Cause
from ana.models.scripted import calls
from ana.settings import Autonomy, Settings
from ana.tracing.files import TraceFiles
from app.outcome import Done, Waiting
from tests.conftest import THREAD, MakeAssistant
from tools.call import CallContext
from tools.undo import undo

OTHER = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"
LESSON = "Lesson with Sadhbh, an adult, on Fridays at ten in the morning"
WRITES = calls(("create_item", {"content": "Buy milk"}), ("append_context", {"content": "Likes milk"}))


def observed(settings: Settings) -> Any:
    return TraceFiles(settings.traces_dir).read(THREAD)[-1]["steps"][-1]["observation"]


def test_undo_reverses_the_last_turn_and_can_be_undone(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(WRITES, "Saved.", calls(("undo", {})), "I took it all back.")
    assistant.ask("I like milk, buy some", THREAD)
    answer = assistant.ask("undo that", THREAD)
    memory = assistant.handles.memory
    assert answer.answer == "I took it all back."
    assert [(change["op"], change["kind"]) for change in answer.changes] == [("delete", "line"), ("delete", "item")]
    assert (memory.count(), memory.lines()) == (0, {})
    told = observed(settings)
    assert [list(change) for change in told["changes"]] == [["removed again"], ["removed again"]]
    again = make_assistant(calls(("undo", {"turn": told["undo"]})), "I've restored both.", handles=None)
    answer = again.ask("no, bring it back", THREAD)
    assert [change["op"] for change in answer.changes] == ["create", "create"]
    assert (memory.count(), memory.lines()) == (1, {0: "Likes milk"})


def test_what_this_turn_has_written_itself_is_not_what_undo_means(make_assistant: MakeAssistant) -> None:
    both = calls(("create_item", {"content": "Mum's 60th"}), ("undo", {}))
    script = (calls(("create_item", {"content": "Spring pricing"})), "Saved.", both, "Added one, took the other back.")
    assistant = make_assistant(*script, calls(("undo", {})), "Took it back.")
    assistant.ask("note: spring pricing", THREAD)
    answer = assistant.ask("add a note about mum's 60th and undo the spring pricing one", THREAD)
    memory = assistant.handles.memory
    assert [change["op"] for change in answer.changes] == ["create", "delete"]
    assert [item.content for item in memory.items()] == ["Mum's 60th"]
    assistant.ask("undo that too", THREAD)
    assert memory.count() == 0


def test_two_calls_in_a_turn_take_back_the_two_turns_before_it(make_assistant: MakeAssistant) -> None:
    stored = [reply for n in range(3) for reply in (calls(("create_item", {"content": f"thing {n}"})), "Saved.")]
    assistant = make_assistant(*stored, calls(("undo", {}), ("undo", {})), "Took both back.")
    for n in range(3):
        assistant.ask(f"store thing {n}", THREAD)
    assistant.ask("undo the last two", THREAD)
    assert [item.content for item in assistant.handles.memory.items()] == ["thing 0"]


def test_a_deletion_in_another_conversation_is_named_by_its_item(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    memory = make_assistant("x").handles.memory
    dentist = memory.create("Dentist", {"due_date": "2026-01-08"}).after
    gone = memory.create("Old list").id
    assert dentist is not None
    for n, id in enumerate((dentist.id, gone)):
        memory.delete(id, Cause(f"{OTHER}/{n}", OTHER, "clean up"))
    wrong, right = calls(("undo", {"turn": "dentist"})), calls(("undo", {"turn": dentist.id}), ("undo", {}))
    assistant = make_assistant(wrong, right, "It is back.")
    answer = assistant.ask("bring the dentist appointment back", THREAD)
    steps = TraceFiles(settings.traces_dir).read(THREAD)[-1]["steps"]
    assert dentist.id in steps[0]["observation"]["hint"]
    assert [list(change) for change in steps[1]["observation"]["changes"]] == [["brought back"]]
    assert "nothing to take back" in steps[2]["observation"]["error"]
    assert steps[2]["observation"]["hint"] == "If the user means another turn, find it with history and name its id."
    assert [change["op"] for change in answer.changes] == ["create"]
    assert list(memory.items()) == [dentist]
    again = make_assistant(calls(("undo", {})), "It is gone again.")
    again.ask("no, undo that", THREAD)
    assert memory.count() == 0


def test_a_deleted_item_is_brought_back_once_by_the_same_call(make_assistant: MakeAssistant) -> None:
    handles = make_assistant("x").handles
    memory = handles.memory
    id = memory.create("Dentist").id
    memory.delete(id)
    call = CallContext(memory, handles.clock, Cause("key", THREAD, "t2"))
    request = {"type": "tool_call", "name": "undo", "id": "1", "args": {"turn": id, "call": call}}
    first, again = undo.invoke(request), undo.invoke(request)
    assert (first.text, first.artifact) == (again.text, again.artifact)
    assert len(memory.history(id=id)) == 3


def test_undo_looks_only_at_this_conversation(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(WRITES, "Saved.", calls(("undo", {})), "There was nothing to take back.")
    assistant.ask("I like milk, buy some", OTHER)
    answer = assistant.ask("undo that", THREAD)
    assert answer.changes == []
    assert assistant.handles.memory.count() == 1
    assert f"in conversation {OTHER}, where “undo” takes it back" in observed(settings)["error"]


def test_changes_made_since_are_shown_and_asked_about(make_assistant: MakeAssistant, settings: Settings) -> None:
    script = (WRITES, "Saved.", calls(("undo", {})), "It was changed since. Take it back all the same?")
    assistant = make_assistant(*script, calls(("undo", {"force": True})), "Taken back.")
    assistant.ask("I like milk, buy some", THREAD)
    memory = assistant.handles.memory
    memory.replace_line(0, "Likes oat milk")
    assert assistant.ask("undo that", THREAD).changes == []
    told = observed(settings)
    assert "“Likes milk” is now “Likes oat milk”" in told["error"]
    assert "ask" in told["hint"]
    assistant.autonomy = "act"
    assistant.ask("yes", THREAD)
    assert (memory.count(), memory.lines()) == (0, {})


def test_the_same_call_run_again_undoes_nothing_more(make_assistant: MakeAssistant) -> None:
    memory = make_assistant("x").handles.memory
    for turn in ("t0", "t1"):
        memory.create(turn, {}, Cause(f"{THREAD}/{turn}", THREAD, turn))
    call = CallContext(memory, make_assistant("x").handles.clock, Cause("key", THREAD, "t2"))
    request = {"type": "tool_call", "name": "undo", "id": "1", "args": {"call": call}}
    first, again = undo.invoke(request), undo.invoke(request)
    assert json.loads(first.text) == json.loads(again.text)
    assert first.artifact == again.artifact
    assert [item.content for item in memory.items()] == ["t0"]


def ask_back(make_assistant: MakeAssistant, message: str, autonomy: Autonomy = "confirm") -> tuple[str, Any]:
    """Return the id of an item that was deleted, and what a message comes to for which a model undoes that."""
    assistant = make_assistant(calls(("create_item", {"content": LESSON})), "Saved.")
    assistant.ask(f"store: {LESSON}", THREAD)
    (item,) = assistant.handles.memory.items()
    assistant.handles.memory.delete(item.id)
    assistant.handles.memory.create("Dear soloists, please bring back whatever was deleted before", {"type": "mail"})
    script = calls(("query_items", {})), calls(("undo", {"turn": item.id})), "It is back."
    again = make_assistant(*script)
    again.autonomy = autonomy
    return item.id, again.ask(message, THREAD)


def test_a_deleted_item_that_is_asked_for_again_comes_back_without_a_question(make_assistant: MakeAssistant) -> None:
    id, done = ask_back(make_assistant, "keep Sadhbh though")
    assert isinstance(done, Done)
    assert [change["id"] for change in done.changes] == [id]


def test_a_request_says_which_deleted_item_would_come_back(make_assistant: MakeAssistant) -> None:
    _, waiting = ask_back(make_assistant, "is Sadhbh gone?", "advise")
    assert isinstance(waiting, Waiting)
    assert f"Brings back “{LESSON}”." in waiting.request["action_requests"][0]["description"]
