"""States that clients write: one that no turn could go on from is refused with what is wrong, and nothing is done."""

import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from evals.load.server import Server
from tests.app.conftest import say, texts

pytestmark = pytest.mark.own_server

GOOD = {"messages": [{"role": "user", "content": "put in", "id": "put-in"}]}


@pytest.fixture
def answered(client: SyncLangGraphClient, thread: str) -> str:
    """A thread of one turn."""
    client.runs.wait(thread, "ana", input=say("hello"))
    return thread


def refuse(server: Server, method: str, path: str, body: Any) -> str:
    headers = {"accept": "application/json, text/event-stream"}
    reply = httpx.request(method, f"{server.url}{path}", json=body, headers=headers, timeout=30)
    assert reply.status_code == 422, reply.text
    told: str = reply.json()["detail"]
    assert "\n" not in told
    assert told.endswith(".")
    return told


EDITS: list[tuple[Any, str]] = [
    ({"turn": {"question": None}}, "An edit can write messages only, not 'turn'."),
    ({"messages": [], "draft": "x"}, "An edit can write messages only, not 'draft'."),
    ({"loaded": {}}, "An edit can write messages only, not 'loaded'."),
    ({"messages": {"__overwrite__": 5}}, "Messages cannot be overwritten"),
    ({"messages": 5}, "Unsupported message type"),
    ({"messages": [{"role": "user"}]}, "Message dict must contain"),
    ({"messages": [{"role": "user", "content": 5}]}, "content.str: Input should be a valid string"),
    ({"messages": [{"role": "function", "name": "f", "content": "x"}]}, "Messages of the type 'function'"),
    (5, "The input is not an object"),
    ([{}], "The input is not an object"),
    ([[GOOD, "reflect"]], "The input is not an object"),
]


def test_an_edit_that_leaves_a_state_unusable_is_refused(
    client: SyncLangGraphClient, server: Server, answered: str
) -> None:
    for values, why in EDITS:
        for node in ("reflect", "__copy__"):
            assert why in refuse(server, "POST", f"/threads/{answered}/state", {"values": values, "as_node": node})
    assert texts(client, answered) == ["hello", "Hello there."]
    client.runs.wait(answered, "ana", input=say("and now?"))
    assert texts(client, answered)[2:] == ["and now?", "Hello there."]
    assert answered in [row["thread_id"] for row in client.threads.search(limit=1000)]


def test_what_front_ends_edit_is_kept(client: SyncLangGraphClient, answered: str) -> None:
    values: Any = client.threads.get_state(answered)["values"]
    client.threads.update_state(answered, {"messages": values["messages"]}, as_node="reflect")
    assert texts(client, answered) == ["hello", "Hello there."]
    question, _ = values["messages"]
    changed = [question | {"content": "hello, edited"}, {"type": "remove", "id": "not there", "content": ""}]
    client.threads.update_state(answered, {"messages": changed}, as_node="load_context")
    client.threads.update_state(answered, {"messages": {"role": "user", "content": "one more"}})
    assert texts(client, answered) == ["hello, edited", "Hello there.", "one more"]
    client.threads.update_state(answered, {"messages": [{"type": "remove", "id": "__remove_all__", "content": ""}]})
    assert texts(client, answered) == []
    client.runs.wait(answered, "ana", input=say("from the start"))
    assert texts(client, answered) == ["from the start", "Hello there."]


def test_a_client_may_send_the_whole_state_back_to_answer_a_message_again(
    client: SyncLangGraphClient, server: Server, answered: str
) -> None:
    """As @ag-ui/langgraph does, with fields of its own."""
    client.runs.wait(answered, "ana", input=say("and now?"))
    history: Any = client.threads.get_history(answered, limit=100)
    (place,) = [each for each in history if len(each["values"]["messages"]) == 2 and each["next"] == ["__start__"]]
    own: Any = {"tools": [], "ag-ui": {"context": []}, "copilotkit": {"actions": []}}
    whole = {**place["values"], **own, "messages": []}
    id, turn = place["checkpoint"]["checkpoint_id"], whole["turn"]
    body = {"values": {**whole, "turn": {**turn, "answer": "another"}}, "checkpoint_id": id, "as_node": "__start__"}
    assert "not 'turn'" in refuse(server, "POST", f"/threads/{answered}/state", body)
    fork: Any = client.threads.update_state(answered, whole, checkpoint_id=id, as_node="__start__")
    again = {**whole, **say("and then?")}
    client.runs.wait(answered, "ana", input=again, checkpoint_id=fork["checkpoint"]["checkpoint_id"])
    assert texts(client, answered) == ["hello", "Hello there.", "and then?", "Hello there."]


RUNS: list[tuple[Any, str]] = [
    ({"command": {"update": {"turn": None}}}, "A command can update messages only"),
    ({"command": {"update": [["turn", None]]}}, "A command can update messages only"),
    ({"command": {"update": {"branch:to:approve": "x"}}}, "A command can update messages only"),
    ({"command": {"update": {"messages": [{}]}}}, "The messages cannot be read"),
    ({"command": {"update": 5}}, "The update of a command is not an object"),
    ({"command": {"goto": "execute_tools"}}, "A run is sent to no node"),
    ({"command": {"goto": [{"node": "reason", "input": {"turn": None}}]}}, "A run is sent to no node"),
    ({"command": {"update": {}}}, "The command says nothing"),
    ({"input": {"messages": {"__overwrite__": 5}}}, "Messages cannot be overwritten"),
    ({"input": {"messages": None}}, "The messages cannot be read"),
    ({"input": [1]}, "The input is not an object"),
    ({"input": say("x"), "config": {"thread_id": str(uuid.uuid4())}}, "The config has no field 'thread_id'"),
    ({"input": say("x"), "config": {"tags": 5}}, "The tags of the config is 5"),
    ({"input": say("x"), "config": {"metadata": [1]}}, "The metadata of the config is [1]"),
    ({"input": "hello"}, "The input is not an object. Send "),
    ({"input": {"messages": [{"role": "robot", "content": "x"}]}}, "The messages cannot be read: "),
    ({"input": say("x"), "context": {"colour": 1}}, "The context has no field 'colour'. Its fields: "),
    ({"input": say("x"), "context": {"max_steps": "5"}}, "max_steps is '5'. How often the model may be called"),
    ({"input": say("x"), "context": {"max_steps": 101}}, "max_steps is 101. How often the model may be called"),
    ({"input": say("x"), "context": {"max_steps": True}}, "max_steps is True. How often the model may be called"),
    ({"input": say("x"), "config": {"configurable": {"max_steps": 101}}}, "max_steps is 101. How often the model may"),
    ({"input": say("x"), "config": {"recursion_limit": -1}}, "The recursion_limit of the config is -1"),
]


def test_a_run_writes_to_its_thread_what_nodes_can_use(
    client: SyncLangGraphClient, server: Server, answered: str
) -> None:
    for asked, why in RUNS:
        assert why in refuse(server, "POST", f"/threads/{answered}/runs/wait", {"assistant_id": "ana"} | asked)
    assert texts(client, answered) == ["hello", "Hello there."]


def test_a_command_may_bring_messages_and_end(client: SyncLangGraphClient, answered: str) -> None:
    client.runs.wait(answered, "ana", command={"update": GOOD, "goto": "__end__"})
    assert texts(client, answered) == ["hello", "Hello there.", "put in"]
    client.runs.wait(answered, "ana", input=say("and now?"))
    assert texts(client, answered)[3:] == ["and now?", "Hello there."]


def test_langgraph_is_answered_for_what_it_refuses(server: Server, answered: str, server_log: Path) -> None:
    before = server_log.stat().st_size
    path = f"/threads/{answered}/state"
    assert "Node nowhere does not exist" in refuse(server, "POST", path, {"values": GOOD, "as_node": "nowhere"})
    for place in (["x"], {"x": 1}):
        assert refuse(server, "POST", path, {"values": GOOD, "checkpoint_id": place})
    history, search = f"/threads/{answered}/history", {"before": {"configurable": {"checkpoint_id": ["x"]}}}
    assert "cannot be looked for" in refuse(server, "POST", history, search)
    found = httpx.post(f"{server.url}{history}", json={"metadata": {".": 1}}, timeout=30)
    assert found.json() == [], "a key is no path"
    assert "Traceback" not in server_log.read_text()[before:]


def test_a_webhook_that_nobody_would_call_is_refused(server: Server, answered: str) -> None:
    asked = {"assistant_id": "ana", "input": GOOD, "webhook": "https://example.com/told"}
    for path in ("/runs", "/runs/wait", f"/threads/{answered}/runs", f"/threads/{answered}/runs/stream"):
        assert refuse(server, "POST", path, asked).startswith("Webhooks are switched off")


def test_a_body_that_is_too_deep_is_refused_everywhere(server: Server, answered: str) -> None:
    deep: Any = 1
    for _ in range(250):
        deep = [deep]
    for method, path in (("PATCH", f"/threads/{answered}"), ("POST", "/threads"), ("POST", "/ask")):
        reply = httpx.request(method, f"{server.url}{path}", json={"metadata": {"x": deep}})
        assert reply.status_code == 422
        assert reply.json()["error"].startswith("The body is not JSON, or nested too deep: recursion")


def test_agent_inbox_ends_what_waits_by_an_edit_of_nothing(client: SyncLangGraphClient, answered: str) -> None:
    client.threads.update_state(answered, say("put in"), as_node="load_context")
    assert client.threads.get_state(answered)["next"]
    client.threads.update_state(answered, None, as_node="__end__")
    assert not client.threads.get_state(answered)["next"]
    client.runs.wait(answered, "ana", input=say("and now?"))
    assert texts(client, answered)[-2:] == ["and now?", "Hello there."]


def test_a_thread_is_created_without_states(server: Server) -> None:
    body = {"supersteps": [{"updates": [{"values": GOOD, "as_node": "load_context"}]}]}
    assert "supersteps" in refuse(server, "POST", "/threads", body)
