"""What front ends in a browser rely on."""

import threading
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from ana.stopping import STOPPED
from evals.load.server import Server
from tests.app.conftest import say
from tests.openai_stub import Said, Stub

PAGE = {"origin": "https://smith.langchain.com"}
RUN: dict[str, Any] = {"assistant_id": "ana", "input": say("hi"), "stream_resumable": True}
RUN |= {"stream_mode": ["messages-tuple"], "on_disconnect": "continue"}


WORDS = "one two three four"


@pytest.mark.own_server
def test_a_page_may_read_where_its_run_is(server: Server, thread: str) -> None:
    told = httpx.post(f"{server.url}/threads/{thread}/runs/stream", json=RUN, headers=PAGE, timeout=60)
    run = f"/threads/{thread}/runs/"
    assert told.headers["content-location"].startswith(run)
    assert told.headers["location"] == told.headers["content-location"] + "/stream"
    readable = told.headers["access-control-expose-headers"].split(", ")
    assert {"content-location", "location", "x-pagination-total"} <= {*readable}


@pytest.mark.own_server
def test_a_stream_that_was_cut_goes_on_at_its_location_after_the_last_event(
    server: Server, stub: Stub, thread: str
) -> None:
    cut = threading.Event()
    stub.script = [Said(WORDS, pause=lambda: cut.wait(30))]
    heard, last = "", ""
    with httpx.stream("POST", f"{server.url}/threads/{thread}/runs/stream", json=RUN, timeout=60) as stream:
        for line in stream.iter_lines():
            last = line.removeprefix("id: ") if line.startswith("id: ") else last
            heard += f"{line}\n"
            if last and not line and "one " in heard:
                break
    cut.set()
    rest = httpx.get(server.url + stream.headers["location"], headers={"last-event-id": last}, timeout=60)
    told = heard + rest.text
    assert [told.count(f'"content":"{word} "') for word in WORDS.split()] == [1] * 4


@pytest.mark.own_server
def test_whoever_lost_the_connection_while_waiting_gets_the_answer_at_its_location(server: Server, thread: str) -> None:
    told = httpx.post(f"{server.url}/threads/{thread}/runs/wait", json=RUN, timeout=60)
    again = httpx.get(server.url + told.headers["location"], timeout=60)
    assert [m["id"] for m in again.json()["messages"]] == [m["id"] for m in told.json()["messages"]]


def test_a_turn_that_was_stopped_says_so_and_waits_for_no_decision(
    client: SyncLangGraphClient, stub: Stub, thread: str
) -> None:
    stub.script = [Said(hang="word after word")]
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
