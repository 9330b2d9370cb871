"""What front ends in a browser rely on, at the dev server and at our own."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from ana.stopping import STOPPED
from evals.load.server import Server
from tests.app.conftest import say
from tests.conftest import folders
from tests.openai_stub import Said, Stub, openai_stub
from tests.servers import own_serving, serving

PAGE = {"origin": "https://smith.langchain.com"}
RUN: dict[str, Any] = {"assistant_id": "ana", "input": say("hi"), "stream_resumable": True}
RUN |= {"stream_mode": ["messages-tuple"], "on_disconnect": "continue"}


@pytest.fixture(scope="module")
def model() -> Iterator[Stub]:
    with openai_stub(Said("one two three four")) as stub:
        yield stub


@pytest.fixture(scope="module", params=[serving, own_serving], ids=["dev server", "own server"])
def server(request: pytest.FixtureRequest, model: Stub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("front-ends")
    env = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-test-secret", "OPENAI_BASE_URL": model.url}
    with request.param(folders(folder, **env), folder / "server.log") as server:
        yield server


@pytest.fixture
def client(server: Server, model: Stub) -> Iterator[SyncLangGraphClient]:
    model.script = [Said("one two three four")]
    with get_sync_client(url=server.url, timeout=60) as client:
        yield client


@pytest.fixture
def thread(client: SyncLangGraphClient) -> str:
    return str(client.threads.create()["thread_id"])


def test_a_page_may_read_where_its_run_is(server: Server, thread: str) -> None:
    told = httpx.post(f"{server.url}/threads/{thread}/runs/stream", json=RUN, headers=PAGE, timeout=60)
    run = f"/threads/{thread}/runs/"
    assert told.headers["content-location"].startswith(run)
    assert told.headers["location"] == told.headers["content-location"] + "/stream"
    readable = told.headers["access-control-expose-headers"].split(", ")
    assert {"content-location", "location", "x-pagination-total"} <= {*readable}


def test_a_stream_that_was_cut_goes_on_at_its_location_after_the_last_event(
    server: Server, model: Stub, thread: str, request: pytest.FixtureRequest
) -> None:
    cut = threading.Event()
    model.script = [Said("one two three four", pause=lambda: cut.wait(30))]
    heard, last = "", ""
    with httpx.stream("POST", f"{server.url}/threads/{thread}/runs/stream", json=RUN, timeout=60) as stream:
        for line in stream.iter_lines():
            last = line.removeprefix("id: ") if line.startswith("id: ") else last
            heard += f"{line}\n"
            if last and not line and "one " in heard:
                break
    cut.set()
    rest = httpx.get(server.url + stream.headers["location"], headers={"last-event-id": last}, timeout=60)
    events = "\n".join((heard + rest.text).splitlines()).split("\n\n")
    if request.node.callspec.params["server"] is serving:
        events = [*dict.fromkeys(events)]  # it sends again, under its id, what comes while it looks up what came
    told = "".join(events)
    assert [told.count(f'"content":"{word} "') for word in ("one", "two", "three", "four")] == [1] * 4


def test_whoever_lost_the_connection_while_waiting_gets_the_answer_at_its_location(server: Server, thread: str) -> None:
    told = httpx.post(f"{server.url}/threads/{thread}/runs/wait", json=RUN, timeout=60)
    again = httpx.get(server.url + told.headers["location"], timeout=60)
    assert [m["id"] for m in again.json()["messages"]] == [m["id"] for m in told.json()["messages"]]


def test_a_turn_that_was_stopped_says_so_and_waits_for_no_decision(
    client: SyncLangGraphClient, model: Stub, thread: str
) -> None:
    model.script = [Said(hang="word after word")]
    parts = client.runs.stream(thread, "ana", input=say("hi"), stream_mode="messages-tuple", on_disconnect="continue")
    run = next(part.data["run_id"] for part in parts if part.event == "metadata")
    next(part for part in parts if part.event == "messages")
    client.runs.cancel(thread, run, wait=True)
    (task,) = client.threads.get_state(thread)["tasks"]
    assert (task["error"], task["interrupts"]) == (STOPPED, [])


def test_threads_are_found_by_the_id_of_their_assistant(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "ana", input=say("hi"))
    assistant = client.assistants.get("d08878ff-f562-5f95-b211-cd9792fea164")
    assert assistant["graph_id"] == "ana"
    found = client.threads.search(metadata={"assistant_id": assistant["assistant_id"]}, limit=100)
    assert thread in [row["thread_id"] for row in found]
