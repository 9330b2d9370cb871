"""Any graph with our state waits for a reply, several requests at once included, and forgets those passed over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ana.handles import open_handles
from ana.models.scripted import ScriptedModel
from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.threads.saver import TURNS
from ana.workspace import open_workspace
from app.outcome import Waiting
from app.turn import Assistant
from graph.context import Context
from graph.recording import Recorded
from graph.state import Input, Output, State
from nodes.load_context import load_context
from nodes.reflect import reflect
from tests.conftest import THREAD


def ask_size(state: State) -> dict[str, Any]:
    """Asks, where the message says so."""
    return {"summary": f"size {interrupt('Which size?')}"} if "ask" in state["messages"][-1].text else {}


def ask_colour(state: State) -> dict[str, Any]:
    """Asks at the same time."""
    return (
        {"draft": f"colour {interrupt('Which colour?')}"} if "ask" in state["messages"][-1].text else {"draft": "No."}
    )


def answer(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    return reflect({**state, "draft": f"{state['summary']} {state['draft']}".strip()}, runtime)


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
builder.add_node("load_context", Recorded("load_context", load_context))
builder.add_node("ask_size", ask_size)
builder.add_node("ask_colour", ask_colour)
builder.add_node("reflect", Recorded("reflect", answer))
builder.add_edge(START, "load_context")
for asks in ("ask_size", "ask_colour"):
    builder.add_edge("load_context", asks)
builder.add_edge(["ask_size", "ask_colour"], "reflect")


@pytest.fixture
def assistant(settings: Settings, tmp_path: Path) -> Iterator[Assistant]:
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=[]))
    with FolderThreadStore(tmp_path / "threads").open_saver() as saver:
        yield Assistant(handles, builder.compile(checkpointer=saver))
    handles.memory.close()


def waiting(outcome: Any) -> Waiting:
    assert isinstance(outcome, Waiting)
    return outcome


def test_several_requests_at_once_are_replied_to_by_their_ids(assistant: Assistant) -> None:
    first = waiting(assistant.ask("ask", THREAD))
    assert first.request["value"] == "Which size?"
    second = waiting(assistant.resume(THREAD, "small", first.request_id))
    assert second.request["value"] == "Which colour?"
    assert (second.turn_id, second.request_id == first.request_id) == (first.turn_id, False)
    assert assistant.resume(THREAD, "red", second.request_id).answer == "size small colour red"


def test_replies_leave_the_state_with_the_next_turn(assistant: Assistant) -> None:
    first = waiting(assistant.ask("ask", THREAD))
    second = waiting(assistant.resume(THREAD, "small", first.request_id))
    assistant.resume(THREAD, "red", second.request_id)
    graph, config = assistant._graph, RunnableConfig(configurable={"thread_id": THREAD})
    assert sorted(graph.get_state(config).values["replies"].values()) == ["red", "small"]
    assistant.ask("hello", THREAD)
    assert graph.get_state(config).values["replies"] == {}


def test_a_request_that_was_passed_over_is_pruned_like_any_other(assistant: Assistant) -> None:
    for _ in range(3):
        assistant.ask("ask", THREAD)
    for _ in range(TURNS + 1):
        assistant.ask("hello", THREAD)
    graph, config = assistant._graph, RunnableConfig(configurable={"thread_id": THREAD})
    kept = list(graph.get_state_history(config))
    assert sum(step.metadata is not None and step.metadata["source"] == "input" for step in kept) == TURNS
    assert not any(step.interrupts for step in kept)
