"""What one person has does not exist for another, at any route."""

import re
import uuid
from typing import Any

import httpx
import pytest
from starlette.routing import Route

from app.page.routes import PAGES
from app.server.app import build_app
from tests.app.server.conftest import Household
from tests.conftest import live_in

RUN = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": "note: the key is under the mat"}]}}

BODIES: dict[str, dict[str, Any]] = {
    "POST /ask": {"question": "where is the key?"},
    "PATCH /threads/{thread_id}": {"metadata": {"colour": "green"}},
    "POST /threads/{thread_id}/state": {"values": {"messages": []}},
    "POST /threads/{thread_id}/state/checkpoint": {"checkpoint": {"checkpoint_id": "1"}},
    "POST /threads/{thread_id}/history": {"limit": 3},
    **{f"POST /threads/{{thread_id}}/runs{path}": RUN for path in ("", "/wait", "/stream")},
}
"""What a route with an id in its path is sent; the others are sent nothing."""

OWN = {"/assistants/{assistant_id}", "/assistants/{assistant_id}/schemas", "/assistants/{assistant_id}/graph"}
"""Routes whose ids are the same for everybody."""


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """Every route there is, by method and path."""
    with pytest.MonkeyPatch.context() as patch:
        live_in(tmp_path_factory.mktemp("routes"), patch)
        app = build_app()
    others = [route for route in app.routes if route not in PAGES]  # tests/app/page walks those
    kept = [route for route in others if isinstance(route, Route)]
    assert len(kept) == len(others), "a route that this test does not know"
    return [(method, route.path) for route in kept for method in sorted((route.methods or {"POST"}) - {"HEAD"})]


def fill(path: str, ids: dict[str, str]) -> str:
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: ids.get(found[1], "x"), path)


OPEN = {"/ok": 200, "/ready": 200, "/sign-in": 422}
"""What is answered to whoever has no token; to sign in a code is needed, and none is sent here."""


def test_every_route_wants_a_token_but_those_that_are_listed(household: Household, routes: Any) -> None:
    with household.client() as nobody, household.client("ana-token-of-nobody") as stranger:
        for method, path in routes:
            ids = {"thread_id": str(uuid.uuid4()), "run_id": str(uuid.uuid4())}
            for client in (nobody, stranger):
                status = client.request(method, fill(path, ids), json={}).status_code
                assert status == OPEN.get(path, 401), (method, path)


def seen(reply: httpx.Response, *ids: str) -> tuple[Any, ...]:
    """What a reply shows, without ids."""
    text = reply.text
    for id in ids:
        text = text.replace(id, "ID")
    headers = {name: value for name, value in reply.headers.items() if name not in ("date", "content-length")}
    return reply.status_code, text, headers


@pytest.fixture(scope="module")
def annas(household: Household) -> dict[str, str]:
    """The ids of something of Anna's of each kind."""
    with household.client("anna") as anna:
        thread = anna.post("/threads", json={"metadata": {"colour": "green"}}).json()["thread_id"]
        anna.post(f"/threads/{thread}/runs/wait", json=RUN).raise_for_status()
        (run,) = anna.get(f"/threads/{thread}/runs").json()
        checkpoint = anna.get(f"/threads/{thread}/state").json()["checkpoint"]["checkpoint_id"]
        trace = anna.get(f"/transcript/{thread}").json()["turns"][0]["id"]
    return {"thread_id": thread, "run_id": run["run_id"], "checkpoint_id": checkpoint, "id": trace, "thread": thread}


def test_a_foreign_id_is_answered_as_one_that_does_not_exist(
    household: Household, routes: Any, annas: dict[str, str]
) -> None:
    missing = {"thread_id": str(uuid.uuid4()), "run_id": str(uuid.uuid4()), "id": "7abcdefghijkmnop"}
    missing |= {"checkpoint_id": str(uuid.uuid4()), "thread": missing["thread_id"]}
    walked = 0
    with household.client("ben") as ben:
        for method, path in routes:
            if "{" not in path or path in OWN or ":path}" in path:
                continue
            body = BODIES.get(f"{method} {path}", {})
            told = [
                seen(ben.request(method, fill(path, ids), json=body if method != "GET" else None), *ids.values())
                for ids in (annas, missing)
            ]
            assert told[0] == told[1], (method, path)
            walked += 1
        shown = ben.post("/threads/search", json={}).json()
        assert annas["thread_id"] not in [row["thread_id"] for row in shown]
        assert ben.post("/threads/search", json={"ids": [annas["thread_id"]]}).json() == []
        assert ben.post("/threads/count", json={"metadata": {"colour": "green"}}).json() == 0
        assert (
            ben.post("/ask", json={"question": "where is the key?"})
            .json()["answer"]
            .startswith("I found nothing like that.")
        )
    assert walked > 20
    with household.client("anna") as anna:
        assert "the mat" in anna.post("/ask", json={"question": "where is the key?"}).json()["answer"]
        assert len(anna.get(f"/threads/{annas['thread_id']}/state").json()["values"]["messages"]) > 1


def test_a_thread_of_the_same_id_is_another_persons_own(household: Household, annas: dict[str, str]) -> None:
    id = str(uuid.uuid4())
    for name in ("anna", "ben"):
        with household.client(name) as client:
            assert client.post("/threads", json={"thread_id": id}).json()["values"] is None
            run = RUN | {"input": {"messages": [{"role": "user", "content": f"note: {name} was here"}]}}
            client.post(f"/threads/{id}/runs/wait", json=run).raise_for_status()
    with household.client("anna") as anna:
        assert anna.get(f"/threads/{id}/state").json()["values"]["messages"][0]["content"] == "note: anna was here"


def test_what_is_refused_is_a_line_of_the_log(household: Household) -> None:
    with household.client("ben") as ben:
        ben.get(f"/threads/{uuid.uuid4()}")
    told = household.settings.log_file_path.read_text()
    assert "was refused" in told
    assert "Traceback" not in told
