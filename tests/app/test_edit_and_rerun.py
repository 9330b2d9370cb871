"""A message is edited and run again from a checkpoint, by every client: what it orders is asked again, and written."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.client import SyncLangGraphClient

from ana.handles import open_data
from ana.settings import Settings
from ana.workspace import open_workspace
from tests.app.conftest import say, texts
from tests.openai_stub import Said, Stub

ADVISE: Any = {"autonomy": "advise"}
APPROVE = {"decisions": [{"type": "approve"}]}
DONE = Said("See your list.")

Edit = Callable[[str], Any]
"""Edits the first message of a thread and runs it again; returns what the run ends with."""


def keep(content: str) -> Said:
    return Said(calls=[("create_item", {"content": content})])


def check(
    client: SyncLangGraphClient, stub: Stub, settings: Settings, thread: str, edit: Edit, *, content: str
) -> None:
    """Have an order carried out, edit it, and see that the other one is asked, carried out, and told in its place."""
    stub.script = [keep(f"{content} of oak"), DONE]
    client.runs.wait(thread, "ana", input=say("Keep oak"), context=ADVISE)
    client.runs.wait(thread, "ana", command={"resume": APPROVE}, context=ADVISE)
    assert stored(settings, content) == [f"{content} of oak"]
    stub.script = [keep(f"{content} of elm"), DONE]
    (interrupt,) = edit(thread)["__interrupt__"]
    value = interrupt["value"] if isinstance(interrupt, dict) else interrupt.value
    assert value["action_requests"][0]["args"]["content"] == f"{content} of elm"
    assert stored(settings, content) == [f"{content} of oak"]
    client.runs.wait(thread, "ana", command={"resume": APPROVE}, context=ADVISE)
    assert stored(settings, content) == [f"{content} of elm", f"{content} of oak"]
    assert texts(client, thread) == ["Keep elm", "See your list."]


def stored(settings: Settings, content: str) -> list[str]:
    with open_data(open_workspace(settings), "a test") as handles:
        return sorted(item.content for item in handles.memory.items() if item.content.startswith(content))


def find_asked(client: SyncLangGraphClient, thread: str) -> Any:
    """Return the state in which the first message has just come."""
    return next(s for s in client.threads.get_history(thread, limit=100) if s["next"] == ["load_context"])


def edited(state: Any) -> dict[str, Any]:
    (message,) = state["values"]["messages"]
    return {"messages": [message | {"content": "Keep elm"}]}


@pytest.mark.dev_server
def test_studio_edits_a_state_and_goes_on_from_there(
    client: SyncLangGraphClient, stub: Stub, server_settings: Settings, thread: str
) -> None:
    def edit(thread: str) -> Any:
        state = find_asked(client, thread)
        place = {name: state["checkpoint"][name] for name in ("checkpoint_id", "checkpoint_ns", "thread_id")}
        body = {"values": edited(state), "as_node": "__start__", "checkpoint": place}
        at = client.http.post(f"/threads/{thread}/state", json=body)["checkpoint"]
        parts = client.runs.stream(
            thread, "ana", input=None, checkpoint=at, context=ADVISE, stream_mode=["values", "debug"]
        )
        return [part.data for part in parts if part.event == "values"][-1]

    check(client, stub, server_settings, thread, edit, content="A table")


def test_agent_chat_ui_sends_the_edited_message_from_the_checkpoint_before(
    client: SyncLangGraphClient, stub: Stub, server_settings: Settings, thread: str
) -> None:
    def edit(thread: str) -> Any:
        state = find_asked(client, thread)
        options: Any = {"checkpoint": state["parent_checkpoint"], "stream_mode": ["values"], "stream_subgraphs": True}
        parts = client.runs.stream(thread, "ana", input=edited(state), context=ADVISE, **options)
        return [part.data for part in parts if part.event.startswith("values")][-1]

    check(client, stub, server_settings, thread, edit, content="A chair")


@pytest.mark.parametrize("way", ["a run from a checkpoint", "update_state"])
def test_remote_graph_runs_an_edited_message(
    client: SyncLangGraphClient, stub: Stub, server_settings: Settings, thread: str, way: str
) -> None:
    graph = RemoteGraph("ana", sync_client=client)

    def edit(thread: str) -> Any:
        states: Any = graph.get_state_history({"configurable": {"thread_id": thread}}, limit=100)
        state = next(each for each in states if each.next == ("load_context",))
        (message,) = state.values["messages"]
        changed = {"messages": [message | {"content": "Keep elm"}]}
        if way == "update_state":
            at, given = graph.update_state(state.config, changed, as_node="__start__"), None
        else:
            at, given = state.parent_config, changed
        # of a config it sends no checkpoint with a run
        return graph.invoke(given, at, context=ADVISE, checkpoint=at["configurable"])

    check(client, stub, server_settings, thread, edit, content=f"A shelf by {way}")
