"""Other assistants over HTTP, with the official client on loopback."""

import functools
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, Implementation, TextResourceContents

from ana.embedders.known import embed_once
from ana.settings import load_settings
from ana.stopping import Work
from ana.text import HINT, find_fault
from ana.workspace import load_workspace, open_workspace
from tests.app.mcp.conftest import MODES, Elicit, read
from tests.app.server.conftest import Running
from tools.catalog import TOOLS

RENT = {"content": "Pay the rent", "properties": {"due_date": "2026-01-30"}}
NAME = "Claude Code"
ACCEPT = {"accept": "application/json, text/event-stream"}
Talk = Callable[[Client], Awaitable[Any]]


async def connect(
    running: Running, do: Talk, mode: str, person: str = "owner", name: str = NAME, elicit: Elicit | None = None
) -> Any:
    """Return what a client of a person brings back from its talk with the server."""
    async with httpx2.AsyncClient(headers=running.headers(person), timeout=60) as http:
        transport = streamable_http_client(f"{running.url}/mcp", http_client=http)
        told = Implementation(name=name, version="1")
        async with Client(transport, mode=mode, client_info=told, elicitation_callback=elicit, cache=None) as client:
            return await do(client)


def talk(running: Running, do: Talk, mode: str, **more: Any) -> Any:
    """Return the same; the keywords are those of `connect`."""
    return anyio.run(functools.partial(connect, running, do, mode, **more))


def call(running: Running, tool: str, mode: str = MODES[1], *, args: Any = None, **more: Any) -> dict[str, Any]:
    async def do(client: Client) -> Any:
        return await client.call_tool(tool, args or {})

    return read(talk(running, do, mode, **more))


FOLDER = pytest.mark.parametrize("home", ["folder"], indirect=True)
"""What is alike on a database; the store has its own suite, and tests/app/mcp holds what a call answers."""


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    """The protocol with a handshake on a folder, the one without on a database."""
    return MODES[request.node.callspec.params["home"] == "database"]


def test_tools_resources_and_prompts_are_there(running: Running, mode: str) -> None:
    async def work(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == {*TOOLS, "search", "fetch"}
        id = read(await client.call_tool("create_item", RENT))["id"]
        assert read(await client.call_tool("query_items", {"text": "rent"}))["items"][0]["id"] == id
        await client.call_tool("append_context", {"content": "Prefers tea"})
        contents = (await client.read_resource("ana://context")).contents[0]
        assert isinstance(contents, TextResourceContents)
        assert "0: Prefers tea" in contents.text
        prompt = await client.get_prompt("remember_this", {"text": "Ann likes figs"})
        assert "Ann likes figs" in str(prompt.messages[0].content)

    talk(running, work, mode)


@FOLDER
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("decision", "left"), [("do it", 0), ("do not do it", 1)])
def test_the_person_decides_in_the_client(running: Running, mode: str, decision: str, left: int) -> None:
    async def reply(context: Any, params: Any) -> ElicitResult:
        assert "Pay the rent" in params.message
        return ElicitResult(action="accept", content={"decision": decision})

    async def delete(client: Client) -> Any:
        id = read(await client.call_tool("create_item", RENT))["id"]
        deleted = await client.call_tool("delete_item", {"id": id})
        assert deleted.is_error == bool(left)
        return read(await client.call_tool("query_items", {}))["total"]

    assert talk(running, delete, mode, elicit=reply) == left


def test_a_cancelled_call_writes_nothing(running: Running, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped, stop = threading.Event(), threading.Event(), Work.stop

    def embed_slowly(*args: Any) -> Any:
        begun.set()
        assert stopped.wait(30)
        return embed_once(*args)

    def note_stop(work: Work) -> None:
        stop(work)
        stopped.set()

    async def cancel(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "create_item", RENT)
            assert await anyio.to_thread.run_sync(begun.wait, 30)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(stopped.wait, 30)
        read(await client.call_tool("create_item", {"content": "Buy figs"}))  # after the other one has ended
        assert [each["content"] for each in read(await client.call_tool("query_items", {}))["items"]] == ["Buy figs"]

    monkeypatch.setattr("ana.embedders.known.embed_once", embed_slowly)
    monkeypatch.setattr(Work, "stop", note_stop)
    talk(running, cancel, mode)


def test_two_clients_work_at_once(running: Running) -> None:
    async def create(client: Client) -> None:
        for n in range(5):
            read(await client.call_tool("create_item", {"content": f"{client.session.protocol_version} {n}"}))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            for name, mode in zip(("Claude Code", "Cursor"), MODES, strict=True):
                group.start_soon(functools.partial(connect, running, create, mode, name=name))

    anyio.run(both)
    assert call(running, "query_items", args={"limit": 20})["total"] == 10
    assert {turn["by"] for turn in call(running, "history")["turns"]} == {"claude-code", "cursor"}


def test_a_person_sees_nothing_of_another(running: Running, mode: str) -> None:
    id = call(running, "create_item", mode, args=RENT, person="ann")["id"]

    async def look(client: Client) -> None:
        assert read(await client.call_tool("query_items", {"text": "rent"}))["items"] == []
        foreign = await client.call_tool("fetch", {"id": id})
        unknown = await client.call_tool("fetch", {"id": "zzzzzzzz"})
        assert foreign.is_error
        assert words(foreign).replace(id, "zzzzzzzz") == words(unknown)
        assert read(await client.call_tool("history", {}))["turns"] == []

    talk(running, look, mode, person="bob")


def words(result: Any) -> str:
    """The text inside an answer's fence, whose name is another each time."""
    return str(result.content[0].text.partition(">")[2].rpartition("<")[0])


@FOLDER
def test_a_session_of_another_person_does_not_exist(running: Running) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    with running.client("ann") as ann, running.client("bob") as bob:
        session = ann.post("/mcp", json=begin, headers=ACCEPT).headers["mcp-session-id"]
        ask = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
        answers = [
            client.post("/mcp", json=ask, headers=ACCEPT | {"mcp-session-id": id})
            for client, id in ((bob, session), (bob, "0" * 32), (ann, session))
        ]
        again = ACCEPT | {"mcp-session-id": session, "last-event-id": "7"}
        with ann.stream("GET", "/mcp", headers=again) as own_stream, bob.stream("GET", "/mcp", headers=again) as other:
            assert (own_stream.status_code, other.status_code) == (200, 404)
    foreign, unknown, own = answers
    assert (foreign.status_code, foreign.content) == (unknown.status_code, unknown.content)
    assert foreign.status_code == 404
    assert own.status_code == 200


@FOLDER
def test_what_a_client_does_in_a_day_is_one_conversation_with_traces(running: Running) -> None:
    call(running, "create_item", args={"content": "one"})
    call(running, "create_item", MODES[0], args={"content": "two"})
    call(running, "create_item", args={"content": "three"}, name="Cursor")
    threads = load_workspace().open_threads()
    day = f"{load_workspace().make_clock().now():%Y-%m-%d}"
    assert set(threads.store.names().values()) == {f"claude-code {day}", f"cursor {day}"}


@FOLDER
def test_a_call_that_was_answered_is_a_new_one_when_the_same_request_comes_again(running: Running) -> None:
    id = call(running, "create_item", args={"content": "Work", "properties": {"hours": 4}})["id"]
    about = {
        "io.modelcontextprotocol/protocolVersion": MODES[1],
        "io.modelcontextprotocol/clientInfo": {"name": NAME, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "update_item", "arguments": {"id": id, "properties": {"hours": {"$add": 3}}}, "_meta": about}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp-protocol-version": MODES[1], "mcp-method": "tools/call", "mcp-name": "update_item"}
    with running.client() as client:
        for _ in range(2):
            client.post("/mcp", json=request, headers=ACCEPT | headers).raise_for_status()
    assert call(running, "query_items")["items"][0]["properties"] == {"hours": 10}


@FOLDER
def test_a_damaged_folder_is_said_in_a_sentence(running: Running) -> None:
    folder = open_workspace(load_settings(), "ann").folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text("{")
    with running.client("ann") as client:
        answer = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer.status_code == 503
    assert "settings.json" in answer.json()["detail"]


@FOLDER
def test_a_call_whose_text_is_none_is_answered_with_the_reason(running: Running) -> None:
    for text in ("cake \ud83d for Ana", "cake \0 for Ana"):
        asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
        asked |= {"params": {"name": "create_item", "arguments": {"content": text}}}
        with running.client() as client:
            headers = ACCEPT | {"content-type": "application/json"}
            answer = client.post("/mcp", content=json.dumps(asked), headers=headers).json()
        assert (answer["id"], answer["result"]["isError"]) == (7, True)
        assert answer["result"]["content"][0]["text"] == f"{find_fault(text)} {HINT}"
    assert call(running, "query_items")["items"] == []
