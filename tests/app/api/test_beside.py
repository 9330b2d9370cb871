"""The calendar, and the description of the routes."""

import jsonschema

from ana.settings import load_settings
from ana.workspace import load_workspace, open_workspace
from tests.app.api.conftest import Running


def test_a_key_opens_its_persons_calendar_and_nothing_else(running: Running) -> None:
    with running.client() as owner, running.client("ann") as ann:
        assert ann.post("/ask", json={"question": "add dentist on 2027-03-01"}).status_code == 200
        key, own = open_workspace(load_settings(), "ann").calendar_key(), load_workspace().calendar_key()
        answer = owner.get("/calendar.ics", params={"key": key})
        assert "BEGIN:VEVENT" in answer.text
        assert "BEGIN:VEVENT" not in owner.get("/calendar.ics", params={"key": own}).text
        tag = {"if-none-match": answer.headers["etag"]}
        assert owner.get("/calendar.ics", params={"key": key}, headers=tag).status_code == 304
        wrong = owner.get("/calendar.ics", params={"key": own[:-1] + "!"})
        unknown = owner.get("/no-such-path")
        assert (wrong.status_code, wrong.content) == (unknown.status_code, unknown.content)
        assert wrong.status_code == 404


def test_the_description_names_bodies_that_are_there(running: Running) -> None:
    with running.client() as client:
        told = client.get("/openapi.json").json()
    schemas = told["components"]["schemas"]
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert told["openapi"].startswith("3.1")
    assert {"/ask", "/mcp", "/calendar.ics", "/threads/{thread_id}/runs/stream"} <= told["paths"].keys()
    named = {part.partition('"')[0] for part in str(told).replace("'", '"').split("#/components/schemas/")[1:]}
    assert named <= schemas.keys()


def test_another_version_of_our_routes_is_refused(running: Running) -> None:
    with running.client() as client:
        assert client.get("/version").headers["x-ana-version"] == "1"
        assert client.get("/version", headers={"x-ana-version": "2"}).status_code == 400
