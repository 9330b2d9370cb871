"""A thread's newest state is the one saved last, whatever the clock of the machine said."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from ana.memory.memory import Memory
from ana.memory.undo import find_undoable, undo
from ana.models.scripted import calls
from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.threads.saver import TURNS
from ana.threads.store import ThreadStore
from ana.time.clock import Clock
from ana.tracing.files import TraceFiles
from app.outcome import expect_done
from app.turn import Assistant
from tests.clocks import MachineClock
from tests.conftest import THREAD, MakeAssistant, script_of
from tests.sent import typed
from tests.threads.conformance import ONE, builder, read, say
from tests.threads.conftest import connection_of

BACK_A_DAY = [{}, {"days": -1}, {"days": -1}]
A_YEAR_ON_AND_BACK = [{}, {"days": 365}, {}]


@pytest.fixture
def clock_of_machine(monkeypatch: pytest.MonkeyPatch) -> MachineClock:
    return MachineClock(monkeypatch)


def said(text: str) -> Any:
    return {"messages": [HumanMessage(text)]}


def thread(name: str, **more: str) -> Any:
    return {"configurable": {"thread_id": name, **more}}


def said_to(assistant: Assistant) -> list[str]:
    """Return the person's messages in the model's last call."""
    sent = script_of(assistant).seen[-1]
    return [typed(message.text) for message in sent if isinstance(message, HumanMessage)]


def create(content: str) -> AIMessage:
    return calls(("create_item", {"content": content}))


@pytest.fixture
def assistant(make_assistant: MakeAssistant, clock_of_machine: MachineClock) -> Assistant:
    script = [reply for n in range(3) for reply in (create(f"thing {n}"), f"Saved: thing {n}.")]
    handles = make_assistant(*script).handles
    clock = Clock(handles.clock.zone, clock_of_machine.now)
    return make_assistant(handles=replace(handles, clock=clock, memory=Memory(handles.memory.backend, clock)))


@pytest.mark.parametrize("shifts", [BACK_A_DAY, A_YEAR_ON_AND_BACK])
def test_turns_are_answered_and_taken_back_in_their_order_after_the_clock_was_set(
    assistant: Assistant, clock_of_machine: MachineClock, settings: Settings, shifts: list[dict[str, int]]
) -> None:
    for n, shift in enumerate(shifts):
        clock_of_machine.set(**shift)
        answer = expect_done(assistant.ask(f"store thing {n}", THREAD))
        assert answer.answer == f"Saved: thing {n}."
        assert [change["after"]["content"] for change in answer.changes] == [f"thing {n}"]
        assert said_to(assistant) == [f"store thing {each}" for each in range(n + 1)]
    records = TraceFiles(settings.traces_dir).read(THREAD)
    assert [record["question"] for record in records] == [f"store thing {n}" for n in range(3)]
    memory = assistant.handles.memory
    for record in reversed(records):
        assert undo(memory, find_undoable(memory)).turn == record["id"]
    assert memory.count() == 0


@pytest.mark.parametrize("shifts", [BACK_A_DAY, A_YEAR_ON_AND_BACK])
def test_both_savers_read_the_state_that_was_saved_last(
    store: ThreadStore, clock_of_machine: MachineClock, shifts: list[dict[str, int]]
) -> None:
    async def talk(question: str) -> tuple[str, list[int]]:
        async with store.open_server_saver() as saver:
            graph = builder.compile(checkpointer=saver)
            result = await graph.ainvoke(said(question), thread("one"), durability="sync")
            states = [state async for state in graph.aget_state_history(thread("one"))]
            return result["messages"][-1].text, [len(state.values.get("messages", [])) for state in states]

    for n, shift in enumerate(shifts):
        clock_of_machine.set(**shift)
        with store.open_saver() as saver:
            graph = builder.compile(checkpointer=saver)
            told = graph.invoke(said("here"), thread("one"), durability="sync")["messages"][-1].text
            assert told == "heard here"
            assert len(graph.get_state(thread("one")).values["messages"]) == 4 * n + 2
        answered, lengths = asyncio.run(talk("there"))
        assert answered == "heard there"
        assert lengths[0] == 4 * n + 4
        assert lengths == sorted(lengths, reverse=True)


def test_what_came_before_a_checkpoint_was_saved_before_it(store: ThreadStore, clock_of_machine: MachineClock) -> None:
    async def page(before: Any, limit: int) -> list[str]:
        async with store.open_server_saver() as saver:
            return [id_of(saved) async for saved in saver.alist(thread("one"), before=before, limit=limit)]

    def id_of(saved: Any) -> str:
        return str(saved.config["configurable"]["checkpoint_id"])

    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for shift in A_YEAR_ON_AND_BACK:
            clock_of_machine.set(**shift)
            graph.invoke(said("x"), thread("one"), durability="sync")
        saver.copy_thread("one", "copy")  # has checkpoints with the same ids
        every = [id_of(saved) for saved in saver.list(thread("one"))]
        assert len(every) == 9
        alone: Any = {"configurable": {"checkpoint_id": every[3]}}
        for before in (thread("one", checkpoint_id=every[3]), alone):
            assert [id_of(saved) for saved in saver.list(thread("one"), before=before, limit=3)] == every[4:7]
            assert asyncio.run(page(before, 3)) == every[4:7]
        assert [id_of(saved) for saved in saver.list(None, before=thread("one", checkpoint_id=every[7]))] == every[8:]
        inputs = saver.list(thread("one"), filter={"source": "input"}, limit=2)
        assert [id_of(saved) for saved in inputs] == [every[2], every[5]]


def test_pruning_keeps_the_turns_that_were_saved_last(store: ThreadStore, clock_of_machine: MachineClock) -> None:
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for shift in ({"days": 365}, {}):
            clock_of_machine.set(**shift)
            for _ in range(TURNS):
                graph.invoke(said("x"), thread("one"), durability="sync")
        lengths = [len(state.values["messages"]) for state in graph.get_state_history(thread("one")) if state.values]
    assert max(lengths) == 4 * TURNS
    assert min(lengths) == 2 * TURNS


def test_threads_are_listed_by_their_last_write(store: ThreadStore, clock_of_machine: MachineClock) -> None:
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for name, shift in (("first", {"days": 365}), ("second", {}), ("third", {"days": -1})):
            clock_of_machine.set(**shift)
            graph.invoke(said("x"), thread(name), durability="sync")
    assert store.ids() == ["third", "second", "first"]


@pytest.fixture
def older_file(tmp_path: Path) -> Path:
    """A file of a version that had no sequence: two threads, and a table of turns."""
    with closing(sqlite3.connect(tmp_path / "threads.sqlite", check_same_thread=False)) as connection:
        graph = builder.compile(checkpointer=SqliteSaver(connection))
        for name in ("first", "second", "second"):
            graph.invoke(said("x"), thread(name), durability="sync")
        connection.execute("CREATE TABLE turns (thread_id TEXT NOT NULL, checkpoint_id TEXT NOT NULL)")
    return tmp_path / "threads.sqlite"


def test_a_file_of_an_earlier_version_is_brought_over_in_its_order(older_file: Path) -> None:
    assert FolderThreadStore(older_file.parent).ids() == ["second", "first"]
    with closing(sqlite3.connect(older_file)) as db:
        before = db.execute("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY checkpoint_id").fetchall()
    for _ in range(2):  # opened again, it stays as it is
        with FolderThreadStore(older_file.parent).open_saver() as saver:
            saver.list_newest("first")  # whoever uses it first brings it over
            rows = connection_of(saver).execute(
                "SELECT thread_id, checkpoint_id, begins_turn FROM sequence ORDER BY seq"
            )
            entered = rows.fetchall()
    assert [row[:2] for row in entered] == before
    assert [row[2] for row in entered] == [1, 0, 0] * 3
    with FolderThreadStore(older_file.parent).open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        assert len(graph.invoke(said("y"), thread("first"))["messages"]) == 4
    assert FolderThreadStore(older_file.parent).ids() == ["first", "second"]


def test_a_checkpoint_that_was_not_saved_left_no_place_in_the_order(tmp_path: Path) -> None:
    with FolderThreadStore(tmp_path).open_saver() as saver:
        builder.compile(checkpointer=saver).invoke(said("x"), thread("one"), durability="sync")
        db = connection_of(saver)
        db.execute("INSERT INTO checkpoints (thread_id, checkpoint_id, metadata) VALUES ('one', 'ffff', '{}')")
        db.rollback()
        counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("checkpoints", "sequence")]
    assert counts == [(3,), (3,)]


def test_an_earlier_version_reads_what_was_saved_and_adds_to_it(tmp_path: Path) -> None:
    store = FolderThreadStore(tmp_path)
    for text in ("hello", "ask"):
        say(store, ONE, text)
    with closing(sqlite3.connect(tmp_path / "threads.sqlite", check_same_thread=False)) as connection:
        earlier = builder.compile(checkpointer=SqliteSaver(connection))
        told = earlier.invoke(Command(resume="yes"), thread(ONE), durability="sync")
    assert [message.text for message in told["messages"]] == ["hello", "heard hello", "ask", "yes"] == read(store, ONE)
    say(store, ONE, "and now?")
    assert (len(read(store, ONE)), store.waiting_since()) == (6, {})


def test_a_new_file_is_opened_while_another_process_creates_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(tmp_path / "threads.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("time.sleep", lambda _: other.execute("COMMIT"))
        assert FolderThreadStore(tmp_path).ids() == []
        assert not other.in_transaction, "it was waited for"
