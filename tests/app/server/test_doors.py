"""The calendar, the description of the routes, and their version."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.server.app import build_app
from tests.app.server.conftest import Household, Running


def test_a_calendars_key_opens_the_calendar_and_nothing_else(household: Household) -> None:
    with household.client("anna") as anna:
        anna.post("/ask", json={"question": "dentist on 3 March 2031 at 9:30"}).raise_for_status()
    key = household.get_calendar_key("anna")
    with household.client() as nobody:
        reply = nobody.get("/calendar.ics", params={"key": key})
        assert reply.headers["content-type"].startswith("text/calendar")
        assert "dentist" in reply.text
        assert "X-ANA" not in reply.text, "who subscribes learns what a calendar shows"
        again = nobody.get("/calendar.ics", params={"key": key}, headers={"if-none-match": reply.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        wrong, none = (nobody.get("/calendar.ics", params={"key": each}) for each in (f"{key[:-1]}x", "x"))
        assert (wrong.status_code, wrong.text) == (none.status_code, none.text)
        assert (wrong.status_code, "`ana calendar` shows" in wrong.text) == (401, True)
        assert nobody.post("/ask", json={"question": "hello"}, params={"key": key}).status_code == 401
        assert nobody.get("/calendar.ics").status_code == 401
        ben = nobody.get("/calendar.ics", params={"key": household.get_calendar_key("ben")})
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


@pytest.mark.parametrize("home", ["folder"], indirect=True)
def test_where_a_trace_lies_on_the_machine_is_told_to_nobody_who_has_a_token(household: Household, home: Path) -> None:
    for name in household.tokens:
        with household.client(name) as client:
            told = client.post("/ask", json={"question": "what time is it?"}).json()
            assert "trace_path" not in told
            assert str(household.settings.ana_data_dir.parent) not in json.dumps(told)
            assert client.get(f"/trace/{told['trace_id']}").json()["thread_id"] == told["thread_id"]
    with TestClient(build_app(), "http://127.0.0.1") as alone:
        told = alone.post("/ask", json={"question": "what time is it?"}).json()
    assert Path(told["trace_path"]).read_text().count("\n") == 1


def test_an_undo_in_a_new_conversation_says_in_which_one_it_takes_something_back(running: Running) -> None:
    with running.client("ann") as ann, running.client("bob") as bob:

        def ask(question: str, thread: str) -> str:
            return str(ann.post("/ask", json={"question": question, "thread_id": thread}).json()["answer"])

        assert ask("undo", "other") == "That did not work: There is nothing to take back."
        kept = ann.post("/ask", json={"question": "note: the fern is thirsty", "thread_id": "home"}).json()
        told = ask("undo", "other")
        named = re.search(r"in conversation (\S+), where “undo” takes it back", told)
        assert named, told
        assert named[1] == kept["thread_id"]
        assert kept["thread_id"] not in bob.post("/ask", json={"question": "undo"}).text
        assert ask("undo", named[1]).startswith("Taken back")
        assert ask("undo", "other") == "That did not work: There is nothing to take back."
