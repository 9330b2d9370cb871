"""A state that a client has edited or gone back to: every user message is answered, and the newest attempt is shown."""

import uuid
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.types import StateSnapshot

from ana.errors import UserError
from ana.handles import Handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.tracing.files import TraceFiles
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from app.outcome import CutShort
from app.show.answers import show_transcript
from graph.builder import builder
from graph.context import LocalContext
from graph.state import merge_messages
from graph.updates import keep_usable
from nodes.receipt import strip_receipt
from tests.conftest import THREAD, MakeAssistant


class Client:
    """What a front end does with a thread, each time in a run of its own."""

    def __init__(self, graph: Any, handles: Handles) -> None:
        self._graph, self._handles = graph, handles

    def run(self, given: Any = None, at: StateSnapshot | None = None) -> None:
        config = {"configurable": at.config["configurable"] if at else _thread(), "run_id": uuid.uuid4()}
        self._graph.invoke(given, config, context=LocalContext(opened=self._handles), durability="sync")

    def say(self, text: str, at: StateSnapshot | None = None) -> None:
        self.run({"messages": [HumanMessage(text)]}, at)

    def edit(self, *messages: Any, as_node: str | None, at: StateSnapshot | None = None, **values: Any) -> None:
        config = at.config if at else {"configurable": _thread()}
        self._graph.update_state(config, {"messages": list(messages)} | values, as_node=as_node)

    def texts(self) -> list[str]:
        values = self._graph.get_state({"configurable": _thread()}).values
        spoken = (m for m in values["messages"] if isinstance(m, HumanMessage | AIMessage) and m.text)
        return [strip_receipt(m.text) for m in spoken]

    def find(self, node: str) -> StateSnapshot:
        """Return the newest state of the thread before a node."""
        return next(state for state in self.history() if state.next == (node,))

    def history(self) -> Iterator[StateSnapshot]:
        states: Iterator[StateSnapshot] = self._graph.get_state_history({"configurable": _thread()})
        return states


def _thread() -> dict[str, str]:
    return {"thread_id": THREAD}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(replies=[])


@pytest.fixture
def client(make_assistant: MakeAssistant, tmp_path: Path, model: ScriptedModel) -> Iterator[Client]:
    handles = make_assistant("x").handles
    with FolderThreadStore(tmp_path / "threads").open_saver() as saver:
        yield Client(builder.compile(checkpointer=saver), Handles(**vars(handles) | {"model": model}))


@pytest.fixture
def answered(client: Client, model: ScriptedModel) -> Client:
    """A thread of two turns, the second of which stored something."""
    model.replies = ["One.", calls(("create_item", {"content": "Buy milk"})), "Saved: milk.", "Third.", "Fourth."]
    client.say("first")
    client.say("I need milk")
    return client


def records(settings: Settings) -> list[Record]:
    return TraceFiles(settings.traces_dir).read(THREAD)


def told(settings: Settings) -> list[tuple[str, str]]:
    return [(record["question"], record["answer"]) for record in records(settings)]


@pytest.mark.parametrize("as_node", ["load_context", "reason", "execute_tools", "reflect", None])
def test_a_message_put_into_the_state_is_a_turn_of_its_own(
    answered: Client, settings: Settings, as_node: str | None
) -> None:
    answered.edit(HumanMessage("and third"), as_node=as_node)
    answered.run()
    assert answered.texts() == ["first", "One.", "I need milk", "Saved: milk.", "and third", "Third."]
    assert told(settings)[1:] == [("I need milk", "Saved: milk."), ("and third", "Third.")]
    assert len({record["id"] for record in records(settings)}) == 3
    assert records(settings)[-1]["steps"] == []


@pytest.mark.parametrize("as_node", ["load_context", "reason", "execute_tools", "reflect"])
def test_a_thread_may_begin_with_a_message_put_into_its_state(
    client: Client, model: ScriptedModel, settings: Settings, as_node: str
) -> None:
    model.replies = ["Hello."]
    client.edit(HumanMessage("hi"), as_node=as_node)
    client.run()
    assert client.texts() == ["hi", "Hello."]
    assert told(settings) == [("hi", "Hello.")]


@pytest.mark.parametrize("node", ["load_context", "reason", "reflect"])
def test_an_answer_is_made_again_and_only_the_newest_is_shown(
    answered: Client, settings: Settings, capsys: pytest.CaptureFixture[str], node: str
) -> None:
    for answer in ("Third.", "Fourth."):
        answered.run(at=answered.find(node))
        assert answered.texts() == ["first", "One.", "I need milk", answer]
        assert told(settings) == [("first", "One."), ("I need milk", answer)]
    show_transcript(TraceFiles(settings.traces_dir), THREAD, 10)
    assert capsys.readouterr().out.count("> I need milk") == 1
    assert TraceFiles(settings.traces_dir).path(THREAD).read_text().count("I need milk") >= 3
    newest = records(settings)[-1]
    assert TraceFiles(settings.traces_dir).find(newest["id"]) == newest


def test_an_edited_question_takes_the_place_of_what_followed_it(answered: Client, settings: Settings) -> None:
    before = next(s for s in answered.history() if not s.next and len(s.values["messages"]) == 2)
    answered.say("I need oat milk", at=before)
    assert answered.texts() == ["first", "One.", "I need oat milk", "Third."]
    assert told(settings) == [("first", "One."), ("I need oat milk", "Third.")]
    answered.say("thanks")
    assert told(settings)[1:] == [("I need oat milk", "Third."), ("thanks", "Fourth.")]


def test_an_edited_first_question_takes_the_place_of_the_whole_conversation(
    answered: Client, settings: Settings
) -> None:
    *_, empty = answered.history()
    answered.say("first, edited", at=empty)
    assert answered.texts() == ["first, edited", "Third."]
    assert told(settings) == [("first, edited", "Third.")]


def test_a_question_edited_in_its_place_is_answered_again(answered: Client, settings: Settings) -> None:
    asked = answered.find("load_context")
    question = asked.values["messages"][-1]
    answered.edit(HumanMessage("I need tea", id=question.id), as_node="__start__", at=asked)
    answered.run()
    assert answered.texts() == ["first", "One.", "I need tea", "Third."]
    assert told(settings) == [("first", "One."), ("I need tea", "Third.")]


def test_a_draft_that_a_person_has_edited_is_the_answer(answered: Client, settings: Settings) -> None:
    answered.edit(as_node="reason", at=answered.find("reflect"), draft="It is on your list: milk.")
    answered.run()
    assert answered.texts()[-1] == "It is on your list: milk."
    assert told(settings)[-1] == ("I need milk", "It is on your list: milk.")


def test_where_nothing_was_asked_nothing_is_answered(answered: Client, settings: Settings) -> None:
    answered.edit(as_node="execute_tools")
    with pytest.raises(UserError, match="nothing to answer"):
        answered.run()
    answered.say("go on")
    assert told(settings)[-1] == ("go on", "Third.")


def put_in(settings: Settings, message: HumanMessage) -> None:
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        graph.update_state({"configurable": _thread()}, {"messages": [message]}, as_node="load_context")


def test_the_next_door_answers_a_message_put_into_the_state(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant("One.", "Two.")
    assistant.ask("first", THREAD)
    put_in(settings, HumanMessage("second"))
    opened = assistant.find_open_turn(THREAD)
    assert isinstance(opened, CutShort)
    assert opened.question == "second"
    finished = assistant.finish(THREAD)
    assert finished is not None
    assert finished.answer == "Two."
    assert told(settings) == [("first", "One."), ("second", "Two.")]


def test_a_failure_at_a_message_put_into_the_state_leaves_the_answer_before(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    def fail(_: Any) -> Any:
        raise RuntimeError("not foreseen")

    assistant = make_assistant("One.", fail, "Three.")
    assistant.ask("first", THREAD)
    put_in(settings, HumanMessage("second"))
    with pytest.raises(UserError, match="not foreseen"):
        assistant.finish(THREAD)
    assert [question for question, _ in told(settings)] == ["first", "second"]
    assert told(settings)[0] == ("first", "One.")
    assistant.ask("third", THREAD)
    assert [question for question, _ in told(settings)] == ["first", "second", "third"]


BROKEN: list[dict[str, Any]] = [
    {"turn": None},
    {"turn": {}},
    {"turn": {"question": None}},
    {"turn": 5},
    {"summary": 5},
    {"draft": None},
    {"replies": {"__overwrite__": 5}},
    {"messages": {"__overwrite__": 5}},
    {"messages": {"__overwrite__": [{"role": "user"}]}},
    {"turn": {}, "summary": [], "draft": 5, "replies": {"__overwrite__": []}, "messages": {"__overwrite__": None}},
]
"""States that no check has seen, as of another version."""


@pytest.mark.parametrize(("values", "as_node"), [*zip(BROKEN, cycle(["load_context", "execute_tools", "reflect"]))])
def test_a_state_that_is_unusable_is_repaired_at_the_next_message(
    make_assistant: MakeAssistant, settings: Settings, values: dict[str, Any], as_node: str
) -> None:
    assistant = make_assistant("One.", "Two.")
    assistant.ask("first", THREAD)
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        builder.compile(checkpointer=saver).update_state({"configurable": _thread()}, values, as_node=as_node)
    assert assistant.find_open_turn(THREAD) is None
    assert assistant.finish(THREAD) is None
    assert assistant.ask("second", THREAD).answer == "Two."
    assert told(settings) == [("first", "One."), ("second", "Two.")]
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        state = builder.compile(checkpointer=saver).get_state({"configurable": _thread()})
    for name, value in keep_usable(state.values).items():
        if name in values and name != "messages":
            assert value == state.values[name]
    assert [message.type for message in state.values["messages"]][-2:] == ["human", "ai"]


def test_a_state_from_which_two_nodes_follow_is_left_at_the_next_message(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant("One.", "Two.")
    assistant.ask("first", THREAD)
    put_in(settings, HumanMessage("put in"))
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        graph.update_state({"configurable": _thread()}, {"messages": [HumanMessage("again")]}, as_node="__input__")
        assert graph.get_state({"configurable": _thread()}).next == ("__start__", "reason")
    assert assistant.finish(THREAD) is None
    assert assistant.ask("second", THREAD).answer == "Two."


def test_writes_that_could_not_be_applied_leave_a_thread_that_goes_on(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant("One.", "Two.")
    assistant.ask("first", THREAD)
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        newest = builder.compile(checkpointer=saver).get_state({"configurable": _thread()}).config
        writes = [
            ("turn", {"id": "x"}),
            ("turn", 5),
            ("messages", 5),
            ("replies", 5),
            ("summary", "a"),
            ("summary", "b"),
        ]
        saver.put_writes(newest, writes, "00000000-0000-0000-0000-000000000000")
    assert assistant.ask("second", THREAD).answer == "Two."
    assert told(settings) == [("first", "One."), ("second", "Two.")]


@pytest.mark.parametrize(
    ("new", "left"),
    [
        ([{"role": "user", "content": "c"}], ["a", "b", "c"]),
        ("c", ["a", "b", "c"]),
        (5, ["a", "b"]),
        ([None, {"role": "user"}, "c"], ["a", "b", "c"]),
        ([RemoveMessage("nowhere"), RemoveMessage("1")], ["b"]),
        ([HumanMessage("c", id="3"), RemoveMessage("3")], ["a", "b"]),
        ([RemoveMessage("__remove_all__"), RemoveMessage("1"), "c"], ["c"]),
        (["c", RemoveMessage("__remove_all__")], []),
    ],
)
def test_whatever_is_written_messages_are_left(new: Any, left: list[str]) -> None:
    known: Any = [HumanMessage("a", id="1"), RemoveMessage("1"), {"role": "user"}, AIMessage("b", id="2")]
    merged = merge_messages(known, new)
    assert [message.content for message in merged] == left
    assert merge_messages(merged, []) == merged


def test_what_one_field_may_hold_another_may_not() -> None:
    shared: Any = {}
    assert keep_usable({"messages": [], "replies": shared})["replies"] == {}
    assert keep_usable({"messages": [], "turn": shared})["turn"] is None
