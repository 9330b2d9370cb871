"""Several doors to one thread: one at a time works in it, nothing is lost, done twice or left behind."""

import asyncio
import contextvars
import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient

from ana.errors import StoreBusy, TurnStopped
from ana.handles import open_data
from ana.models.scripted import calls
from ana.settings import Settings
from ana.stopping import present
from ana.threads.runs import Run
from ana.workspace import open_workspace
from app.server.turns import Question, TurnRunner
from app.turn import open_assistant
from evals.load.mixed import run_round
from evals.load.server import Server
from nodes.receipt import strip_receipt
from tests.app.conftest import HELLO, say, texts
from tests.conftest import MakeAssistant
from tests.forks import run_forked
from tests.openai_stub import Gate, Said, Stub, stores_what_is_said

pytestmark = pytest.mark.database


def questions(settings: Settings, thread: str) -> list[str]:
    return [record["question"] for record in open_workspace(settings).open_traces().read(thread)]


def stored(settings: Settings) -> list[str]:
    with open_data(open_workspace(settings), "a test") as handles:
        return [item.content for item in handles.memory.items()]


def ask(server: Server, thread: str, question: str) -> httpx.Response:
    return httpx.post(f"{server.url}/ask", json={"question": question, "thread_id": thread}, timeout=60)


def store(content: str) -> Said:
    return Said(calls=[("create_item", {"content": content, "properties": {"type": "note"}})])


@pytest.mark.own_server
def test_forty_messages_at_once_through_every_door_are_answered_in_one_order(
    server: Server, stub: Stub, server_env: dict[str, str]
) -> None:
    stub.script = [stores_what_is_said]
    assert run_round(server.url, server_env, "together", partial(run_forked, timeout=600)) == []


@pytest.mark.own_server
def test_a_run_that_still_works_is_not_finished_by_another_door(
    client: SyncLangGraphClient, server: Server, stub: Stub, thread: str, server_settings: Settings
) -> None:
    gate = Gate(store("the only cheese"))
    stub.script = [gate, Said("Saved."), HELLO]
    run = client.runs.create(thread, "ana", input=say("cheese"))
    gate.wait()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, server, thread, "and then?")
        gate.opened.set()
        client.runs.join(thread, run["run_id"])
        assert asked.result().json()["answer"] == "Hello there."
    assert texts(client, thread) == ["cheese", "Saved.", "and then?", "Hello there."]
    assert questions(server_settings, thread) == ["cheese", "and then?"]
    assert stored(server_settings).count("the only cheese") == 1


def test_a_stopped_run_owns_its_thread_until_its_node_has_ended(settings: Settings) -> None:
    run = Run(open_workspace(settings).open_locks().lock("t", "ana server", patience=0), "t")
    asyncio.run(run.acquire(0))
    with run.node():
        run.close()
        with pytest.raises(StoreBusy, match="ana server"):
            open_workspace(settings).open_locks().lock("t", "a test", patience=0).acquire()
    lock = open_workspace(settings).open_locks().lock("t", "a test", patience=0)
    lock.acquire()
    lock.release()


def test_a_stopped_run_begins_no_further_call(make_assistant: MakeAssistant) -> None:
    both = calls(*[("create_item", {"content": content}) for content in ("first", "second")])
    assistant = make_assistant(both, "Saved.")
    run = Run(None)

    def ask_and_stop() -> None:
        present.set(run)
        assistant.ask("both", str(uuid.uuid4()), on_event=lambda event: run.close() if "tool" in event else None)

    with pytest.raises(TurnStopped):
        contextvars.copy_context().run(ask_and_stop)
    assert [item.content for item in assistant.handles.memory.items()] == ["first"]


def test_runs_that_wait_for_their_thread_keep_no_other_thread_waiting(
    client: SyncLangGraphClient, stub: Stub, thread: str, server_settings: Settings
) -> None:
    stub.script = [HELLO]
    lock = open_workspace(server_settings).open_locks().lock(thread, "a test")
    lock.acquire()
    try:
        waiting = [client.runs.create(thread, "ana", input=say(f"waits {n}")) for n in range(6)]
        answered: Any = client.runs.wait(client.threads.create()["thread_id"], "ana", input=say("elsewhere"))
        assert strip_receipt(answered["messages"][-1]["content"]) == "Hello there."
        assert texts(client, thread) == []
    finally:
        lock.release()
    for run in waiting:
        client.runs.join(thread, run["run_id"])
    assert texts(client, thread)[::2] == [f"waits {n}" for n in range(6)]


def test_a_run_that_waits_for_another_door_is_cancelled_at_once(
    client: SyncLangGraphClient, stub: Stub, thread: str, server_settings: Settings
) -> None:
    stub.script = [HELLO]
    lock = open_workspace(server_settings).open_locks().lock(thread, "a test")
    lock.acquire()
    try:
        run = client.runs.create(thread, "ana", input=say("never mind"))
        while client.runs.get(thread, run["run_id"])["status"] == "pending":
            time.sleep(0.05)
        client.runs.cancel(thread, run["run_id"], wait=True)
        assert client.runs.get(thread, run["run_id"])["status"] == "interrupted"
    finally:
        lock.release()
    client.runs.wait(thread, "ana", input=say("this one"))
    assert texts(client, thread) == ["this one", "Hello there."]


def test_a_request_waits_for_another_door_and_is_then_refused_with_its_name(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    handles = make_assistant("Hello.").handles
    thread = str(uuid.uuid4())
    lock = open_workspace(handles.settings).open_locks().lock(thread, "somebody")
    with open_assistant(handles, patience=0.05) as assistant:
        turns = TurnRunner(assistant)
        lock.acquire()
        refused = turns.answer(Question(question="hello", thread_id=thread, max_steps=None))
        lock.release()
        assert refused.status_code == 409
        assert "in use by somebody" in json.loads(bytes(refused.body))["error"]
        assert turns.answer(Question(question="hello", thread_id=thread, max_steps=None)).status_code == 200


@pytest.mark.own_server
def test_a_deleted_thread_is_gone_at_every_door_and_may_be_used_again(
    client: SyncLangGraphClient, server: Server, stub: Stub, server_env: dict[str, str], server_settings: Settings
) -> None:
    stub.script = [HELLO]
    threads, locks = open_workspace(server_settings).open_threads(), server_settings.ana_data_dir / "locks"
    thread = threads.resolve("holidays")
    client.threads.create(thread_id=thread)
    assert ask(server, "holidays", "first").json()["thread_id"] == thread
    threads.store.set_last(thread)
    client.threads.delete(thread)
    assert httpx.get(f"{server.url}/trace/{thread}").status_code == 404
    assert httpx.get(f"{server.url}/transcript/{thread}").status_code == 404
    assert (threads.store.last(), threads.store.names().get(thread), list(locks.glob(f"{thread}*"))) == (None, None, [])
    assert thread not in [each.id for each in threads.all()]

    assert ask(server, "holidays", "second").json()["thread_id"] == thread
    assert thread in [each["thread_id"] for each in client.threads.search(limit=100)]
    client.runs.wait(thread, "ana", input=say("third"))
    done = run_forked("-m", "app.cli", "ask", "fourth", "--thread", "holidays", env=server_env)
    assert done.returncode == 0, done.stderr
    assert texts(client, thread)[::2] == questions(server_settings, thread) == ["second", "third", "fourth"]


@pytest.mark.own_server
def test_a_run_that_waits_for_its_thread_does_not_bring_it_back(
    client: SyncLangGraphClient, stub: Stub, thread: str, server_settings: Settings
) -> None:
    stub.script = [HELLO]
    lock = open_workspace(server_settings).open_locks().lock(thread, "a test")
    lock.acquire()
    run = client.runs.create(thread, "ana", input=say("too late"))
    while client.runs.get(thread, run["run_id"])["status"] == "pending":
        time.sleep(0.05)
    with ThreadPoolExecutor(1) as pool:
        deleted = pool.submit(client.threads.delete, thread)
        lock.release()
        deleted.result()
    client.threads.create(thread_id=thread)
    client.runs.wait(thread, "ana", input=say("another"))
    assert texts(client, thread) == ["another", "Hello there."]


@pytest.mark.own_server
def test_an_edit_during_a_turn_loses_nothing(
    client: SyncLangGraphClient, server: Server, stub: Stub, thread: str
) -> None:
    client.runs.wait(thread, "ana", input=say("before"))
    gate = Gate(Said("Late."))
    stub.script = [gate, HELLO]
    edit = {"values": say("put in"), "as_node": "load_context"}
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(ask, server, thread, "during")
        gate.wait()
        edited = pool.submit(httpx.post, f"{server.url}/threads/{thread}/state", json=edit, timeout=60)
        wait([edited], timeout=0.5)  # without an owner it would be through by now
        gate.opened.set()
        assert asked.result().json()["answer"] == "Late."
        assert edited.result().status_code == 200
    assert texts(client, thread) == ["before", "Hello there.", "during", "Late.", "put in"]


@pytest.mark.own_server
def test_a_run_is_deleted_from_its_own_thread_only(client: SyncLangGraphClient, server: Server, thread: str) -> None:
    client.runs.wait(thread, "ana", input=say("hello"))
    (run,) = client.runs.list(thread)
    other = client.threads.create()["thread_id"]
    assert httpx.delete(f"{server.url}/threads/{other}/runs/{run['run_id']}").status_code == 404
    assert texts(client, thread) == ["hello", "Hello there."]


@pytest.mark.own_server
def test_a_run_that_was_stopped_is_not_finished_by_the_next_message(
    client: SyncLangGraphClient, server: Server, stub: Stub, thread: str, server_settings: Settings
) -> None:
    gate = Gate(store("what nobody wants any more"))
    stub.script = [store("what was wanted"), gate, HELLO]
    run = client.runs.create(thread, "ana", input=say("both"))
    gate.wait()
    client.runs.cancel(thread, run["run_id"], wait=True)
    gate.opened.set()
    answered = ask(server, thread, "hello")
    assert (answered.status_code, answered.json()["answer"]) == (200, "Hello there.")
    assert "what was wanted" in stored(server_settings)
    assert "what nobody wants any more" not in stored(server_settings)
    assert [(r["question"], r["answer"]) for r in open_workspace(server_settings).open_traces().read(thread)] == [
        ("both", "Stopped."),
        ("hello", "Hello there."),
    ]
