"""The server's list of threads, as front ends show it: true to the saver, whichever door changed a thread."""

import json
import uuid
from datetime import datetime
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import NotFoundError

from ana.settings import Settings
from ana.workspace import open_workspace
from evals.load.server import Server
from nodes.receipt import strip_receipt
from tests.app.conftest import command_line, say

pytestmark = pytest.mark.own_server


def ask(env: dict[str, str], thread: str, question: str) -> str:
    return str(json.loads(command_line(env, "ask", question, "--thread", thread, "--json"))["thread_id"])


def find_row(client: SyncLangGraphClient, thread: str) -> dict[str, Any] | None:
    """Return the row of a search, which is the one of a look-up; None if both know of none."""
    rows: list[Any] = client.threads.search(metadata={"graph_id": "ana"}, limit=1000)
    found = [row for row in rows if row["thread_id"] == thread]
    if not found:
        with pytest.raises(NotFoundError):
            client.threads.get(thread)
        return None
    (row,) = found
    assert client.threads.get(thread) == row
    return dict(row)


def row_of(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    row = find_row(client, thread)
    assert row is not None
    return row


def texts(row: dict[str, Any]) -> list[str]:
    messages = (row["values"] or {}).get("messages", [])
    return [strip_receipt(message["content"]) for message in messages]


def test_a_row_tells_name_first_question_and_last_activity(
    client: SyncLangGraphClient, server_env: dict[str, str], server_settings: Settings
) -> None:
    thread = ask(server_env, "garden", "what  shall I\nplant?")
    ask(server_env, "garden", "and then?")
    row, told = row_of(client, thread), open_workspace(server_settings).open_threads().describe(thread)
    metadata = row["metadata"]
    assert (metadata["name"], metadata["first_question"]) == ("garden", "what shall I plant?")
    assert metadata["graph_id"] == "ana"
    assert texts(row) == ["what  shall I\nplant?", "Hello there.", "and then?", "Hello there."]
    began, last, created, updated = map(
        datetime.fromisoformat, (told.first, told.last, row["created_at"], row["updated_at"])
    )
    assert datetime.fromisoformat(metadata["last_activity"]) == updated
    assert began <= created <= updated
    assert last <= updated
    assert row["status"] == "idle"


def test_a_row_is_never_older_than_its_thread(
    client: SyncLangGraphClient, thread: str, server_env: dict[str, str]
) -> None:
    client.runs.wait(thread, "ana", input=say("from a front end"))
    before = row_of(client, thread)
    ask(server_env, thread, "from the shell")
    after = row_of(client, thread)
    assert texts(before) == texts(after)[:2] == ["from a front end", "Hello there."]
    assert texts(after)[2:] == ["from the shell", "Hello there."]
    assert before["updated_at"] < after["updated_at"]
    assert before["created_at"] == after["created_at"]
    newest: Any = client.threads.search(limit=1)
    assert [row["thread_id"] for row in newest] == [thread]


def test_a_run_that_failed_stays_so_until_the_thread_goes_on(
    client: SyncLangGraphClient, thread: str, server_env: dict[str, str]
) -> None:
    client.runs.wait(thread, "ana", input={"messages": []}, raise_error=False)
    assert [row_of(client, thread)["status"] for _ in range(2)] == ["error", "error"]
    ask(server_env, thread, "hello")
    row = row_of(client, thread)
    assert (row["status"], row.get("error")) == ("idle", None)


def test_what_is_read_for_one_turn_alone_is_shown_nowhere(client: SyncLangGraphClient, thread: str) -> None:
    parts = client.runs.stream(thread, "ana", input=say("hello"), stream_mode=["values", "debug"])
    sent: list[Any] = [part.data for part in parts if part.event in ("values", "debug")]
    shown = [data.get("payload", data) for data in sent]
    values = [each.get("values", each) for each in shown]
    values += [row_of(client, thread)["values"], client.threads.get_state(thread)["values"]]
    assert len(values) > 5
    assert not [each for each in values if "loaded" in each]


def test_a_thread_deleted_at_the_command_line_is_gone_and_comes_back_when_restored(
    client: SyncLangGraphClient, server: Server, server_env: dict[str, str], server_settings: Settings
) -> None:
    thread = ask(server_env, "attic", "what is up there?")
    client.runs.wait(thread, "ana", input=say("and now?"))
    before = row_of(client, thread)
    command_line(server_env, "threads", "delete", "attic", "--yes")
    assert find_row(client, thread) is None
    assert httpx.post(f"{server.url}/threads/{thread}/runs/wait", json={"assistant_id": "ana"}).status_code == 404
    command_line(server_env, "threads", "restore", "attic")
    after = row_of(client, thread)
    assert texts(after) == texts(before)
    assert after["metadata"].items() <= before["metadata"].items()
    open_workspace(server_settings).open_threads().purge([thread])
    assert find_row(client, thread) is None
    ask(server_env, "attic", "and up there now?")
    assert row_of(client, thread)["metadata"]["first_question"] == "and up there now?"


def test_a_thread_whose_runs_are_all_deleted_is_empty_and_not_gone(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "ana", input=say("a mistake"))
    (run,) = client.runs.list(thread)
    assert row_of(client, thread)["metadata"]["first_question"] == "a mistake"
    client.runs.delete(thread, run["run_id"])
    row = row_of(client, thread)
    assert texts(row) == []
    assert "first_question" not in row["metadata"]
    client.runs.wait(thread, "ana", input=say("another"))
    assert texts(row_of(client, thread)) == ["another", "Hello there."]


def test_an_unused_thread_stays(client: SyncLangGraphClient, server_env: dict[str, str], thread: str) -> None:
    ask(server_env, str(uuid.uuid4()), "elsewhere")
    assert client.threads.get(thread)["thread_id"] == thread
