"""Turns, through the public face: what the person is told is what happened."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from ana.errors import UserError
from ana.models.fence import unfence
from ana.models.scripted import calls
from ana.settings import Settings
from ana.tracing.files import TraceFiles
from app.outcome import expect_done
from app.turn import Assistant
from tests.conftest import THREAD, WEDNESDAY, MakeAssistant, script_of

MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task", "due_date": "2026-01-09 (Friday)"}})


def sent(assistant: Assistant) -> list[list[BaseMessage]]:
    return script_of(assistant).seen


def test_a_turn_stores_answers_and_leaves_a_trace(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(calls(MILK, ("append_context", {"content": "Likes milk"})), "Saved, due Friday.")
    answer = expect_done(assistant.ask("I need milk by Friday", THREAD))
    assert answer.answer == "Saved, due Friday."
    (item,) = assistant.handles.memory.items()
    assert item.properties == {"type": "task", "due_date": "2026-01-09"}
    assert assistant.handles.memory.lines() == {0: "Likes milk"}
    assert [c["op"] for c in answer.changes] == ["create", "create"]
    assert answer.changes[0]["after"]["id"] == item.id
    (record,) = TraceFiles(settings.traces_dir).read(THREAD)
    assert record["id"] == answer.trace_id
    assert record["question"] == "I need milk by Friday"
    assert record["answer"] == answer.answer
    assert record["steps"] == answer.steps
    assert [s["tool"] for s in record["steps"]] == ["create_item", "append_context"]
    assert record["steps"][0]["observation"]["properties"]["due_date"] == "2026-01-09 (Friday)"
    assert record["usage"]["estimated"] is True
    assert set(record["durations"]) == {"load_context", "reason", "execute_tools", "reflect"}
    assert record["decisions"][0]["tool_calls"][0]["name"] == "create_item"
    assert record["thread_id"] == THREAD


def test_the_trace_is_flushed_before_the_answer_is_there(make_assistant: MakeAssistant, settings: Settings) -> None:
    seen: list[int] = []
    assistant = make_assistant("Hello.", "Again.")
    assistant.ask("hi", THREAD)
    assistant.ask("hi", THREAD, on_event=lambda _: seen.append(len(TraceFiles(settings.traces_dir).read(THREAD))))
    assert seen == [1]
    assert len(TraceFiles(settings.traces_dir).read(THREAD)) == 2


def test_nothing_of_the_prompt_is_checkpointed(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(calls(("append_context", {"content": "Zanzibar"})), "Noted it.")
    assistant.ask("I like Z", THREAD)
    raw = (settings.ana_data_dir / "threads.sqlite").read_bytes()
    raw += b"".join(p.read_bytes() for p in settings.ana_data_dir.glob("threads.sqlite-*"))
    assert b"semantic" not in raw
    assert b"Coming days" not in raw
    assert b"flexible container" not in raw


def test_text_beside_a_call_never_says_that_something_is_done(make_assistant: MakeAssistant) -> None:
    look = ("query_items", {"text": "milk"})
    assistant = make_assistant(calls(MILK, text="I've added milk."), calls(look, text="Looking for milk."), "Added.")
    assistant.ask("Add milk", THREAD)
    assert [m.text for m in sent(assistant)[-1] if isinstance(m, AIMessage)] == ["", "Looking for milk."]


BAD_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("create_item", {}, "content"),
    ("create_item", {"content": ["a"]}, "content"),
    ("append_context", {"content": "x", "due": "2026-01-01"}, "due"),
    ("create_item", {"content": "x", "due": "2026-01-01", "properties": {"due": "2026-01-02"}}, "due"),
    ("create_item", {"content": "  "}, "content"),
    ("create_item", {"content": "x", "properties": {"d": "2026-01-09 (Monday)"}}, "Friday"),
    ("update_item", {"id": "aaaaaaaa", "content": "x"}, "aaaaaaaa"),
    ("update_item", {"id": "aaaaaaaa"}, "Nothing to change"),
    ("delete_item", {"id": "aaaaaaaa"}, "aaaaaaaa"),
    ("query_items", {"text": "x", "limit": 0}, "limit"),
    ("query_items", {"text": "x", "limit": 1e300}, "limit"),
    ("query_items", {"where": {"x": {"$approx": 1}}}, "x"),
    ("replace_context", {"line": 3, "content": "x"}, "line 3"),
    ("delete_context", {"line": "three"}, "line"),
    ("append_context", {"content": ""}, "empty"),
    ("now", {"timezone": "Mars/Olympus"}, "Mars"),
    ("calculator", {"expression": "import os"}, ""),
    ("fly_to_moon", {}, "fly_to_moon"),
]


@pytest.mark.parametrize(("name", "arguments", "named"), BAD_CALLS)
def test_a_wrong_call_is_an_error_the_model_can_act_on(
    make_assistant: MakeAssistant, name: str, arguments: dict[str, Any], named: str
) -> None:
    answer = make_assistant(calls((name, arguments)), "That did not work.").ask("do it", THREAD)
    (step,) = answer.steps
    assert set(step["observation"]) == {"error", "hint"}
    assert named in step["observation"]["error"]
    assert step["observation"]["hint"]
    assert answer.changes == []


MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("create_item", {"content": True}, "string"),
    ("delete_context", {"line": True}, "integer"),
    ("delete_context", {"line": "line 2"}, "integer"),
    ("query_items", {"where": "status = active"}, "object"),
    ("now", {"format": "iso"}, "format"),
    ("createItem", {"content": "x"}, "createItem"),
]


@pytest.mark.parametrize(("name", "arguments", "named"), MISFITS)
def test_a_call_that_does_not_fit_is_a_step_of_its_own_and_the_others_run(
    make_assistant: MakeAssistant, name: str, arguments: dict[str, Any], named: str
) -> None:
    answer = make_assistant(calls((name, arguments), MILK), "Milk is saved, the rest is not.").ask("do it", THREAD)
    wrong, right = answer.steps
    assert (wrong["tool"], wrong["args"]) == ("⛔️validation_error", {"tool": name, "args": arguments})
    assert named in wrong["observation"]["error"]
    assert right["tool"] == "create_item"
    assert len(answer.changes) == 1


def test_arguments_are_read_into_their_types_where_nothing_is_lost(make_assistant: MakeAssistant) -> None:
    properties = '{"type": "task"}'
    asked: list[tuple[str, dict[str, Any]]] = [
        ("create_item", {"content": 42, "properties": properties}),
        ("query_items", {"limit": "1", "text": None}),
    ]
    answer = make_assistant(calls(*asked), "Saved 42.").ask("keep 42", THREAD)
    assert [step["tool"] for step in answer.steps] == ["create_item", "query_items"]
    assert answer.changes[0]["after"]["content"] == "42"
    assert answer.changes[0]["after"]["properties"] == {"type": "task"}


def test_results_are_the_contracts(make_assistant: MakeAssistant) -> None:
    def found(key: str) -> Callable[[list[BaseMessage]], AIMessage]:
        def reply(messages: list[BaseMessage]) -> AIMessage:
            id = json.loads(unfence(messages[-1].text))["items"][0]["id"]
            return calls((key, {"id": id} | ({"properties": {"status": "done"}} if key == "update_item" else {})))

        return reply

    query = calls(("query_items", {"text": "milk"}))
    script = [calls(MILK), query, found("update_item"), query, found("delete_item")]
    lines = [
        calls(
            ("append_context", {"content": "A"}), ("now", {"timezone": "utc"}), ("calculator", {"expression": "6/2"})
        ),
        calls(("replace_context", {"line": 0, "content": "B"})),
        calls(("delete_context", {"line": 0})),
    ]
    assistant = make_assistant(*script, *lines, "Done.")
    assistant.autonomy = "act"
    answer = assistant.ask("everything", THREAD)
    seen = {s["tool"]: s["observation"] for s in answer.steps}
    item = {"id", "content", "properties"}
    assert set(seen["create_item"]) == item | {"date_is"}
    assert set(seen["update_item"]) == item
    assert set(seen["query_items"]) == {"items", "truncated"}
    assert seen["update_item"]["properties"]["status"] == "done"
    assert set(seen["delete_item"]) == {"deleted"}
    assert set(seen["delete_item"]["deleted"]) == item
    assert seen["append_context"] == {"line": 0, "content": "A"}
    assert seen["replace_context"] == {"line": 0, "content": "B", "replaced": "A"}
    assert seen["delete_context"] == {"line": 0, "deleted": "B"}
    assert set(seen["now"]) == {"iso", "weekday", "timezone"}
    assert seen["now"]["timezone"] == "UTC"
    assert seen["calculator"] == {"result": 3}
    assert isinstance(seen["calculator"]["result"], int)


def test_a_line_changed_by_another_thread_since_it_was_read_is_not_overwritten(make_assistant: MakeAssistant) -> None:
    def meanwhile(_: list[BaseMessage]) -> AIMessage:
        assistant.handles.memory.replace_line(0, "Likes coffee")
        return calls(("replace_context", {"line": 0, "content": "Hates tea"}))

    assistant = make_assistant(meanwhile, "It has changed meanwhile.")
    assistant.handles.memory.append_line("Likes tea")
    answer = assistant.ask("I hate tea", THREAD)
    assert "Likes coffee" in answer.steps[0]["observation"]["error"]
    assert assistant.handles.memory.lines() == {0: "Likes coffee"}


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(make_assistant: MakeAssistant, question: str) -> None:
    with pytest.raises(UserError):
        make_assistant().ask(question, THREAD)


def test_the_prompt_and_the_schemas_stay_small() -> None:
    from nodes.load_context import calendar
    from nodes.reason import describe_now, system_prompt
    from tools.catalog import schemas

    now = describe_now({"now": calendar(WEDNESDAY, "Europe/Berlin"), "vocabulary": "", "lines": {}}, THREAD)
    assert system_prompt({}).endswith("(empty - populate as you learn about the user)\n")
    prompt = system_prompt({}) + now
    assert (len(prompt) + len(json.dumps(schemas()))) / 4 <= 2800
