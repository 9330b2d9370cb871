"""The dev server with real clients: threads that survive, our routes, and doors that stay shut."""

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import closing, nullcontext
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import ConflictError

from ana.settings import Settings
from ana.tracing.files import TraceFiles
from ana.workspace import open_workspace
from app.cli import dev
from app.serving import is_serving
from evals.load.server import Server
from nodes.receipt import strip_receipt
from tests.app.conftest import HELLO, command_line, say, texts
from tests.forks import run_forked
from tests.openai_stub import Gate, Said, Stub
from tests.readme import README_URL, read_example
from tests.sent import typed
from tests.servers import Serve, own_serving
from tests.waiting import wait_until

MILK = Said(calls=[("create_item", {"content": "Buy milk", "properties": {"type": "task"}})])
JSON_NAMES = {"answer", "thread_id", "trace_id", "trace_path", "steps", "usage", "cost_usd", "changes", "receipt"}
DONE = Said("See your list: buy milk.")
AS_JSON = {"content-type": "application/json"}


def test_a_thread_is_created_run_streamed_and_looked_back_on(client: SyncLangGraphClient, stub: Stub) -> None:
    stub.script = [MILK, DONE]
    thread = client.threads.create()["thread_id"]
    result: Any = client.runs.wait(thread, "ana", input=say("I need milk"))
    assert strip_receipt(result["messages"][-1]["content"]) == "See your list: buy milk."
    stub.script = [HELLO]
    parts: list[Any] = list(
        client.runs.stream(thread, "ana", input=say("hi"), stream_mode=["messages", "custom", "values"])
    )
    assert not [p for p in parts if p.event == "error"]
    drafts = "".join(p.data["draft"] for p in parts if p.event == "custom" and "draft" in p.data)
    assert drafts.strip() == "Hello there."
    streamed = [m for p in parts if p.event.startswith("messages") and isinstance(p.data, list) for m in p.data]
    assert {m["id"].endswith("-1") for m in streamed if m.get("type", "").startswith("ai")} == {True}
    assert texts(client, thread)[-2:] == ["hi", "Hello there."]
    assert len(client.threads.get_history(thread, limit=100)) >= 8


def test_the_python_example_of_the_readme_runs(server: Server, stub: Stub) -> None:
    stub.script = [MILK, DONE]
    done = run_forked("-c", read_example("python").replace(README_URL, server.url))
    assert (done.stdout.splitlines()[0], done.stderr) == ("See your list: buy milk.", "")


@pytest.mark.own_server
def test_ask_runs_a_turn_and_the_trace_is_found(server: Server, stub: Stub, server_settings: Settings) -> None:
    stub.script = [MILK, DONE]
    answer = httpx.post(f"{server.url}/ask", json={"question": "milk", "max_steps": 5}, timeout=30)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert set(told) == JSON_NAMES
    assert told["answer"] == "See your list: buy milk."
    assert told["usage"] == {"input_tokens": 200, "output_tokens": 20, "estimated": False}
    assert told["steps"][0]["tool"] == "create_item"
    for id in (told["trace_id"], told["thread_id"]):
        record = httpx.get(f"{server.url}/trace/{id}").json()
        assert record["id"] == told["trace_id"]
    page = httpx.get(f"{server.url}/transcript/{record['thread_id']}?limit=1").json()
    assert [turn["id"] for turn in page["turns"]] == [page["before"]] == [record["id"]]
    assert httpx.get(f"{server.url}/transcript/{record['thread_id']}?before={record['id']}").json()["turns"] == []
    for wrong in ("limit=0", "limit=x", "before=nothing"):
        assert httpx.get(f"{server.url}/transcript/{record['thread_id']}?{wrong}").status_code == 422
    assert "sk-test-secret" not in TraceFiles(server_settings.traces_dir).path(told["thread_id"]).read_text()


@pytest.fixture
def gate(stub: Stub) -> Iterator[Gate]:
    """A model that answers the first request only when the gate is opened."""
    gate = Gate(Said("Too late."))
    stub.script = [gate, HELLO]
    yield gate
    gate.opened.set()


SECOND = ["second", "Hello there."]
NOT_FINISHED = "Not finished: a new message came before the answer."


@pytest.mark.parametrize(
    ("strategy", "left"),
    [
        ("reject", ["first", "Too late."]),
        ("enqueue", ["first", "Too late.", *SECOND]),
        ("interrupt", ["first", NOT_FINISHED, *SECOND]),
        ("rollback", SECOND),
    ],
)
def test_a_message_while_a_run_works_does_what_its_strategy_says(
    client: SyncLangGraphClient, gate: Gate, strategy: Any, left: list[str]
) -> None:
    thread = client.threads.create()["thread_id"]
    runs = [client.runs.create(thread, "ana", input=say("first"))]
    gate.wait()
    refused = pytest.raises(ConflictError) if strategy == "reject" else nullcontext()
    with refused:
        runs.append(client.runs.create(thread, "ana", input=say("second"), multitask_strategy=strategy))
    gate.opened.set()
    client.runs.join(thread, runs[-1]["run_id"])
    assert texts(client, thread) == left
    client.runs.wait(thread, "ana", input=say("third"))  # the thread is not left busy
    assert texts(client, thread) == [*left, "third", "Hello there."]


@pytest.mark.parametrize(
    ("action", "left", "told"), [("interrupt", ["first"], ["first", NOT_FINISHED]), ("rollback", [], [])]
)
def test_a_cancelled_run_keeps_or_loses_its_messages(
    client: SyncLangGraphClient, gate: Gate, action: Any, left: list[str], told: list[str]
) -> None:
    thread = client.threads.create()["thread_id"]
    run = client.runs.create(thread, "ana", input=say("first"))
    gate.wait()
    client.runs.cancel(thread, run["run_id"], action=action)
    gate.opened.set()
    wait_until(lambda: texts(client, thread) == left)
    client.runs.wait(thread, "ana", input=say("second"))
    assert texts(client, thread) == [*told, *SECOND]


def test_a_deleted_run_takes_its_messages_with_it_and_leaves_what_it_stored(
    client: SyncLangGraphClient, stub: Stub, server_env: dict[str, str]
) -> None:
    stub.script = [HELLO, Said(calls=[("create_item", {"content": "Buy a kettle"})]), DONE, HELLO]
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "ana", input=say("first"))
    client.runs.wait(thread, "ana", input=say("a kettle"))
    newest, _ = client.runs.list(thread)
    client.runs.delete(thread, newest["run_id"])
    assert texts(client, thread) == ["first", "Hello there."]
    assert "Buy a kettle" in command_line(server_env, "items")
    client.runs.wait(thread, "ana", input=say("second"))
    assert texts(client, thread) == ["first", "Hello there.", *SECOND]


@pytest.mark.dev_server
def test_the_server_misses_nothing_in_the_saver(client: SyncLangGraphClient, server_log: Path) -> None:
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "ana", input=say("hi"))
    assert "Custom checkpointer missing" not in server_log.read_text()


@pytest.mark.own_server
def test_max_steps_reaches_the_run(server: Server, stub: Stub) -> None:
    stub.script = [MILK]
    answer = httpx.post(f"{server.url}/ask", json={"question": "milk", "max_steps": 1}, timeout=30)
    assert answer.status_code == 502
    assert "limit of" in answer.json()["error"]


def test_studio_is_shown_a_true_form(client: SyncLangGraphClient) -> None:
    assistant = client.assistants.search(graph_id="ana")[0]["assistant_id"]
    schemas: Any = client.assistants.get_schemas(assistant)
    fields = schemas["context_schema"]["properties"]
    assert set(fields) == {
        "model",
        "temperature",
        "max_steps",
        "autonomy",
        "check",
        "timezone",
        "language",
        "stream_drafts",
    }
    assert all(len(field["description"]) > 50 for field in fields.values())
    assert set(schemas["input_schema"]["properties"]) == {"messages"}


@pytest.mark.own_server
def test_bad_bodies_are_answered_with_a_sentence(server: Server) -> None:
    asked = ("{}", "not json", '{"question": ""}', '{"question": "x", "max_steps": 0}', '{"question": "x", "more": 1}')
    for body in (*asked, '{"question": 1}'):
        answer = httpx.post(f"{server.url}/ask", content=body.encode(), headers=AS_JSON)
        assert answer.status_code == 422
        assert answer.json()["error"].endswith(".")


def test_a_body_that_is_too_large_is_answered_and_not_reset(server: Server) -> None:
    size = 40_000_000
    for path in ("/ask", "/threads/search", "/runs/wait"):
        with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
            connection.request("POST", path, b"x" * size, {"content-type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 413
            assert json.loads(answer.read())["error"] == "The body is larger than 4,000,000 bytes."
    chunked = {"content-type": "application/json", "transfer-encoding": "chunked"}
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/ask", (b"x" * 1_000_000 for _ in range(40)), chunked, encode_chunked=True)
        assert connection.getresponse().status == 411


@pytest.mark.own_server
def test_only_ids_reach_the_file_system(server: Server) -> None:
    for id in ("nothing", "..%2F..%2Fetc%2Fpasswd", "a.b", "%00", "x" * 100):
        assert httpx.get(f"{server.url}/trace/{id}").status_code in (422, 404)
    assert httpx.get(f"{server.url}/health").json()["status"] == "ok"
    assert httpx.get(f"{server.url}/version").json()["name"] == "ana"


def test_a_server_that_runs_is_known_to_a_purge(server: Server, server_settings: Settings) -> None:
    assert is_serving(open_workspace(server_settings))


FOREIGN: list[dict[str, str]] = [
    {"origin": "https://evil.example", "content-type": "application/json"},
    {"origin": "https://evil.example", "content-type": "text/plain"},
    {"origin": "null", "content-type": "application/json"},
    {"origin": "http://127.0.0.1:1", "content-type": "application/json"},
    {"content-type": "text/plain"},
    {"content-type": "application/x-www-form-urlencoded"},
    {"host": "evil.example", "content-type": "application/json"},
]


@pytest.mark.parametrize(
    ("headers", "path"),
    [*zip(FOREIGN, cycle(["/mcp", "/ask", "/runs/wait", "/threads", "/threads/search", "/runs/stream"]), strict=False)],
)
def test_another_page_cannot_drive_the_server(
    server: Server, stub: Stub, server_settings: Settings, headers: dict[str, str], path: str
) -> None:
    def changed() -> tuple[int, list[str]]:
        return len(stub.requests), sorted(p.name for p in server_settings.traces_dir.glob("*.jsonl"))

    before, thread = changed(), str(uuid.uuid4())
    body = json.dumps({"question": "steal", "assistant_id": "ana", "input": say("steal"), "thread_id": thread})
    answer = httpx.post(f"{server.url}{path}", content=body, headers=headers)
    assert answer.status_code in (403, 415, 421)
    assert set(answer.json()) == {"error", "detail"}
    assert "access-control-allow-origin" not in answer.headers
    assert changed() == before
    assert httpx.get(f"{server.url}/threads/{thread}").status_code == 404


@pytest.mark.parametrize("origin", ["https://smith.langchain.com", "{own}", "http://localhost:{port}"])
def test_studio_and_the_servers_own_pages_may_come_in(server: Server, origin: str) -> None:
    origin = origin.format(own=server.url, port=server.port)
    answer = httpx.post(f"{server.url}/threads/search", json={}, headers={"origin": origin})
    assert answer.status_code == 200


def test_a_preflight_of_a_foreign_page_is_refused(server: Server) -> None:
    headers = {"origin": "https://evil.example", "access-control-request-method": "POST", PRIVATE: "true"}
    answer = httpx.request("OPTIONS", f"{server.url}/ask", headers=headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


PRIVATE = "access-control-request-private-network"


@pytest.mark.parametrize("private", [True, False])
def test_a_preflight_of_studio_is_allowed_into_the_private_network(server: Server, private: bool) -> None:
    headers = {"origin": "https://smith.langchain.com", "access-control-request-method": "PATCH"}
    headers |= {"access-control-request-headers": "content-type,x-auth-scheme"} | ({PRIVATE: "true"} if private else {})
    answer = httpx.request("OPTIONS", f"{server.url}/threads/{uuid.uuid4()}", headers=headers)
    assert answer.is_success, answer.text
    told = {name: answer.headers.get(f"access-control-allow-{name}") for name in ("origin", "headers")}
    assert told == {"origin": "https://smith.langchain.com", "headers": "content-type,x-auth-scheme"}
    assert "PATCH" in answer.headers["access-control-allow-methods"].split(", ")
    assert answer.headers.get("access-control-allow-private-network") == ("true" if private else None)


def test_routes_that_nobody_needs_are_closed(serve: Serve, server: Server) -> None:
    for path in ("/docs", "/metrics", "/ui/ana", "/internal/debug/thread/x", "/deploy"):
        expected = 501 if path in ("/docs", "/metrics") and serve is own_serving else 404
        assert httpx.get(f"{server.url}{path}").status_code == expected, path
    for path in ("/ui/ana", "/internal/truncate", "/deploy", "/a2a/ana"):
        expected = 501 if path == "/a2a/ana" and serve is own_serving else 404
        assert httpx.post(f"{server.url}{path}", json={}).status_code == expected, path


def test_every_answer_can_be_neither_framed_nor_sniffed_nor_embedded(server: Server) -> None:
    for path in ("/ok", "/nothing", "/ask"):
        headers = httpx.get(f"{server.url}{path}").headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.own_server
@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ([], "There is nothing to answer: the last message is not a user's. Send a user message."),
        ([{"role": "user", "content": [IMAGE]}], "Images are not read, and the message has no text. Say it in words."),
    ],
)
def test_the_sentence_of_an_error_reaches_the_client_and_is_one_line_of_the_log(
    server: Server, server_log: Path, messages: list[Any], sentence: str
) -> None:
    before = server_log.stat().st_size
    body = {"assistant_id": "ana", "input": {"messages": messages}}
    answer = httpx.post(f"{server.url}/runs/wait", json=body, timeout=30)
    assert answer.json() == {"__error__": {"error": "UserError", "message": sentence}}
    logged = server_log.read_bytes()[before:].decode()
    assert logged.count(sentence) == 1
    assert "Traceback" not in logged


@pytest.mark.own_server
def test_a_message_with_an_image_is_answered_by_its_text(client: SyncLangGraphClient, stub: Stub) -> None:
    stub.script = [HELLO]
    content = [IMAGE, {"type": "text", "text": "who is this?"}]
    thread = client.threads.create()["thread_id"]
    said: Any = say(content)
    result: Any = client.runs.wait(thread, "ana", input=said)
    assert (
        result["messages"][-1]["content"]
        == "Hello there.\n\nImages and files are not read; this answers the text.\n\n---\nno changes"
    )
    assert typed(stub.requests[-1]["messages"][-1]["content"]) == "who is this?"
    assert "AAAA" not in json.dumps(client.threads.get_state(thread)["values"])
    client.runs.wait(thread, "ana", input=say("and now?"))
    assert texts(client, thread)[-1] == "Hello there."


@pytest.mark.dev_server
def test_the_assistant_says_what_it_is(client: SyncLangGraphClient, server: Server) -> None:
    [assistant] = client.assistants.search(graph_id="ana", metadata={"created_by": "system"})
    assert "personal assistant" in str(assistant["description"])
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"accept": "application/json, text/event-stream"}
    told = httpx.post(f"{server.url}/mcp", json=call, headers=headers).text
    assert str(assistant["description"]) in told


@pytest.mark.dev_server
def test_it_opens_with_model_folder_dial_and_links_and_prints_nothing_of_a_turn(
    client: SyncLangGraphClient, server: Server, server_log: Path, server_settings: Settings, stub: Stub
) -> None:
    first, api, studio, permission, *rest = server_log.read_text().splitlines()
    assert f"{server_settings.openai_model} · data in {server_settings.ana_data_dir} · " in first
    assert first.endswith(" · dial confirm")
    assert api == f"API: {server.url} (Ctrl-C ends it)"
    assert studio == f"Studio: https://smith.langchain.com/studio/?baseUrl={server.url}"
    assert "local network: allow it" in permission
    assert "The server is ready." in rest
    before, stub.script = server_log.stat().st_size, [HELLO]
    client.runs.wait(None, "ana", input=say("hi"))
    assert server_log.stat().st_size == before


def test_our_settings_in_env_files_are_left_to_the_server_which_reads_them_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANA_AUTONOMY", raising=False)
    monkeypatch.setenv("OPENAI_MODEL", "one")
    file = {"ANA_AUTONOMY": "act", "OPENAI_MODEL": "one", "HTTPS_PROXY": "http://proxy", "LANGSMITH_TRACING": "1"}
    monkeypatch.setattr(dev, "read_environment", lambda: file)
    env = dev.make_environment()
    assert "ANA_AUTONOMY" not in env
    assert (env["OPENAI_MODEL"], env["HTTPS_PROXY"], env["LANGSMITH_TRACING"]) == ("one", "http://proxy", "true")


@pytest.mark.own_server
@pytest.mark.usefixtures("server")
def test_the_store_is_open_before_the_first_turn(files_at_start: set[str]) -> None:
    assert {"journal.sqlite", "chroma", "threads.sqlite"} <= files_at_start


def test_a_port_that_is_taken_ends_with_a_sentence(server: Server, server_env: dict[str, str]) -> None:
    done = run_forked("-m", "app.cli", "dev", "--port", str(server.port), env=server_env)
    assert done.returncode == 1
    assert done.stderr == (
        f"Port {server.port} cannot be used: Address already in use. "
        "End the other server, or name another port: ana dev --port 2025.\n"
    )


def change_six(client: SyncLangGraphClient, stub: Stub, thing: str) -> Said:
    """Store six things; return the reply that changes them, which is more than is changed unasked."""
    stub.script = [
        Said(calls=[("create_item", {"content": f"{thing} {n}", "properties": {"room": "hall"}}) for n in range(6)]),
        Said("Stored."),
    ]
    stored: Any = client.runs.wait(None, "ana", input=say(f"I need {thing}s"))
    results = (message["content"] for message in stored["messages"] if message["type"] == "tool")
    found = (re.search(r'"id": ?"(\w{8})"', each) for each in results)  # what is alike stands behind it
    ids = [each[1] for each in found if each]
    assert len(ids) == 6
    return Said(calls=[("update_item", {"id": id, "properties": {"room": None}}) for id in ids])


APPROVE_ALL: Any = {"decisions": [{"type": "approve"}] * 6}


def find_first(asked: Any) -> str:
    return str(asked["__interrupt__"][0]["value"]["action_requests"][0]["args"]["about"])


def test_a_reply_at_the_checkpoint_at_which_it_was_shown_is_to_that_request_alone(
    client: SyncLangGraphClient, stub: Stub, thread: str
) -> None:
    """As Studio and chat front ends send it."""
    stub.script = [change_six(client, stub, "Stool"), change_six(client, stub, "Table"), Said("That is that.")]
    assert find_first(client.runs.wait(thread, "ana", input=say("I need stools"))) == "Stool 0"
    shown = client.threads.get_state(thread)["checkpoint"]
    held: Any = client.runs.wait(thread, "ana", input=say("tables instead"))
    summary = held["__interrupt__"][0]["value"]["summary"]
    assert summary.startswith("“tables instead” was not carried out: this waits for your decision.")
    pending: Any = client.runs.wait(thread, "ana", input=say("tables instead"))
    assert find_first(pending) == "Table 0"
    again: Any = client.runs.wait(thread, "ana", command={"resume": APPROVE_ALL}, checkpoint=shown)
    assert find_first(again) == "Stool 0", "what was shown is asked again, in a fork of that state"
    assert not [m for m in again["messages"] if m["type"] == "tool"], "and nothing was done"
    assert again["__interrupt__"][0]["id"] != pending["__interrupt__"][0]["id"]
    at = client.threads.get_state(thread)["checkpoint"]
    done: Any = client.runs.wait(thread, "ana", command={"resume": APPROVE_ALL}, checkpoint=at)
    assert "Changed: “Stool 5”" in done["messages"][-1]["content"]
