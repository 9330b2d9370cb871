"""A state that is gone on from again is a new act, and a decision at one is to what was shown there alone."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from ana.models.scripted import calls
from ana.settings import Settings
from ana.workspace import open_workspace
from graph.builder import builder
from graph.context import LocalContext
from tests.app.doors import ORDER, THINGS, Desk, killed_after_writing
from tests.conftest import THREAD, script_of

APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
EGGS = calls(("create_item", {"content": "Buy eggs"}))


class Client:
    """What a front end of the server does with a thread, each time in a run of its own."""

    def __init__(self, desk: Desk, graph: Any) -> None:
        self.desk, self._graph = desk, graph

    def run(self, given: Any = None, at: Any = None, run_id: uuid.UUID | None = None) -> Any:
        run_id = run_id or uuid.uuid4()
        where = at.config["configurable"] if at else {"thread_id": THREAD}
        config = {"configurable": where, "run_id": run_id, "metadata": {"run_id": str(run_id)}}
        context = LocalContext(opened=self.desk.handles)
        return self._graph.invoke(given, config, context=context, durability="sync")

    def say(self, text: str, run_id: uuid.UUID | None = None) -> Any:
        return self.run({"messages": [HumanMessage(text)]}, run_id=run_id)

    def find(self, node: str) -> Any:
        """Return the first state of the thread before a node."""
        history = self._graph.get_state_history({"configurable": {"thread_id": THREAD}})
        return [state for state in history if state.next == (node,)][-1]

    def throw_away_eggs(self) -> None:
        """Delete them by hand, so that an act which is taken for one that was done already shows."""
        for item in list(self.desk.handles.memory.items()):
            if item.content == "Buy eggs":
                self.desk.handles.memory.delete(item.id)

    def list_turns(self) -> list[str]:
        """Return the turn of each write that a conversation made."""
        return [entry.turn for entry in self.desk.handles.memory.history() if entry.thread]


@pytest.fixture
def client(desk: Desk, settings: Settings) -> Iterator[Client]:
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        yield Client(desk, builder.compile(checkpointer=saver))


@pytest.mark.parametrize("ended", [True, False])
def test_each_fork_of_a_state_is_a_new_act(ended: bool, client: Client) -> None:
    desk = client.desk
    two = calls(("delete_item", {"id": desk.passport}), ("delete_item", {"id": desk.milk}))
    script_of(desk.assistant).replies = [EGGS, "Stored." if ended else two, "Stored."]
    client.say("I need eggs")
    begun = client.find("execute_tools")
    for _ in range(3):
        client.throw_away_eggs()
        assert "Stored: “Buy eggs”" in client.run(at=begun)["messages"][-1].text
        assert "Buy eggs" in desk.contents
    assert len(client.list_turns()) == len({*client.list_turns()}) == 4


def test_a_fork_that_crashes_and_goes_on_is_one_act(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    script_of(client.desk.assistant).replies = [EGGS, "Stored."]
    client.say("I need eggs")
    begun = client.find("execute_tools")
    for _ in range(2):
        client.throw_away_eggs()
        with killed_after_writing(monkeypatch):
            client.run(at=begun)
        with killed_after_writing(monkeypatch):
            client.run()
        client.run()
    assert len(client.list_turns()) == len({*client.list_turns()}) == 3


def test_a_run_that_is_repeated_under_its_id_writes_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    script_of(client.desk.assistant).replies = [EGGS, "Stored.", EGGS, "Stored."]
    run = uuid.uuid4()
    with killed_after_writing(monkeypatch):
        client.say("I need eggs", run)
    assert "Stored: “Buy eggs”" in client.say("I need eggs", run)["messages"][-1].text
    assert len(client.list_turns()) == 1


def test_a_second_yes_does_nothing_and_one_at_an_earlier_state_is_asked_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = client.desk
    client.say(ORDER)
    asked, yes = client.find("approve"), {"decisions": [APPROVE, APPROVE]}
    client.run(Command(resume={"decisions": [REJECT, APPROVE]}))
    client.run(Command(resume=yes))
    assert desk.contents == ["Passport"]
    for _ in range(2):
        desk.handles.memory.create("Buy milk", {})
        [again] = client.run(Command(resume=yes), at=asked)["__interrupt__"]
        assert again.value["action_requests"][0]["description"].startswith("Deletes “Passport”.")
    with killed_after_writing(monkeypatch):
        client.run(Command(resume={"decisions": [APPROVE]}))
    client.run()
    assert "Passport" not in desk.contents
    assert [entry.change.op for entry in desk.handles.memory.history() if entry.thread].count("delete") == 2


def test_going_back_before_the_calls_asks_again(client: Client) -> None:
    client.say(ORDER)
    client.run(Command(resume={"decisions": [REJECT, REJECT]}))
    result = client.run(at=client.find("execute_tools"))
    assert result["__interrupt__"][0].value["action_requests"][0]["name"] == "delete_item"
    assert client.desk.contents == THINGS
