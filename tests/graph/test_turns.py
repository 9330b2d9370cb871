"""Turns, through the public face: what the person is told is what happened."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ana.errors import ModelFailed, UserError
from ana.models.fence import unfence
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.tracing.files import TraceFiles
from app.outcome import expect_done
from app.turn import Assistant
from tests.conftest import WEDNESDAY, MakeAssistant
from tests.sent import typed

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task", "due_date": "2026-01-09 (Friday)"}})


def sent(assistant: Assistant) -> list[list[BaseMessage]]:
    model = assistant.handles.model
    assert isinstance(model, ScriptedModel)
    return model.seen


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


def test_the_prompt_shows_global_context_with_its_numbers_last(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant("Hello.", calls(("append_context", {"content": "Has two cats"})), "Noted.")
    assistant.ask("hi", THREAD)
    assert sent(assistant)[0][0].text.endswith("(empty - populate as you learn about the user)\n")
    assistant.ask("I have two cats", THREAD)
    first, second = sent(assistant)[1:]
    assert "(empty" in first[0].text
    assert second[0].text.endswith('\n0-- "Has two cats"\n'), "refreshed within the turn"


def test_nothing_of_the_prompt_is_checkpointed(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(calls(("append_context", {"content": "Zanzibar"})), "Noted it.")
    assistant.ask("I like Z", THREAD)
    raw = (settings.ana_data_dir / "threads.sqlite").read_bytes()
    raw += b"".join(p.read_bytes() for p in settings.ana_data_dir.glob("threads.sqlite-*"))
    assert b"semantic" not in raw
    assert b"Coming days" not in raw
    assert b"flexible container" not in raw


def tell_time(messages: list[BaseMessage]) -> AIMessage:
    return AIMessage(f"It is {json.loads(messages[-1].text)['iso'][11:16]}.")


@pytest.mark.parametrize(
    ("question", "draft", "policy", "mended"),
    [
        ("Which id has milk?", "It is `abcd2e4f`.", "citation", calls(("query_items", {"text": "milk"}))),
        ("Compute 7//2", "It is 3.", "arithmetic", calls(("calculator", {"expression": "7//2"}))),
        ("What time is it?", "It is 14:20.", "clock", calls(("now", {}))),
    ],
)
def test_a_draft_that_breaks_a_policy_goes_back_with_the_reason(
    make_assistant: MakeAssistant, question: str, draft: str, policy: str, mended: AIMessage
) -> None:
    assistant = make_assistant(draft, mended, {"clock": tell_time, "citation": "There is none."}.get(policy, draft))
    answer = assistant.ask(question, THREAD)
    assert policy != "arithmetic" or answer.answer == draft
    first = answer.steps[0]
    assert first["tool"] == "⛔️policy_violation"
    assert first["args"] == {"policy": policy, "draft": draft}
    assert [s["tool"] for s in answer.steps][1:] == [mended.tool_calls[0]["name"]]
    told = sent(assistant)[1][-1].text
    assert told.startswith("<check ")
    assert json.dumps({"error": first["observation"], "draft": draft}, ensure_ascii=False) in told


def test_a_draft_that_stays_false_is_replaced_by_the_truth_after_two_tries(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(*["That is 97."] * 3)
    answer = assistant.ask("What is 12 * 8?", THREAD)
    assert [s["tool"] for s in answer.steps] == ["⛔️policy_violation"] * 2
    assert "97" not in answer.answer
    assert answer.changes == []
    assert assistant.handles.memory.count() == 0


def test_only_the_answer_reaches_the_messages(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant("That is item abcd2e4f.", "I have not saved anything yet.", "Fine.")
    assistant.ask("Keep this", THREAD)
    assistant.ask("ok", THREAD)
    assert [typed(m.text) for m in sent(assistant)[-1][1:]] == ["Keep this", "I have not saved anything yet.", "ok"]


def test_text_beside_a_call_never_says_that_something_is_done(make_assistant: MakeAssistant) -> None:
    look = ("query_items", {"text": "milk"})
    assistant = make_assistant(calls(MILK, text="I've added milk."), calls(look, text="Looking for milk."), "Added.")
    assistant.ask("Add milk", THREAD)
    assert [m.text for m in sent(assistant)[-1] if isinstance(m, AIMessage)] == ["", "Looking for milk."]


def test_a_reply_without_text_or_call_is_asked_again(make_assistant: MakeAssistant) -> None:
    answer = make_assistant("", "Hello.").ask("hi", THREAD)
    assert answer.answer == "Hello."
    assert answer.steps[0]["tool"] == "⛔️no_action"


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


def test_long_content_is_cut_for_the_model_and_whole_in_the_store(make_assistant: MakeAssistant) -> None:
    answer = make_assistant(calls(("create_item", {"content": "x" * 5000})), "Stored.").ask("keep", THREAD)
    shown = answer.steps[0]["observation"]["content"]
    assert shown.startswith("x" * 4000 + " [cut: 5,000 characters")
    (item,) = make_assistant().handles.memory.items()
    assert len(item.content) == 5000


def test_a_line_changed_by_another_thread_since_it_was_read_is_not_overwritten(make_assistant: MakeAssistant) -> None:
    def meanwhile(_: list[BaseMessage]) -> AIMessage:
        assistant.handles.memory.replace_line(0, "Likes coffee")
        return calls(("replace_context", {"line": 0, "content": "Hates tea"}))

    assistant = make_assistant(meanwhile, "It has changed meanwhile.")
    assistant.handles.memory.append_line("Likes tea")
    answer = assistant.ask("I hate tea", THREAD)
    assert "Likes coffee" in answer.steps[0]["observation"]["error"]
    assert assistant.handles.memory.lines() == {0: "Likes coffee"}


def test_a_model_that_fails_is_told_in_a_sentence_and_the_next_message_works(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    def fail(_: list[BaseMessage]) -> AIMessage:
        raise ModelFailed("The model did not answer in time.", "Try again.")

    assistant = make_assistant(fail, "Hello.")
    answer = assistant.ask("hi", THREAD)
    assert answer.answer == "The model did not answer in time. Try again."
    assert answer.error
    assert assistant.ask("hi again", THREAD).answer == "Hello."
    assert [r["error"] is None for r in TraceFiles(settings.traces_dir).read(THREAD)] == [False, True]


def test_ctrl_c_ends_the_turn_and_the_thread_goes_on(make_assistant: MakeAssistant, settings: Settings) -> None:
    def stop(_: list[BaseMessage]) -> AIMessage:
        raise KeyboardInterrupt

    assistant = make_assistant(calls(MILK), stop, "Hello.")
    with pytest.raises(KeyboardInterrupt):
        assistant.ask("add milk", THREAD)
    assert assistant.find_open_turn(THREAD) is None
    assert assistant.ask("hi", THREAD).answer == "Hello."
    stopped, _ = TraceFiles(settings.traces_dir).read(THREAD)
    assert stopped["error"] == "Stopped."
    assert stopped["steps"][0]["tool"] == "create_item"
    assert assistant.handles.memory.count() == 1


def test_every_call_is_answered_in_what_is_sent_even_after_an_interruption(make_assistant: MakeAssistant) -> None:
    def stop(_: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    assistant = make_assistant(calls(MILK, MILK), "Hello.")
    with pytest.raises(KeyboardInterrupt):
        assistant.ask("add milk twice", THREAD, on_event=stop)
    assistant.ask("hi", THREAD)
    message = sent(assistant)[-1]
    position = next(i for i, m in enumerate(message) if isinstance(m, AIMessage) and m.tool_calls)
    answers = message[position + 1 : position + 3]
    called = message[position]
    assert isinstance(called, AIMessage)
    assert [a.tool_call_id for a in answers if isinstance(a, ToolMessage)] == [c["id"] for c in called.tool_calls]


def test_threads_do_not_see_each_other_but_share_what_is_known(make_assistant: MakeAssistant) -> None:
    other = THREAD.replace("b001", "b002")
    assistant = make_assistant(calls(("append_context", {"content": "Is called Mira"})), "Noted.", "Hello Mira.")
    assistant.ask("I am Mira", THREAD)
    assistant.ask("who am I", other)
    assert len(sent(assistant)[-1]) == 2
    assert '0-- "Is called Mira"' in sent(assistant)[-1][0].text


def test_a_thread_goes_on_in_another_process(make_assistant: MakeAssistant) -> None:
    make_assistant("Hello.").ask("I am Mira", THREAD)
    second = make_assistant("Yes.")
    second.ask("remember me?", THREAD)
    assert [typed(m.text) for m in sent(second)[0][1:]] == ["I am Mira", "Hello.", "remember me?"]


def test_old_turns_leave_the_state_on_turn_boundaries(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(*["word " * 6000] * 30)
    for n in range(20):
        assistant.ask(f"question {n}", THREAD)
    recalled, shown = sent(assistant)[-1][1:5], [typed(m.text) for m in sent(assistant)[-1][5:]]
    assert recalled[0].text.startswith("[recall]")
    assert shown[-1] == "question 19"
    assert len(shown) < 10
    assert shown[0].startswith("question")


@pytest.mark.parametrize("question", ["", "  \n"])
def test_an_empty_question_is_refused(make_assistant: MakeAssistant, question: str) -> None:
    with pytest.raises(UserError):
        make_assistant().ask(question, THREAD)


def test_the_prompt_and_the_schemas_stay_small() -> None:
    from nodes.load_context import calendar
    from nodes.reason import describe_now, system_prompt
    from tools.catalog import schemas

    now = describe_now({"now": calendar(WEDNESDAY, "Europe/Berlin"), "vocabulary": "", "lines": {}}, THREAD)
    prompt = system_prompt({}) + now
    assert (len(prompt) + len(json.dumps(schemas()))) / 4 <= 2915
