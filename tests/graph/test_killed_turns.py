"""A process that dies before any write of a turn: the next one says what became of it, and repeats nothing."""

import threading
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from ana.backends.in_memory import InMemoryBackend
from ana.handles import open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.tables import SqliteTables
from ana.threads.saver import ThreadSaver
from ana.threads.states import create_tables
from ana.tracing.files import TraceFiles
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from app.outcome import CutShort, Outcome, Waiting
from app.turn import Assistant
from graph.builder import builder
from graph.state import Input
from nodes.receipt import strip_receipt
from tests.conftest import EMBEDDER, THREAD
from tests.sent import typed

APPROVE = {"decisions": [{"type": "approve"}]}
NEVER = 10_000


class Killed(BaseException):
    """Stands for the end of the process."""


class Life:
    """Counts what is written, and ends before one of the writes; then nothing is written any more."""

    def __init__(self, end: int) -> None:
        self.count = 0
        self._end = end
        self._counting = threading.Lock()

    def write(self, act: Callable[[], Any]) -> Any:
        with self._counting:
            self.count += 1
            if self.count >= self._end:
                raise Killed
            return act()


class MortalSaver(ThreadSaver):
    life: Life

    def put(self, *given: Any) -> Any:
        return self.life.write(lambda: ThreadSaver.put(self, *given))

    def put_writes(self, *given: Any) -> None:
        self.life.write(lambda: ThreadSaver.put_writes(self, *given))


class MortalTraces(TraceFiles):
    life: Life

    def write(self, *records: Record) -> None:
        self.life.write(lambda: TraceFiles.write(self, *records))


def decide(messages: list[BaseMessage]) -> AIMessage:
    """Answers by what it is sent, so that it says the same after a crash."""
    if isinstance(messages[-1], ToolMessage):
        return AIMessage("Stored.")
    asked = typed(messages[-1].text)
    return calls(("create_item", {"content": "Buy milk"})) if "milk" in asked else AIMessage("Hello.")


class House:
    """The files of a person, in which one process after the other lives."""

    def __init__(self, settings: Settings, path: Path) -> None:
        there = settings.model_copy(update={"traces_dir": path.with_suffix(".traces")})
        self._handles = open_handles(
            open_workspace(there), model=ScriptedModel(replies=[]), backend=InMemoryBackend(EMBEDDER)
        )
        self._settings, self._path = there, path

    def live(self, act: Callable[[Assistant], object], end: int = NEVER) -> int:
        """Let a process do something until it would write for this time; return how often it did."""
        life, traces = Life(end), MortalTraces(self._settings.traces_dir)
        model = ScriptedModel(replies=[decide] * 20)
        with SqliteTables(self._path, create_tables, nullcontext).keep_open() as tables:
            saver = MortalSaver(tables)
            saver.life = traces.life = life
            assistant = Assistant(
                replace(self._handles, model=model, traces=traces), builder.compile(checkpointer=saver)
            )
            assistant.autonomy = "advise"
            with suppress(Killed):
                act(assistant)
        return life.count

    def items(self) -> list[str]:
        return [item.content for item in self._handles.memory.items()]

    def answers(self) -> list[str]:
        """Return the answers that the thread holds."""
        found: list[str] = []
        self.live(lambda assistant: found.extend(answers(assistant)))
        return found

    def told(self) -> list[tuple[str, str, int]]:
        records = TraceFiles(self._settings.traces_dir).read(THREAD)
        return [(record["question"], record["answer"], len(record["changes"])) for record in records]


def read(assistant: Assistant) -> list[AnyMessage]:
    messages = assistant._graph.get_state({"configurable": {"thread_id": THREAD}}).values.get("messages", [])
    return [*messages]


def questions(assistant: Assistant) -> list[str]:
    return [message.text for message in read(assistant) if message.type == "human"]


def answers(assistant: Assistant) -> list[str]:
    said = (message for message in read(assistant) if isinstance(message, AIMessage) and not message.tool_calls)
    return [strip_receipt(message.text) for message in said]


def approve(assistant: Assistant) -> None:
    """What a person does who wants milk, whatever they find."""
    found: Outcome | None = assistant.find_open_turn(THREAD)
    if isinstance(found, CutShort):
        found = assistant.finish(THREAD)
    elif not questions(assistant):
        found = assistant.ask("I need milk", THREAD)
    if isinstance(found, Waiting):
        assistant.resume(THREAD, APPROVE, found.request_id)


def pass_over(assistant: Assistant) -> None:
    """What a person does who asks for milk, and then changes their mind."""
    if isinstance(assistant.find_open_turn(THREAD), CutShort):
        assistant.finish(THREAD)
    for text in ("I need milk", "hello"):
        while text not in questions(assistant):  # the first one is not carried out while a request waits
            assistant.ask(text, THREAD)


def be_interrupted(assistant: Assistant) -> None:
    """What a person does who asks for milk, and presses Ctrl-C when it is stored."""
    assistant.autonomy = "act"
    if isinstance(assistant.find_open_turn(THREAD), CutShort):
        assistant.finish(THREAD)
    elif not questions(assistant):
        with suppress(KeyboardInterrupt):
            assistant.ask("I need milk", THREAD, on_event=press_ctrl_c)


def press_ctrl_c(event: dict[str, Any]) -> None:
    if "draft" in event:
        raise KeyboardInterrupt


NOT_APPROVED = "Not done: nobody approved it, and a new message came."
ENDS: list[tuple[Callable[[Assistant], None], list[str], set[tuple[tuple[str, str, int], ...]]]] = [
    (approve, ["Buy milk"], {(("I need milk", "Stored.", 1),)}),
    (pass_over, [], {(("I need milk", NOT_APPROVED, 0), ("hello", "Hello.", 0))}),
    # whoever is cut short while the turn is stopped goes on with it
    (be_interrupted, ["Buy milk"], {(("I need milk", "Stopped.", 1),), (("I need milk", "Stored.", 1),)}),
]


@pytest.mark.parametrize(("act", "items", "ends"), ENDS, ids=["approved", "passed over", "stopped"])
def test_a_kill_at_any_write_loses_nothing_and_does_nothing_twice(
    settings: Settings,
    tmp_path: Path,
    act: Callable[[Assistant], None],
    items: list[str],
    ends: set[tuple[tuple[str, str, int], ...]],
) -> None:
    writes = House(settings, tmp_path / "whole").live(act)
    assert writes > 5
    for end in range(1, writes + 1):
        house = House(settings, tmp_path / str(end))
        assert house.live(act, end) >= end
        house.live(act)
        assert (end, house.items()) == (end, items)
        assert tuple(house.told()) in ends, end
        assert house.answers() == [answer for _, answer, _ in house.told()], end
        house.live(lambda assistant: assistant.ask("hello", THREAD))
        assert house.told()[-1] == ("hello", "Hello.", 0)


def test_a_turn_that_was_cut_short_ends_before_the_message_that_comes_next(settings: Settings, tmp_path: Path) -> None:
    """Whoever looks for such a turn, and then asks, leaves a moment between the two in which another may be killed."""

    def begin(assistant: Assistant) -> None:
        assistant.autonomy = "act"
        assistant.ask("I need milk", THREAD)

    def go_on(assistant: Assistant) -> None:
        assistant.autonomy = "act"
        assistant.ask("hello", THREAD)

    for end in range(2, House(settings, tmp_path / "whole").live(begin) + 1):
        house = House(settings, tmp_path / str(end))
        house.live(begin, end)
        house.live(go_on)
        assert (end, house.answers()) == (end, ["Stored.", "Hello."])
        assert (end, house.items()) == (end, ["Buy milk"])
        assert (end, house.told()) == (end, [("I need milk", "Stored.", 1), ("hello", "Hello.", 0)])


def test_a_run_that_was_stopped_before_its_message_was_in_the_thread_is_left(
    settings: Settings, tmp_path: Path
) -> None:
    house, run = House(settings, tmp_path / "threads"), str(uuid.uuid4())

    def begin(assistant: Assistant) -> None:
        config = RunnableConfig(configurable={"thread_id": THREAD, "run_id": run}, metadata={"run_id": run})
        assistant._graph.invoke(Input(messages=[HumanMessage("I need milk")]), config)

    def come_back(assistant: Assistant) -> None:
        assert assistant.find_open_turn(THREAD) == CutShort(THREAD, "I need milk")
        saver = assistant._graph.checkpointer
        assert isinstance(saver, ThreadSaver)
        saver.mark_stopped(run)
        assert assistant.finish(THREAD) is None
        assistant.ask("hello", THREAD)

    house.live(begin, 2)
    house.live(come_back)
    assert house.told() == [("hello", "Hello.", 0)]
    assert house.items() == []
