"""Recorded turns run again: the same, the first difference, or why it cannot be."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
import typer
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from ana.backends.in_memory import InMemoryBackend
from ana.errors import CannotReplay, ModelFailed
from ana.handles import Handles, open_handles
from ana.memory.trash import purge
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.tracing.schema import Record, list_nodes
from ana.workspace import open_workspace
from app import throwaway
from app.cli.replay import read_prompt, run_again
from app.costs import add_up
from app.outcome import Done, Waiting
from app.replay.compare import Difference, compare
from app.replay.rerun import ask_other, copy_store, list_line_texts, repeat
from app.show.replayed import show_side_by_side
from app.turn import Assistant, open_assistant
from graph.builder import graph
from graph.context import LocalContext
from nodes.requests import decide_all
from tests.app.conftest import Run
from tests.app.test_crash import KILLED
from tests.conftest import EMBEDDER, THREAD, folders
from tests.forks import run_forked
from tests.openai_stub import Said, openai_stub
from tests.sent import typed

MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task", "due_date": "2026-01-09"}})


@dataclass
class Desk:
    """An assistant whose model is scripted turn by turn, and its turns run again."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settings = load_settings(folders(self.folder, **({"OPENAI_API_KEY": "sk-x"} | self.env)))
        self.backend = InMemoryBackend(EMBEDDER)
        self.saver = InMemorySaver()

    def say(self, said: str, *replies: Any, thread: str = THREAD) -> "Done | Waiting":
        """Send a message; the model replies from a script."""
        return self.assistant(*replies).ask(said, thread)

    def assistant(self, *replies: Any) -> Assistant:
        handles = open_handles(
            open_workspace(self.settings), model=ScriptedModel(replies=list(replies)), backend=self.backend
        )
        self.handles: Handles = handles
        return Assistant(handles, graph.copy({"checkpointer": self.saver}))

    def records(self, thread: str = THREAD) -> list[Record]:
        return self.handles.traces.read(thread)

    def repeat(self, record: Record) -> Difference | None:
        """Run a turn again and return the first difference."""
        return compare(record, self.run_again(record))

    def run_again(self, record: Record) -> Record:
        return repeat(self.settings, record, self.records(record["thread_id"]), list_line_texts(self.backend))

    def ask_other(self, record: Record, other: BaseChatModel) -> Record:
        """Let another model answer a turn, on a copy of the store."""
        handles = replace(self.handles, model=other)
        return ask_other(handles, record, self.records(), copy_store(self.backend, EMBEDDER))

    def expect_same(self, thread: str = THREAD) -> None:
        assert [self.repeat(record) for record in self.records(thread)] == [None] * len(self.records(thread))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def id_in(messages: list[BaseMessage]) -> str:
    """Return the id of the first item in the last result."""
    found: dict[str, Any] = json.loads(messages[-1].text.split("\n", 1)[1].rsplit("\n", 1)[0])
    return str(found["items"][0]["id"])


def finish_milk(messages: list[BaseMessage]) -> AIMessage:
    return calls(("update_item", {"id": id_in(messages), "properties": {"status": "done"}}))


TURNS: list[tuple[str, list[Any]]] = [
    ("Add milk", [calls(MILK), "Saved."]),
    ("Where is the milk?", [calls(("query_items", {"text": "milk"})), "There it is."]),
    ("I like tea", [calls(("append_context", {"content": "Likes tea"})), "Noted."]),
    ("Milk is done", [calls(("query_items", {"text": "milk"})), finish_milk, "Done."]),
    ("Take that back", [calls(("undo", {})), "Taken back."]),
    ("hello", ["Hello."]),
    ("Keep this", ["It is item abcd2e4f.", "I have not saved anything."]),
    ("What time is it?", [calls(("now", {})), "It is late."]),
    ("Add milk again", [calls(MILK), "That is there already. A copy?"]),
    ("Yes", [calls(MILK), "Saved a copy."]),
]


@pytest.mark.parametrize("count", [2, pytest.param(10, marks=pytest.mark.long)])
def test_the_turns_of_several_threads_are_the_same_again(desk: Desk, count: int) -> None:
    threads = [THREAD.replace("b001", f"b{n:03}") for n in range(count)]
    for thread in threads:
        for said, replies in TURNS:
            desk.say(said, *replies, thread=thread)
    for thread in threads:
        assert len(desk.records(thread)) == len(TURNS)
        desk.expect_same(thread)


def test_a_tampered_call_is_found_at_its_step(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    desk.say("Milk?", calls(("now", {}), ("query_items", {"text": "milk"})), "There.")
    record = desk.records()[-1]
    record["steps"][1]["observation"]["items"][0]["content"] = "Buy silk"
    assert desk.repeat(record) is None, "a result that was recorded is not looked up again"
    record["steps"][1]["args"] = {"text": "silk"}
    assert desk.repeat(record) == Difference(2, "query_items", "args.text", "silk", "milk")


Tamper = Callable[[Any], Any]
TAMPERED: list[tuple[Tamper, tuple[int | None, str]]] = [
    (lambda r: r["steps"][0]["args"].update(content="Buy silk"), (1, "args.content")),
    (lambda r: r["steps"].pop(), (1, "tool")),
    (lambda r: r["steps"].append(r["steps"][0]), (2, "tool")),
    (lambda r: r.__setitem__("answer", "Never."), (None, "answer")),
    (lambda r: r["changes"][0]["after"].update(content="x"), (None, "receipt")),
    (lambda r: r["changes"].pop(), (None, "receipt")),
    (lambda r: r["decisions"].pop(), (None, "answer")),
    (lambda r: r["decisions"][0]["tool_calls"][0]["args"].update(content="x"), (1, "args.content")),
]


@pytest.mark.parametrize("number", range(len(TAMPERED)))
def test_whatever_was_tampered_with_is_named(desk: Desk, number: int) -> None:
    tamper, (step, what) = TAMPERED[number]
    desk.say("Add milk", calls(MILK), "Saved.")
    (record,) = desk.records()
    tamper(record)
    found = desk.repeat(record)
    assert found is not None
    assert (found.step, found.what) == (step, what)


def test_a_turn_of_a_long_conversation_with_summaries_is_the_same_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, {"ANA_HISTORY_TOKENS": "400"})
    for n in range(40):
        desk.say(f"Question {n} " + "word " * 20, write, write)
    records = desk.records()
    assert len({record["replay"]["summary"] for record in records}) > 3
    assert records[-1]["replay"]["turns"] < 20
    assert records[-1]["replay"]["summary"]
    for record in records[-6:]:
        assert desk.repeat(record) is None


def write(messages: list[BaseMessage]) -> AIMessage:
    """Write a summary or an answer."""
    return AIMessage(f"They spoke of {len(messages[0].text)}." if len(messages) == 1 else "answer " * 20)


def test_what_a_person_decided_is_decided_again(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    item = next(desk.handles.memory.items()).id
    delete = ("delete_item", {"id": item})
    edited = {"type": "edit", "edited_action": {"name": "append_context", "args": {"content": "Hates tea"}}}
    learn = ("append_context", {"content": "Likes tea"})
    assistant = desk.assistant(calls(delete), "Still there.", calls(learn), "Noted.", calls(delete), "Gone.")
    assistant.autonomy = "advise"
    for said, decision in (("Tidy up", {"type": "reject"}), ("Learn", edited), ("Tidy up", {"type": "approve"})):
        waiting = assistant.ask(said, THREAD)
        assert isinstance(waiting, Waiting)
        assistant.resume(THREAD, {"decisions": [decision]}, waiting.request_id)
    assert desk.handles.memory.lines() == {0: "Hates tea"}
    assert desk.handles.memory.count() == 0
    desk.expect_same()


def test_what_nobody_decided_is_the_same_again(desk: Desk) -> None:
    assistant = desk.assistant(calls(MILK), calls(MILK), "Hello.")
    assistant.autonomy = "advise"
    assistant.ask("Add milk", THREAD)
    assistant.drop(THREAD)
    assistant.ask("Add milk", THREAD)
    assert isinstance(assistant.ask("hello", THREAD), Waiting), "the first message is not carried out"
    assistant.ask("hello", THREAD)
    assert [record["error"] is None for record in desk.records()] == [False, False, True]
    desk.expect_same()


def test_a_change_while_the_person_decides_is_made_again(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    item = next(desk.handles.memory.items()).id
    assistant = desk.assistant(calls(("delete_item", {"id": item})), "Gone.")
    assistant.autonomy = "advise"
    waiting = assistant.ask("Delete it", THREAD)
    desk.handles.memory.update(item, "Buy oat milk")
    assert isinstance(waiting, Waiting)
    waiting = assistant.resume(THREAD, decide_all(waiting.request, "approve"), waiting.request_id)
    assert isinstance(waiting, Waiting), "it has changed, so it is asked again"
    assistant.resume(THREAD, decide_all(waiting.request, "approve"), waiting.request_id)
    desk.expect_same()


def test_a_change_while_the_model_thinks_is_made_again(desk: Desk) -> None:
    def meanwhile(_: list[BaseMessage]) -> AIMessage:
        desk.handles.memory.replace_line(0, "Likes coffee")
        return calls(("replace_context", {"line": 0, "content": "Hates tea"}))

    desk.say("I like tea", calls(("append_context", {"content": "Likes tea"})), "Noted.")
    desk.say("I hate tea", meanwhile, "It has changed meanwhile.")
    assert "Likes coffee" in desk.records()[-1]["steps"][0]["observation"]["error"]
    desk.expect_same()


def fail(_: list[BaseMessage]) -> AIMessage:
    raise ModelFailed("The model did not answer in time.", "Try again.")


def stop(_: list[BaseMessage]) -> AIMessage:
    raise KeyboardInterrupt


BROKEN = InvalidToolCall(type="invalid_tool_call", name="now", args="{", id="x", error="")
ODD: dict[str, list[Any]] = {
    "the model failed": [calls(MILK), fail],
    "a limit of steps": [calls(("now", {"timezone": zone})) for zone in ("utc", "local", "Asia/Tokyo")],
    "a call repeated": [calls(("now", {}))] * 3,
    "false to the end": ["It is item abcd2e4f."] * 3,
    "no text": ["", "Hello."],
    "calls that do not fit": [calls(("create_item", {}), MILK, ("fly", {"to": "moon"})), "That did not work."],
    "a call that cannot be read": [AIMessage("", invalid_tool_calls=[BROKEN]), "That did not work."],
    "text beside a call": [calls(MILK, text="I've added milk."), "Saved."],
}


@pytest.mark.parametrize("name", ODD)
def test_odd_turns_and_those_after_them_are_the_same_again(tmp_path: Path, name: str) -> None:
    desk = Desk(tmp_path, {"ANA_MAX_STEPS": "3"})
    desk.say("Do it", *ODD[name])
    desk.say("And now?", "Nothing.")
    desk.expect_same()


def test_a_limit_of_time_is_the_same_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, {"ANA_TURN_SECONDS": "0.000001"})
    desk.say("Do it", calls(MILK), "Saved.")
    assert desk.records()[0]["error"] == "limit"
    slow = Desk(tmp_path)
    slow.backend, slow.saver, slow.handles = desk.backend, desk.saver, desk.handles
    slow.expect_same()


def test_a_stopped_turn_and_the_one_after_it_are_the_same_again(desk: Desk) -> None:
    with pytest.raises(KeyboardInterrupt):
        desk.say("Add milk", calls(MILK), stop)
    desk.say("hello", "Hello.")

    def break_off(_: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.assistant(calls(("now", {}), MILK)).ask("Add it again", THREAD, on_event=break_off)
    desk.say("hello", "Hello.")
    assert desk.records()[2]["steps"][0]["observation"]["error"] == "interrupted"
    desk.expect_same()


OWN = '''
from langchain_core.tools import tool

@tool
def ring(times: int) -> str:
    """Ring a bell."""
    if times > 2:
        raise RuntimeError("too loud")
    with open({bell!r}, "a") as bell:
        bell.write("x" * times)
    return '{{"rung":' + str(times) + "}}"

TOOLS = [ring]
'''


def test_a_tool_of_the_persons_own_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bell = tmp_path / "bell"
    (tmp_path / "replay_bells.py").write_text(OWN.format(bell=str(bell)))
    monkeypatch.syspath_prepend(str(tmp_path))
    desk = Desk(tmp_path, {"TOOLS_MODULES": "replay_bells", "ANA_AUTONOMY": "act"})
    desk.say("Ring", calls(("ring", {"times": 2}), ("ring", {"times": "many"}), ("ring", {"times": 3})), "Rung.")
    desk.say("And?", "Nothing.")
    desk.expect_same()
    assert bell.read_text() == "xx"
    desk.settings = desk.settings.model_copy(update={"tools_modules": ()})
    found = desk.repeat(desk.records()[0])
    assert found is not None
    assert (found.step, found.what, found.again) == (1, "tool", "⛔️validation_error"), "it is not there any more"


def test_what_was_changed_or_purged_since_is_not_needed(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    desk.say("Milk?", calls(("query_items", {"text": "milk"})), "Milk is due on 9 January.")
    desk.say("I like tea", calls(("append_context", {"content": "Drinks 37 cups of tea a month"})), "Noted.")
    elsewhere = THREAD.replace("b001", "b002")
    desk.say("Do I drink 12 or 25 cups of tea?", "37 cups.", thread=elsewhere)
    assert desk.records(elsewhere)[0]["answer"] == "37 cups."
    desk.handles.memory.replace_line(0, "Drinks no tea")
    item = next(desk.handles.memory.items()).id
    desk.handles.memory.update(item, "Buy oat milk", {"status": "done"})
    desk.expect_same()
    desk.expect_same(elsewhere)
    desk.handles.memory.delete(item)
    purge(desk.handles.memory, "9999")
    desk.expect_same()


def test_a_change_of_the_graph_the_policies_and_the_schemas_shows(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("Add milk", calls(MILK), "It is item abcd2e4f.", "Saved.")
    desk.say("hello", "Hello.")
    first, second = desk.records()
    with monkeypatch.context() as patch:
        patch.setattr("nodes.reflect.find_violation", lambda _: None)
        assert desk.repeat(first) == Difference(2, "⛔️policy_violation", "tool", "⛔️policy_violation", "(nothing)")
    with monkeypatch.context() as patch:
        patch.setattr("nodes.reflect.explain_unread", lambda _: " And more.")
        assert desk.repeat(second) == Difference(None, "", "answer", "Hello.", "Hello. And more.")
    for name in ("prompts", "tools"):
        with monkeypatch.context() as patch:
            patch.setattr(f"graph.recording.digest_{name}", lambda *_: "another")
            assert desk.repeat(second) == Difference(None, "", name, second["replay"][name], "another")
    first["decisions"][0]["tool_calls"][0]["args"] = {"contents": "Buy milk"}
    found = desk.repeat(first)
    assert found is not None
    assert (found.step, found.what, found.again) == (1, "tool", "⛔️validation_error")


def test_nothing_is_decided_after_a_call_that_was_not_recorded(desk: Desk) -> None:
    desk.say("Two", calls(MILK), calls(("now", {})), "Done.")
    (record,) = desk.records()
    record["decisions"][0]["tool_calls"][0]["args"] = {"content": "Buy silk"}
    again = desk.run_again(record)
    assert [step["tool"] for step in again["steps"]] == ["create_item"]
    assert again["error"] == "It went another way than the recorded turn."
    assert desk.backend.count("item") == 1, "the store is not touched"


def spoil(record: Record, name: str) -> None:
    if name == "replay":
        del record["replay"]
    elif name == "wrote":
        cast(Any, record["replay"])["wrote"] = [1]
    elif name == "previous":
        record["previous"] = None
    elif name == "damaged":
        record["replay"]["turns"] = -1
    else:
        record["replay"]["nodes"] = []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("replay", "an earlier version wrote it"),
        ("wrote", "an earlier version wrote it"),
        ("previous", "conversation before this turn"),
        ("nodes", "began in the middle"),
        ("damaged", r"not whole: replay\.turns"),
    ],
)
def test_why_a_turn_cannot_be_run_again_is_said(desk: Desk, name: str, why: str) -> None:
    desk.say("hello", "Hello.")
    desk.say("Milk?", calls(("query_items", {"text": "milk"})), "None.")
    record = desk.records()[-1]
    spoil(record, name)
    with pytest.raises(CannotReplay, match=why):
        desk.repeat(record)


def test_another_model_answers_on_the_same_store(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    desk.say("Milk?", calls(("query_items", {"text": "milk"})), "There.")
    other = ScriptedModel(replies=[calls(("query_items", {"text": "milk"}), ("now", {})), "Yes, milk."])
    record = desk.records()[-1]
    again = desk.ask_other(record, other)
    assert again["steps"][0]["observation"] == record["steps"][0]["observation"]
    assert again["answer"] == "Yes, milk."
    assert compare(record, again) == Difference(2, "(nothing)", "tool", "(nothing)", "now")
    assert len(desk.records()) == 2, "no trace is written"


def test_a_model_that_is_asked_counts_in_the_day_and_a_repeated_turn_costs_nothing(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throwaway, "NOWHERE", tmp_path / "nowhere")
    desk.say("hello", "Hello.")
    (record,), spending = desk.records(), open_workspace(desk.settings).open_spending()
    before = spending.today()
    assert desk.repeat(record) is None
    assert (spending.today(), (tmp_path / "nowhere").exists()) == (before, False)
    other = ScriptedModel(replies=["Good day."])
    again = desk.ask_other(record, other)
    total = pytest.approx(before + (again["cost_usd"] or 0))
    assert total != before
    assert spending.today() == total
    days, _ = add_up(open_workspace(desk.settings))
    assert sum(day.cost_usd or 0 for day in days) == total


def test_what_if_is_asked_of_the_present_store_and_changes_a_copy(desk: Desk) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    (record,) = desk.records()
    item = next(desk.handles.memory.items())
    desk.handles.memory.update(item.id, "Buy oat milk")
    copied = copy_store(desk.backend, EMBEDDER)
    assert copied.get_vectors("item", [item.id]).keys() == {item.id}
    look, forget = calls(("query_items", {"text": "milk"})), calls(("delete_item", {"id": item.id}))
    handles = replace(desk.handles, model=ScriptedModel(replies=[look, forget, "Gone."]))
    again = ask_other(handles, record, [record], copied)
    assert again["steps"][0]["observation"]["items"][0]["content"] == "Buy oat milk"
    assert (again["answer"], copied.count("item")) == ("Gone.", 0)
    assert [each.content for each in desk.handles.memory.items()] == ["Buy oat milk"]
    assert copied.entries()[1:] == desk.backend.entries()


def test_the_command_tells_a_turn_and_runs_it_again(ana: Run, tmp_path: Path) -> None:
    ana("ask", "new task: Buy milk tomorrow")
    ana("ask", "find the milk", "--thread", "one")
    kept = [(path, path.read_text()) for path in (tmp_path / "traces").glob("*.jsonl")]
    ((path, text),) = [(path, text) for path, text in kept if "find the milk" in text]
    told = ana("replay", path.stem[:8])
    assert "> find the milk\n1  · query_items find the milk\n   1 found: “Buy milk tomorrow”\n" in told.stdout
    assert f", conversation {path.stem[:8]}, turn " in told.stdout
    done = ana("replay", "--path", str(path), "--rerun", "--json")
    assert (done.returncode, json.loads(done.stdout)["same"]) == (0, True)
    path.write_text(text.replace('"text": "find the milk"', '"text": "find the silk"', 1))
    done = ana("replay", "one", "--rerun")
    assert done.returncode == 1
    where = "Different at step 1, query_items: args.text"
    assert done.stdout.startswith(f"{where}\n  recorded  find the silk\n"), done.stdout
    path.write_text(json.dumps({key: value for key, value in json.loads(text).items() if key != "replay"}))
    done = ana("replay", path.stem, "--rerun")
    assert done.returncode == 2
    assert done.stderr.startswith("It cannot be run again. The record lacks what a turn is run again from")
    assert len(list((tmp_path / "traces").glob("*.jsonl"))) == 2


def test_the_command_asks_other_models_over_their_protocol(ana: Run) -> None:
    ana("ask", "new task: Buy milk", "--thread", "one")
    with openai_stub(Said("I leave that to you.")) as stub:
        env = {"OPENAI_BASE_URL": stub.url, "OPENAI_API_KEY": "sk-1"}
        done = ana("replay", "one", "--rerun", "--model", "openai:other", "--json", **env)
        again = json.loads(done.stdout)["again"]
        assert (done.returncode, again["answer"], again["model"]) == (1, "I leave that to you.", "other")
        assert stub.requests[0]["model"] == "other"
    assert [item["content"] for item in json.loads(ana("items", "--json").stdout)["items"]] == ["Buy milk"]


def test_a_prompt_from_a_file_has_the_slots_of_ours(desk: Desk, tmp_path: Path) -> None:
    desk.say("hello", "Hello.")
    prompt = tmp_path / "brief.md"
    prompt.write_text("Be brief.\n{{global_context}}")
    with openai_stub(Said("Good day.")) as stub:
        settings = load_settings(folders(tmp_path, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=stub.url))
        template, name = read_prompt(settings, prompt)
        again = run_again(open_workspace(settings), desk.records()[0], desk.records(), template, name)
        prompt.write_text("{{now}} {{global_context}}")
        with pytest.raises(typer.BadParameter, match=r"has slots \['global_context', 'now'\]"):
            read_prompt(settings, prompt)
    assert (again["answer"], name) == ("Good day.", "gpt-4o-mini, brief.md")
    system, question = (message["content"] for message in stub.requests[0]["messages"])
    assert system.startswith("Be brief.\n(empty")
    assert typed(question) == "hello"


def test_two_trajectories_are_shown_side_by_side(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.say("Add milk", calls(MILK), "Saved.")
    (record,) = desk.records()
    show_side_by_side(record, {**record, "steps": [], "answer": "No."}, "other")
    shown = capsys.readouterr().out
    assert "recorded, gpt-4o-mini" in shown
    assert "create_item Buy milk" in shown
    assert "No." in shown
    assert "\nreceipt" in shown
    nothing: Record = {**record, "receipt": ""}
    show_side_by_side(nothing, nothing, "other")
    assert "\nreceipt" not in capsys.readouterr().out


def test_a_turn_that_was_cut_short_and_went_on_is_the_same_again(tmp_path: Path) -> None:
    env = folders(tmp_path)
    assert run_forked("-c", KILLED, json.dumps(env), THREAD, "append_context").returncode == -9
    settings = load_settings(env)
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=["Both saved."]))
    with open_assistant(handles) as assistant:
        assistant.finish(THREAD)
        (record,) = handles.traces.read(THREAD)
        assert record["replay"]["nodes"].count("execute_tools") == 1
        assert compare(record, repeat(settings, record, [record], ())) is None


def test_an_answer_that_was_made_again_is_the_same_again(desk: Desk) -> None:
    desk.say("hello", "Hello.")
    desk.say("Add milk", calls(MILK), "Saved.")
    desk.assistant(calls(("query_items", {})), "It is late.")
    again = graph.copy({"checkpointer": desk.saver})
    config: RunnableConfig = {"configurable": {"thread_id": THREAD}}
    begun = [state for state in again.get_state_history(config) if state.next == ("reason",)]
    another_run: RunnableConfig = {**begun[1].config, "run_id": uuid4()}
    again.invoke(None, another_run, context=LocalContext(opened=desk.handles))
    first, second, third = desk.handles.traces.iter_attempts(THREAD)
    assert (second["message"], second["answer"], third["answer"]) == (third["message"], "Saved.", "It is late.")
    assert third["replay"]["nodes"][0] == "reason"
    for record in (first, second, third):
        assert compare(record, repeat(desk.settings, record, [first, second, third], ())) is None


EARLIER = {"version": "0.1.0", "parts": [{"node": "load_context", "clock": []}, {"node": "reason", "clock": []}]}


def test_a_trace_of_an_earlier_version_is_viewed(ana: Run, tmp_path: Path) -> None:
    ana("ask", "hello", "--thread", "one")
    (path,) = (tmp_path / "traces").glob("*.jsonl")
    record = json.loads(path.read_text())
    del record["replay"]
    record["inputs"] = EARLIER
    path.write_text(json.dumps(record))
    assert "> hello" in ana("replay", "one").stdout
    assert list_nodes(record) == ["load_context", "reason"]
