"""Our server beside LangGraph's dev server: routes and bodies, as its OpenAPI has them, and what clients ask for."""

import json
import re
import uuid
from pathlib import Path
from typing import Any

import langgraph_api
from starlette.routing import Match, Route

from app.server.app import API, NOT_BUILT
from app.server.bodies import THREAD_FIELDS
from app.server.openapi import BODIES
from tests.app.server.conftest import Household

OFFICIAL = json.loads((Path(langgraph_api.__file__).parents[1] / "openapi.json").read_text())
OTHERWISE = {"/mcp/"}
"""At our server another thing is at this address: the store for other assistants."""

IGNORED = {
    "/assistants/count": {"name"},
    "/assistants/search": {"limit", "name", "select", "sort_by", "sort_order"},
    "/runs": {"checkpoint_during", "feedback_keys", "stream_resumable", "stream_subgraphs"},
    "/threads": {"ttl"},
    "/threads/count": set[str](),
    "/threads/search": set[str](),
    "/threads/{}": {"ttl"},
    "/threads/{}/history": set[str](),
    "/threads/{}/state": set[str](),
    "/threads/{}/state/checkpoint": {"subgraphs"},
}
"""What a body of the official API may have and ours does not read. All bodies that begin a run are as that of /runs."""


def list_fields(schema: dict[str, Any]) -> set[str]:
    """Return the fields of an official body."""
    parts = [schema, *schema.get("allOf", ())]
    named = [OFFICIAL["components"]["schemas"][part["$ref"].rpartition("/")[2]] for part in parts if "$ref" in part]
    return {field for part in parts for field in part.get("properties", ())}.union(*map(list_fields, named))


def find_route(method: str, path: str) -> Route | None:
    scope = {"type": "http", "method": method.upper(), "path": re.sub(r"{\w+}", "x", path)}
    matching = (route for route in (*API, *NOT_BUILT) if route.matches(scope)[0] is Match.FULL)
    return next((route for route in matching if isinstance(route, Route)), None)


def test_every_official_route_is_built_or_listed_as_not_built() -> None:
    operations = [(method, path) for path, methods in OFFICIAL["paths"].items() for method in methods]
    missing = {path for method, path in operations if find_route(method, path) is None}
    assert missing == OTHERWISE
    met = {id(find_route(method, path)) for method, path in operations}
    left = [route.path for route in NOT_BUILT if isinstance(route, Route) and id(route) not in met]
    assert left == [], "listed as the official API's"


def test_every_field_of_an_official_body_is_read_or_listed_as_ignored() -> None:
    ignored: dict[str, set[str]] = {}
    for path, methods in OFFICIAL["paths"].items():
        for method, operation in methods.items():
            route, body = find_route(method, path), operation.get("requestBody")
            if body and route and route.endpoint in BODIES:
                kind = BODIES[route.endpoint][0]
                read = {field.alias or each for each, field in kind.model_fields.items()}
                shape = "/runs" if "/runs" in path else re.sub(r"{\w+}", "{}", path)
                unread = list_fields(body["content"]["application/json"]["schema"]) - read
                ignored[shape] = ignored.get(shape, set()) | unread
    assert ignored == IGNORED


def test_what_is_not_built_says_so(household: Household) -> None:
    with household.client("ben") as ben:
        for path in (f"/threads/{uuid.uuid4()}/storage", "/metrics", "/docs"):
            answer = ben.get(path)
            assert (answer.status_code, "docs/server.md names what is" in answer.text) == (501, True), path


def run(client: Any, thread: str, said: str, modes: list[str], **more: Any) -> list[tuple[str, Any]]:
    """Return what a run streams, as names and data."""
    given = {"messages": [{"role": "user", "content": said}]}
    body = {"assistant_id": "ana", "input": given, "if_not_exists": "create", "stream_mode": modes} | more
    parts = client.post(f"/threads/{thread}/runs/stream", json=body).text.split("\r\n\r\n")
    found = [re.search(r"event: (.+)\r\ndata: (.+)", part) for part in parts]
    return [(each[1], json.loads(each[2])) for each in found if each]


def test_events_come_beside_the_other_modes_in_their_order(household: Household) -> None:
    with household.client("ben") as ben:
        parts = run(ben, str(uuid.uuid4()), "where is the key?", ["events", "values", "updates", "messages-tuple"])
    names = [f"{data['event']} {data['name']}" if name == "events" else name for name, data in parts]
    assert names[:3] == ["metadata", "on_chain_start ana", "values"]
    assert names[-2:] == ["values", "on_chain_end ana"]
    assert {"updates", "messages"} <= {*names}
    assert "on_chain_stream ana" not in names, "these are the parts of the other modes"
    first, last = names.index("on_chain_start load_context"), names.index("on_chain_end load_context")
    assert first < last < names.index("updates")
    (tool,) = [data for name, data in parts if name == "events" and data["event"] == "on_tool_start"]
    assert tool["data"]["input"].keys() == {"text", "limit"}, "and nothing of ours"


def test_a_run_with_events_asks_and_goes_on(household: Household) -> None:
    thread, modes = str(uuid.uuid4()), ["events", "values"]
    with household.client("ben") as ben:
        asked = run(ben, thread, "note: the fern is thirsty", modes, context={"autonomy": "advise"})
        (waiting,) = {data["__interrupt__"][0]["id"] for name, data in asked if "__interrupt__" in data}
        reply = {"resume": {waiting: {"decisions": [{"type": "approve"}]}}}
        told = run(ben, thread, "", modes, input=None, command=reply)
    assert "error" not in {name for name, _ in (*asked, *told)}
    assert "fern" in [data for name, data in told if name == "values"][-1]["messages"][-1]["content"]


def test_a_search_extracts_single_values(household: Household) -> None:
    thread = str(uuid.uuid4())
    paths = {"last": "values.messages[-1].type", "at": "metadata.graph_id", "none": "values.messages[99].id"}
    with household.client("ben") as ben:
        run(ben, thread, "what time is it?", ["values"])
        asked = {"ids": [thread], "select": ["thread_id"], "extract": paths}
        found = ben.post("/threads/search", json=asked).json()
        assert found == [{"thread_id": thread, "extracted": {"last": "ai", "at": "ana", "none": None}}]
        blank = {"a": "interrupts.x[0]", "b": "config[0]", "c": "values"}
        told = ben.post("/threads/search", json={"ids": [thread], "extract": blank}).json()[0]
        assert told["extracted"] == {"a": None, "b": None, "c": told["values"]}
        for wrong in ({"status": "values"}, {"a b": "values"}, {"a": "status"}, {"a": ""}, {"a": 1}):
            assert ben.post("/threads/search", json={"extract": wrong}).status_code == 422
        many = {f"a{n}": "values" for n in range(11)}
        assert ben.post("/threads/search", json={"extract": many}).status_code == 422


def test_a_transcript_of_nothing_is_answered_as_an_unknown_thread(household: Household) -> None:
    thread = str(uuid.uuid4())
    with household.client("anna") as anna, household.client("ben") as ben:
        run(anna, thread, "what time is it?", ["values"])
        foreign, unknown = (ben.get(f"/transcript/{id}") for id in (thread, uuid.uuid4()))
        assert (foreign.status_code, foreign.text) == (unknown.status_code, unknown.text)
        assert (foreign.status_code, foreign.json()["error"]) == (404, "There is no such thread.")
        empty = ben.post("/threads", json={}).json()["thread_id"]
        assert ben.get(f"/transcript/{empty}").json()["turns"] == []


def test_the_fields_of_a_thread_are_those_of_its_row(household: Household) -> None:
    with household.client("ben") as ben:
        assert ben.post("/threads", json={}).json().keys() == THREAD_FIELDS
