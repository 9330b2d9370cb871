"""A turn that ends without an answer of a model: it says what it did, in the thread and in its record."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from ana.errors import StoreBroken
from ana.handles import Handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.tracing.files import TraceFiles
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from app.outcome import CutShort
from app.turn import Assistant
from graph.builder import builder
from graph.context import LocalContext
from graph.state import Input
from nodes.receipt import strip_receipt
from tests.conftest import THREAD, MakeAssistant
from tests.others import let_others_speak

MILK = ("create_item", {"content": "Buy milk"})


def stop(_: list[BaseMessage]) -> AIMessage:
    raise KeyboardInterrupt


class Client:
    """A front end, which just sends its message, whatever has become of the last one."""

    def __init__(self, settings: Settings, handles: Handles) -> None:
        self._settings, self._handles = settings, handles

    def say(self, text: str) -> list[str]:
        """Return the texts of the thread after a message."""
        with open_workspace(self._settings).open_thread_store().open_saver() as saver:
            graph: Any = builder.compile(checkpointer=saver)
            config = RunnableConfig(configurable={"thread_id": THREAD})
            context, given = LocalContext(opened=self._handles), Input(messages=[HumanMessage(text)])
            values = graph.invoke(given, config, context=context, durability="sync")
            return [message.text for message in values["messages"] if message.text and message.type in ("human", "ai")]


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(replies=[])


@pytest.fixture
def handles(make_assistant: MakeAssistant, model: ScriptedModel) -> Handles:
    return replace(make_assistant("x").handles, model=model)


@pytest.fixture
def client(settings: Settings, handles: Handles) -> Client:
    return Client(settings, handles)


def records(settings: Settings) -> list[Record]:
    return TraceFiles(settings.traces_dir).read(THREAD)


def written(record: Record) -> list[str]:
    return [change["after"]["content"] for change in record["changes"] if change["after"]]


def test_a_turn_that_was_cut_short_is_told_when_a_client_sends_the_next_message(
    client: Client, model: ScriptedModel, settings: Settings
) -> None:
    model.replies = [calls(MILK), stop, "Hello."]
    with pytest.raises(KeyboardInterrupt):
        client.say("I need milk")
    said = client.say("hello")
    assert said[1].startswith("Not finished: a new message came before the answer.")
    assert "Stored: “Buy milk”" in said[1]
    assert (said[0], *said[2:]) == ("I need milk", "hello", "Hello.\n\n---\nno changes")
    first, second = records(settings)
    assert (first["question"], written(first)) == ("I need milk", ["Buy milk"])
    assert first["error"] == "Not finished: a new message came before the answer."
    assert second["previous"] == first["id"]


def test_what_a_turn_stored_before_it_asked_is_in_its_record(
    client: Client, model: ScriptedModel, handles: Handles, settings: Settings
) -> None:
    let_others_speak(handles.memory)
    passport = handles.memory.create("Passport", {}).id
    model.replies = [calls(MILK), calls(("delete_item", {"id": passport})), "Hello."]
    client.say("I need milk and chairs")
    said = client.say("never mind")
    assert said[1].startswith("Not done: nobody approved it, and a new message came.")
    assert "Stored: “Buy milk”" in said[1]
    first, _ = records(settings)
    assert written(first) == ["Buy milk"]
    assert "Stored: “Buy milk”" in first["receipt"]


@pytest.fixture
def watched(handles: Handles, settings: Settings, tmp_path: Path) -> Iterator[tuple[Assistant, list[object]]]:
    """An assistant, and what its thread was whenever a record was written."""
    seen: list[object] = []

    class WatchedTraces(TraceFiles):
        def write(self, *records: Record) -> None:
            seen.append(assistant.find_open_turn(THREAD))
            super().write(*records)

    with FolderThreadStore(tmp_path / "threads").open_saver() as saver:
        kept = replace(handles, traces=WatchedTraces(settings.traces_dir))
        assistant = Assistant(kept, builder.compile(checkpointer=saver))
        yield assistant, seen


def test_the_record_of_a_turn_that_is_stopped_is_written_before_its_end(
    watched: tuple[Assistant, list[object]], model: ScriptedModel
) -> None:
    """A kill in between leaves a turn that is open, and no turn without a record."""
    assistant, seen = watched
    model.replies = [calls(MILK), stop]
    with pytest.raises(KeyboardInterrupt):
        assistant.ask("I need milk", THREAD)
    assert seen == [CutShort(THREAD, "I need milk")]
    assert assistant.find_open_turn(THREAD) is None


@pytest.mark.parametrize("step", [-1, 0, 1, 2])
def test_a_turn_that_could_not_be_saved_ends_with_all_that_was_said(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Whatever is lost, no answer stands in the thread without the message that it answers."""
    assistant = make_assistant("Hello.", *["Hello again."] * 3)
    assistant.ask("good morning", THREAD)
    saver: Any = assistant._graph.checkpointer
    before, put = _count_steps(saver), saver.put

    def lose(config: Any, checkpoint: Any, metadata: Any, versions: Any) -> Any:
        if metadata["step"] == before + 2 + step:
            monkeypatch.undo()
            raise StoreBroken("The database cannot be used.", "Try again.")
        return put(config, checkpoint, metadata, versions)

    monkeypatch.setattr(saver, "put", lose)
    with pytest.raises(StoreBroken):
        assistant.ask("and good evening", THREAD)
    assistant.finish(THREAD)
    said = [(m.type, strip_receipt(m.text)) for m in assistant._read(THREAD).values["messages"] if m.text]
    assert said[:2] == [("human", "good morning"), ("ai", "Hello.")]
    assert said[2:] in ([], [("human", "and good evening"), ("ai", "The database cannot be used.")])
    assistant.ask("still there?", THREAD)
    assert [m.text for m in assistant._read(THREAD).values["messages"] if m.type == "human"][-1] == "still there?"


def _count_steps(saver: Any) -> int:
    return int(saver.get_tuple({"configurable": {"thread_id": THREAD}}).metadata["step"])
