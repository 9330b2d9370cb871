"""`ana dev`: every conversation is there for Studio, after a kill too, and one door at a time works in it."""

import copy
import logging
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langgraph_api.serde import json_dumpb
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.workspace import open_workspace
from app.studio import fill_table, read_rows
from evals.load.server import Server, running
from graph.builder import builder
from nodes.receipt import strip_receipt
from tests.app.conftest import HELLO, command_line, say, texts
from tests.conftest import THREAD, MakeAssistant
from tests.forks import run_forked
from tests.openai_stub import Said, Stub
from tests.servers import _start, serving

OTHER = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"
ADVISE: Any = {"autonomy": "advise"}


def last_answer(row: dict[str, Any]) -> str:
    return strip_receipt(row["values"]["messages"][-1].content)


@pytest.mark.dev_server
def test_a_thread_made_in_studio_is_found_there_after_a_kill(
    server_env: dict[str, str], stub: Stub, tmp_path: Path
) -> None:
    stub.script = [HELLO]
    with serving(server_env, tmp_path / "first.log") as first, get_sync_client(url=first.url) as client:
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, "ana", input=say("first"))
        first.kill()
    with serving(server_env, tmp_path / "second.log") as second, get_sync_client(url=second.url) as client:
        assert thread in [row["thread_id"] for row in client.threads.search(metadata={"graph_id": "ana"}, limit=1000)]
        assert client.threads.get(thread)["status"] == "idle"
        assert texts(client, thread) == ["first", "Hello there."]
        client.runs.wait(thread, "ana", input=say("second"))
        assert texts(client, thread) == ["first", "Hello there.", "second", "Hello there."]


@pytest.mark.dev_server
def test_a_conversation_of_another_door_is_opened_with_all_that_studio_shows(
    server_env: dict[str, str], stub: Stub, tmp_path: Path
) -> None:
    stub.script = [HELLO, Said(calls=[("create_item", {"content": "A garden bench"})]), Said("See your list.")]
    advising = server_env | {"ANA_AUTONOMY": "advise"}
    command_line(server_env, "ask", "what shall I plant?", "--thread", "bed")
    command_line(advising, "ask", "Keep a bench", "--thread", "bed")
    command, log = ("app.cli", "dev", "--no-reload", "--thread", "bed"), tmp_path / "server.log"
    with running(advising, log, command, start=_start) as server, get_sync_client(url=server.url) as studio:
        thread = log.read_text().partition("Conversation bed: ")[2].split()[0]
        rows: list[Any] = studio.threads.search(limit=1000)
        (row,) = [row for row in rows if row["thread_id"] == thread]
        assert (row["status"], row["metadata"]["name"], row["metadata"]["first_question"]) == (
            "interrupted", "bed", "what shall I plant?",
        )  # fmt: skip
        assert studio.threads.get(thread) == row
        state: Any = studio.threads.get_state(thread, subgraphs=True)
        (request,) = state["interrupts"][0]["value"]["action_requests"]
        assert request["name"] == "create_item"
        history: list[Any] = studio.threads.get_history(thread, limit=100)
        assert {each["checkpoint"]["thread_id"] for each in history} == {thread}
        assistant = studio.assistants.search(graph_id="ana")[0]["assistant_id"]
        drawn: Any = studio.assistants.get_graph(assistant, xray=True)
        assert {"load_context", "reason", "execute_tools", "approve", "reflect"} <= {n["id"] for n in drawn["nodes"]}
        schemas: Any = studio.assistants.get_schemas(assistant)
        assert "autonomy" in schemas["context_schema"]["properties"]
        approve: Any = {"resume": {"decisions": [{"type": "approve"}]}}
        studio.runs.wait(thread, "ana", command=approve, checkpoint=state["checkpoint"])
        assert texts(studio, thread)[-1] == "See your list."
    assert "A garden bench" in command_line(server_env, "items")


@pytest.mark.dev_server
def test_a_conversation_that_is_none_is_told_before_anything_starts(server_env: dict[str, str]) -> None:
    done = run_forked("-m", "app.cli", "dev", "--port", "0", "--thread", "never begun", env=server_env)
    assert (done.returncode, done.stderr) == (
        1, "There is no conversation “never begun”. `ana threads list` shows them.\n"
    )  # fmt: skip


@pytest.mark.dev_server
@pytest.mark.parametrize("path", ["/ask", "/trace/x", "/transcript/x"])
def test_our_own_routes_name_the_server_that_has_them(server: Server, path: str) -> None:
    answer = httpx.post(f"{server.url}{path}", json={"question": "hello"})
    assert (answer.status_code, "`ana serve`" in answer.json()["error"]) == (501, True)


@pytest.mark.dev_server
def test_a_state_is_not_edited_while_another_door_works_in_its_thread(
    client: SyncLangGraphClient, server: Server, thread: str, server_settings: Settings
) -> None:
    client.runs.wait(thread, "ana", input=say("before"))
    edit = {"values": say("put in"), "as_node": "load_context"}
    lock = open_workspace(server_settings).open_locks().lock(thread, "somebody")
    lock.acquire()
    refused = httpx.post(f"{server.url}/threads/{thread}/state", json=edit, timeout=30)
    lock.release()
    assert (refused.status_code, "in use by somebody" in refused.json()["detail"]) == (409, True)
    assert httpx.post(f"{server.url}/threads/{thread}/state", json=edit, timeout=30).status_code == 200
    assert texts(client, thread) == ["before", "Hello there.", "put in"]


def test_the_table_has_what_is_saved_and_of_its_own_what_nobody_has_used(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    make_assistant("Hello.").ask("hello", THREAD)
    gone = {"thread_id": uuid.UUID(OTHER), "metadata": {}, "values": {"messages": []}}
    unused = {"thread_id": uuid.uuid4(), "metadata": {}, "values": None, "updated_at": datetime.now(UTC)}
    old = {"thread_id": uuid.UUID(THREAD), "metadata": {"mine": 1}, "values": {"messages": []}, "status": "busy"}
    table: list[dict[str, Any]] = [copy.deepcopy(each) for each in (gone, unused, old)]
    fill_table(table, read_rows(open_workspace(settings)))
    first, second = table
    assert (first, second["thread_id"]) == (unused, uuid.UUID(THREAD))
    assert (second["status"], second["metadata"]["mine"], last_answer(second)) == ("idle", 1, "Hello.")
    assert "asked" not in second


def test_a_damaged_thread_keeps_no_other_from_being_shown(
    make_assistant: MakeAssistant, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    for thread in (THREAD, OTHER):
        make_assistant("Hello again.").ask("and now?", thread)
    with FolderThreadStore(settings.ana_data_dir).files.open() as db:
        db.execute("UPDATE checkpoints SET checkpoint = x'c1' WHERE thread_id = ?", (THREAD,))
    with caplog.at_level(logging.WARNING):
        rows = read_rows(open_workspace(settings))
    assert [*rows] == [OTHER]
    assert f"{THREAD} cannot be read" in caplog.text


NESTED: Any = 1
for _ in range(248):  # as deep as the saver keeps it in a message, and deeper than JSON is written
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "values",
    [
        {"turn": None},
        {"turn": {"question": None}},
        {"turn": {"question": 5}},
        {"turn": 5},
        {"messages": HumanMessage([{"type": "text", "text": "x", "x": NESTED}])},
    ],
)
def test_no_thread_hurts_the_row_of_another(make_assistant: MakeAssistant, settings: Settings, values: Any) -> None:
    for thread in (THREAD, OTHER):
        make_assistant("Hello again.").ask("and now?", thread)
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        graph.update_state({"configurable": {"thread_id": THREAD}}, values, as_node="reflect")
    for path in settings.traces_dir.glob(f"{THREAD}*"):
        path.unlink()  # so that the first question is looked for in the state
    rows = read_rows(open_workspace(settings))
    assert last_answer(rows[OTHER]) == "Hello again."
    json_dumpb([*rows.values()])
