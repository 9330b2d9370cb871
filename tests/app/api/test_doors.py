"""The calendar, other assistants over HTTP, and the description of the routes."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult, Implementation

from ana.workspace import open_workspace
from tests.app.api.conftest import Household
from tests.app.mcp.conftest import MODES, read, text_of

RENT = {"content": "Pay the rent", "properties": {"due_date": "2026-01-30"}}


def talk(household: Household, name: str, do: Callable[[Client], Awaitable[Any]], mode: str, **more: Any) -> Any:
    """Return what a person's client brings back from its talk over HTTP."""

    async def run() -> Any:
        headers = {"authorization": f"Bearer {household.tokens[name]}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{household.url}/mcp", http_client=http)
            told = Implementation(name="Claude Code", version="1")
            async with Client(transport, mode=mode, client_info=told, cache=None, **more) as client:
                return await do(client)

    return anyio.run(run)


@pytest.mark.parametrize("mode", MODES)
def test_other_assistants_work_on_the_store_of_whose_token_they_have(household: Household, mode: str) -> None:
    async def keep(client: Client) -> Any:
        assert {"create_item", "undo", "search"} <= {tool.name for tool in (await client.list_tools()).tools}
        await client.read_resource("ana://context")
        await client.get_prompt("today")
        return await client.call_tool("create_item", RENT | {"content": f"Pay the rent, {mode}"})

    async def find(client: Client) -> Any:
        return await client.call_tool("query_items", {"text": f"rent {mode}"})

    assert read(talk(household, "anna", keep, mode))["content"] == f"Pay the rent, {mode}"
    assert f"Pay the rent, {mode}" in text_of(talk(household, "anna", find, mode))
    assert "Pay the rent" not in text_of(talk(household, "ben", find, mode))
    with household.client("anna") as anna:
        assert mode in anna.post("/ask", json={"question": f"where is the rent, {mode}?"}).json()["answer"]


def test_a_client_a_person_and_a_day_are_one_conversation(household: Household) -> None:
    async def keep(client: Client) -> Any:
        return await client.call_tool("create_item", {"content": "Water the fern"})

    for _ in range(2):
        talk(household, "ben", keep, MODES[0])
    names = open_workspace(household.settings, "ben").open_threads().store.names().values()
    assert len([name for name in names if name.startswith("claude-code ")]) == 1


def test_the_person_is_asked_in_their_client(household: Household) -> None:
    asked: list[str] = []

    async def allow(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": "do it"})

    async def delete(client: Client) -> Any:
        item = read(await client.call_tool("create_item", {"content": "Call the plumber"}))
        return await client.call_tool("delete_item", {"id": item["id"]})

    result = talk(household, "anna", delete, MODES[0], elicitation_callback=allow)
    assert read(result)["deleted"]["content"] == "Call the plumber"
    assert "plumber" in asked[0]


def test_a_calendars_key_opens_the_calendar_and_nothing_else(household: Household) -> None:
    with household.client("anna") as anna:
        anna.post("/ask", json={"question": "dentist on 3 March 2031 at 9:30"}).raise_for_status()
    key = household.calendar_key("anna")
    with household.client() as nobody:
        reply = nobody.get("/calendar.ics", params={"key": key})
        assert reply.headers["content-type"].startswith("text/calendar")
        assert "dentist" in reply.text
        again = nobody.get("/calendar.ics", params={"key": key}, headers={"if-none-match": reply.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert nobody.get("/calendar.ics", params={"key": f"{key[:-1]}x"}).status_code == 401
        assert nobody.post("/ask", json={"question": "hello"}, params={"key": key}).status_code == 401
        assert nobody.get("/calendar.ics").status_code == 401
        ben = nobody.get("/calendar.ics", params={"key": household.calendar_key("ben")})
        assert "dentist" not in ben.text


def test_every_route_is_described_and_every_reference_leads_somewhere(household: Household) -> None:
    with household.client("ben") as ben:
        told = ben.get("/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    assert {"/threads/{thread_id}/runs/stream", "/ask", "/calendar.ics", "/mcp"} <= set(told["paths"])

    def references(value: Any) -> list[str]:
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        own = [value["$ref"]] if isinstance(value, dict) and isinstance(value.get("$ref"), str) else []
        return own + [each for part in parts for each in references(part)]

    found = references(told)
    assert found
    assert {each.removeprefix("#/components/schemas/") for each in found} <= set(told["components"]["schemas"])
    for path, methods in told["paths"].items():
        for operation in methods.values():
            named = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
            assert all(f"{{{name}}}" in path for name in named), path


def test_our_routes_tell_their_version_and_refuse_another(household: Household) -> None:
    with household.client("ben") as ben:
        version = {name: value for name, value in ben.get("/version").headers.items() if "version" in name}
        assert version
        refused = ben.get("/version", headers=dict.fromkeys(version, "999"))
        assert refused.status_code == 400, refused.text
