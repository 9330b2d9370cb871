"""The ids of runs, and the lists of them."""

import asyncio
import threading
import uuid
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from ana.errors import StoreBroken
from ana.runs.local import LocalRuns
from ana.runs.port import Event, StartedRun
from ana.runs.queue import QueuedRuns
from app.server import beginning, stopping
from app.server.work import GraphWorker
from app.server.workspaces import OpenWorkspace
from graph.updates import LONGEST
from tests.app.server.conftest import Household, Running
from tests.waiting import wait_until


def begin(client: httpx.Client, thread: str, id: str | None) -> str:
    """Begin a run with a message of this id, and return the run's."""
    message = {"role": "user", "content": "what time is it?"} | ({"id": id} if id is not None else {})
    body: dict[str, Any] = {"assistant_id": "ana", "input": {"messages": [message]}, "if_not_exists": "create"}
    run = client.post(f"/threads/{thread}/runs", json=body)
    run.raise_for_status()
    client.get(f"/threads/{thread}/runs/{run.json()['run_id']}/join").raise_for_status()
    return str(run.json()["run_id"])


def list_message_ids(client: httpx.Client, thread: str) -> list[str]:
    messages = client.get(f"/threads/{thread}/state").json()["values"]["messages"]
    return [message["id"] for message in messages if message["type"] == "human"]


def test_the_id_of_a_run_follows_from_a_message_whose_id_is_no_uuid_of_ours(household: Household) -> None:
    thread, other = str(uuid.uuid4()), str(uuid.uuid4())
    ids = ["msg-1", "DO-NOT-RENDER-1", "5B0E2D2E-93A5-4B1E-8A5A-3D2F5AD0B001", "\u00fc\U0001f600"]
    with household.client("ben") as ben, household.client("anna") as anna:
        runs = [begin(ben, thread, id) for id in ids]
        assert list_message_ids(ben, thread) == ids, "the message keeps what its client called it"
        assert runs == [str(uuid.uuid5(uuid.UUID(thread), id)) for id in ids]
        assert begin(anna, thread, ids[0]) == runs[0] != begin(ben, other, ids[0])


def test_a_run_has_the_id_of_its_message_and_one_that_is_sent_again_another(household: Household) -> None:
    thread, id = str(uuid.uuid4()), str(uuid.uuid4())
    with household.client("ben") as ben:
        assert begin(ben, thread, id) == id
        assert begin(ben, thread, id) != id
        last = begin(ben, thread, None)
        assert list_message_ids(ben, thread)[-1] == last


def test_a_page_of_runs_that_cannot_be_is_refused_with_what_can(household: Household) -> None:
    thread = str(uuid.uuid4())
    with household.client("ben") as ben:
        begin(ben, thread, None)
        for query in ("offset=-1", "offset=x", "offset=", "offset=1e3", "offset=9999999999", "limit=0", "limit=x"):
            refused = ben.get(f"/threads/{thread}/runs?{query}")
            assert (refused.status_code, "Give a number from" in refused.text) == (422, True), query
        assert [len(ben.get(f"/threads/{thread}/runs?offset={n}").json()) for n in (0, 1, 1_000_000)] == [1, 0, 0]


SAID = {"messages": [{"role": "user", "content": "what time is it?"}]}


def test_a_checkpoint_that_a_client_names_sets_nothing_that_is_langgraphs_own(household: Household) -> None:
    names = ("__pregel_checkpointer", "__pregel_runtime", "__pregel_node_finished", "thread_id")
    checkpoint = dict.fromkeys(names, "x")
    body = {"assistant_id": "ana", "if_not_exists": "create", "input": SAID, "checkpoint": checkpoint}
    with household.client("ben") as ben:
        state = ben.post(f"/threads/{uuid.uuid4()}/runs/wait", json=body).json()
    assert "__error__" not in state
    assert [state["messages"][n]["type"] for n in (0, -1)] == ["human", "ai"]


@pytest.mark.parametrize("map", [5, "x", [""]])
def test_a_checkpoint_map_that_is_none_is_refused_before_anything_is_done(household: Household, map: object) -> None:
    body = {"assistant_id": "ana", "if_not_exists": "create", "input": SAID, "checkpoint": {"checkpoint_map": map}}
    with household.client("ben") as ben:
        thread = str(uuid.uuid4())
        refused = ben.post(f"/threads/{thread}/runs/wait", json=body)
        told = "The checkpoint_map is not an object. Take a checkpoint from the thread's history as it is."
        assert (refused.status_code, refused.json()["error"]) == (422, told)
        assert ben.get(f"/threads/{thread}").status_code == 404


def test_a_run_that_takes_all_the_steps_it_may_says_so(household: Household) -> None:
    body = {"assistant_id": "ana", "if_not_exists": "create", "input": SAID, "config": {"recursion_limit": 1}}
    with household.client("ben") as ben:
        state = ben.post(f"/threads/{uuid.uuid4()}/runs/wait", json=body).json()
    told = "The run took all the steps that its recursion_limit allows. Give a larger one, or none."
    assert state["__error__"] == {"error": "UserError", "message": told}


def test_whoever_stops_a_run_that_nothing_ends_is_not_kept_waiting(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def join(*_: object) -> None:
        await asyncio.Event().wait()

    thread = str(uuid.uuid4())
    with running.client() as client:
        place = f"/threads/{thread}/runs/{begin(client, thread, None)}"
        assert client.post(f"{place}/cancel?wait=1").status_code == 204
        monkeypatch.setattr(stopping, "JOIN_SECONDS", 0.01)
        for kind in (LocalRuns, QueuedRuns):
            monkeypatch.setattr(kind, "join", join)
        assert client.post(f"{place}/cancel?wait=1").status_code == 202
        refused = client.delete(place)
        assert (refused.status_code, "no worker has ended it" in refused.text) == (409, True)


def test_who_follows_a_run_may_reply_before_it_has_ended(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """As RemoteGraph in JavaScript does: it stops to follow at what it is asked."""
    stream, join, is_awaited = GraphWorker._stream, stopping.join_run, threading.Event()

    async def stream_and_wait(self: GraphWorker, run: StartedRun) -> AsyncIterator[tuple[str, bytes]]:
        async for part in stream(self, run):
            yield part
        await asyncio.to_thread(is_awaited.wait, 60)

    async def join_awaited(opened: OpenWorkspace, run: StartedRun) -> bool:
        is_awaited.set()
        return await join(opened, run)

    monkeypatch.setattr(GraphWorker, "_stream", stream_and_wait)
    monkeypatch.setattr(beginning, "join_run", join_awaited)
    place, modes = f"/threads/{uuid.uuid4()}/runs", ["updates"]
    asked = {"messages": [{"role": "user", "content": "note: the fern is thirsty"}]}
    body = {"assistant_id": "ana", "if_not_exists": "create", "context": {"autonomy": "advise"}, "stream_mode": modes}
    reply = {"assistant_id": "ana", "command": {"resume": {"decisions": [{"type": "approve"}]}}}
    with running.client() as client:
        with client.stream("POST", f"{place}/stream", json=body | {"input": asked}) as answer:
            assert any("__interrupt__" in line for line in answer.iter_lines())
            told = client.post(f"{place}/wait", json=reply)
            is_awaited.set()
        assert (told.status_code, "fern" in told.json()["messages"][-1]["content"]) == (200, True)


def test_a_stream_that_can_be_followed_no_more_says_why(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow(*_: object) -> AsyncIterator[Event]:
        yield Event(1, "values", b"{}")
        raise StoreBroken("The database cannot be used.", "Look after it.")

    for kind in (LocalRuns, QueuedRuns):
        monkeypatch.setattr(kind, "follow", follow)
    thread, body = str(uuid.uuid4()), {"assistant_id": "ana", "input": SAID, "if_not_exists": "create"}
    why = '{"error":"StoreBroken","message":"The database cannot be used. Look after it."}'
    with running.client() as client:
        told = client.post(f"/threads/{thread}/runs/stream", json=body).text
        assert told == f"id: 1\r\nevent: values\r\ndata: {{}}\r\n\r\nevent: error\r\ndata: {why}\r\n\r\n"
        ended = client.post(f"/threads/{thread}/runs/wait", json=body).text
        assert ended.strip() == f'{{"__error__":{why}}}'


def test_a_stream_ends_in_order_though_its_run_cannot_be_stopped(
    running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def cancel(*_: object, **__: object) -> None:
        raise StoreBroken("The database cannot be used.", "Look after it.")

    body = {"assistant_id": "ana", "input": SAID, "if_not_exists": "create", "on_disconnect": "cancel"}
    with running.client() as client, monkeypatch.context() as patch:
        for kind in (LocalRuns, QueuedRuns):
            patch.setattr(kind, "cancel", cancel)
        assert "event: values" in client.post(f"/threads/{uuid.uuid4()}/runs/stream", json=body).text
        # the run is stopped after the client has read its stream to the end
        wait_until(lambda: "works on: The database cannot be used." in caplog.text)


def test_an_unknown_way_to_stop_a_run_is_refused(household: Household) -> None:
    thread = str(uuid.uuid4())
    with household.client("ben") as ben:
        run = begin(ben, thread, None)
        cancelled = ben.post(f"/threads/{thread}/runs/{run}/cancel?action=undo")
    assert cancelled.status_code == 422
    assert "interrupt or rollback" in cancelled.text


def test_a_message_is_as_long_at_every_door(household: Household) -> None:
    thread, long = str(uuid.uuid4()), "x" * (LONGEST + 1)
    said = {"messages": [{"role": "user", "content": [{"type": "text", "text": long}]}]}
    body = {"assistant_id": "ana", "if_not_exists": "create", "input": said}
    with household.client("ben") as ben:
        asked = ben.post("/ask", json={"question": long})
        begun = ben.post(f"/threads/{thread}/runs/wait", json=body)
        begin(ben, thread, None)
        edited = ben.post(f"/threads/{thread}/state", json={"values": said, "as_node": "reason"})
    assert [asked.status_code, begun.status_code, edited.status_code] == [422, 422, 422]
    assert "longer than 100,000 characters" in begun.text
