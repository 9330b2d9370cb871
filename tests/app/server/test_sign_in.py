"""Whose request it is: the token's, and nobody else's, whatever a request says of itself."""

import asyncio
import itertools
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from ana.errors import StoreBroken
from ana.people import People
from ana.people.roster import FolderRoster, Listed
from ana.settings import Settings, load_settings
from ana.workspace import Workspace, open_workspace
from app.page.shell import answer_error
from app.server.arriving import Bodies
from app.server.guard import Guard, is_page
from app.server.refusals import Refusals
from app.server.routes import sign_in
from app.server.sign_in import LARGEST, OPEN, SignIn
from tests.conftest import folders

SENTENCE = "Send a token, as `Authorization: Bearer TOKEN` or `X-Api-Key: TOKEN`; `ana users token NAME` makes one."


async def tell(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the person, and the body."""
    request = Request(scope, receive)
    body = (await request.body()).decode()
    await JSONResponse({"person": request.state.person, "body": body})(scope, receive, send)


def stand_before(app: ASGIApp, people: People) -> ExceptionMiddleware:
    """Return the sign-in before an app, and the answers for whom it refuses."""
    return ExceptionMiddleware(SignIn(app, people), Refusals(answer_error).handlers)


@pytest.fixture
def people(settings: Settings) -> People:
    return People(settings)


@pytest.fixture
def client(people: People) -> TestClient:
    routes = [Route("/sign-in", sign_in, methods=["POST"]), Mount("/", tell)]
    behind = Starlette(routes=routes, exception_handlers=Refusals(answer_error).handlers)
    behind.state.people = people
    app = stand_before(Bodies(behind, skip=is_page), people)
    return TestClient(Guard(app), "http://localhost:2024")


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_alone_on_loopback_every_request_is_the_owners(client: TestClient) -> None:
    assert client.get("/any").json()["person"] == "owner"
    assert client.get("/any", headers={"x-api-key": "lsv2-of-langsmith"}).json()["person"] == "owner"


def test_a_token_makes_a_request_its_persons_in_either_header(client: TestClient, people: People) -> None:
    anna, owner = people.add("anna"), people.renew("owner")
    for token, person in ((anna, "anna"), (owner, "owner")):
        for headers in (bearer(token), {"Authorization": f"bearer  {token} "}, {"X-Api-Key": token}):
            assert client.get("/any", headers=headers).json()["person"] == person
    both = bearer(anna) | {"x-api-key": "lsv2-of-langsmith"}
    assert client.get("/any", headers=both).json()["person"] == "anna"
    basic = {"authorization": "Basic YTpi", "x-api-key": anna}
    assert client.get("/any", headers=basic).json()["person"] == "anna"


def test_no_token_a_wrong_one_and_a_removed_persons_are_refused_with_the_same_words(
    client: TestClient, people: People
) -> None:
    people.add("anna")
    of_bob = people.add("bob")
    people.remove("bob")
    for headers in ({}, bearer("wrong"), bearer(of_bob), {"x-api-key": of_bob}, bearer("x" * 20_000), bearer("")):
        answer = client.get("/any", headers=headers)
        assert (answer.status_code, answer.json()["error"]) == (401, SENTENCE)
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in (f"/any?token={of_bob}", f"/any?api_key={of_bob}", f"/any?access_token={of_bob}"):
        assert client.get(path).status_code == 401


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
PATHS = ("/ok", "/ready", "/ok/", "//ok", "/OK", "/ok/x", "/sign-in", "/calendar.ics", "/", "/health")


def test_only_what_is_written_is_open(client: TestClient, people: People) -> None:
    people.add("anna")
    assert len(OPEN) == 5
    for method, path in itertools.product(METHODS, PATHS):
        answer = client.request(method, f"http://localhost:2024{path}")
        if (method, path) == ("POST", "/sign-in"):
            assert answer.status_code == 422, "no code was sent"
        elif (method, path) in OPEN:
            assert answer.status_code == 200, (method, path)
            assert method == "HEAD" or answer.json()["person"] is None, (method, path)
        else:
            assert answer.status_code == 401, (method, path)


def test_a_preflight_is_answered_without_a_token_and_reaches_nothing(client: TestClient, people: People) -> None:
    people.add("anna")
    asks = {"origin": "https://smith.langchain.com", "access-control-request-method": "POST"}
    answer = client.options("/threads", headers=asks)
    assert (answer.status_code, answer.text) == (200, "OK")


@pytest.mark.parametrize(
    "named",
    [
        {"json": {"user_id": "bob"}},
        {"json": {"config": {"configurable": {"user_id": "bob", "thread_id": "t"}}}},
        {"json": {"config": {"configurable": {"langgraph_auth_user_id": "owner"}}}},
        {"json": {"user_id": ["bob"]}},
        {"params": {"user_id": "bob"}},
        {"params": [("user_id", "anna"), ("langgraph_auth_user_id", "bob")]},
    ],
)
def test_a_person_whom_a_request_names_is_not_looked_at(
    client: TestClient, people: People, named: dict[str, Any]
) -> None:
    people.add("bob")
    told = client.post("/runs/wait", headers=bearer(people.add("anna")), **named).json()
    assert told["person"] == "anna"
    assert json.loads(told["body"] or "null") == named.get("json")


def test_a_code_is_exchanged_for_a_token_once(client: TestClient, people: People) -> None:
    people.add("anna")
    code = people.make_code("anna")
    assert client.get(f"/sign-in?code={code}").status_code == 401, "a code in an address is not read"
    answer = client.post("/sign-in", json={"code": code})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    told = answer.json()
    assert (told["person"], client.get("/any", headers=bearer(told["token"])).json()["person"]) == ("anna", "anna")
    again = client.post("/sign-in", json={"code": code})
    assert again.status_code == 401
    assert again.json()["error"].startswith("This code was used, has ended, or never was one")


@pytest.mark.parametrize("body", [None, [], {}, {"code": 1}, {"code": None}])
def test_a_body_without_a_code_is_refused(client: TestClient, body: Any) -> None:
    answer = client.post("/sign-in", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(("code: ", "the body: ")), answer.text


def test_what_somebody_without_a_token_sends_is_not_read(client: TestClient, people: People) -> None:
    """Else whoever finds the address has the server keep and parse as much as they can send."""
    token = people.add("anna")
    kind = {"content-type": "application/json"}
    assert client.post("/any", content=b"[" * 1000, headers=kind).status_code == 401
    assert client.post("/any", content=b"[" * 1000, headers=kind | bearer(token)).status_code == 422
    assert client.post("/sign-in", json={"code": "x" * LARGEST}).status_code == 413
    assert client.post("/app/sign-in", data={"token": "x" * LARGEST}).status_code == 413
    assert client.post("/app/sign-in", data={"token": "x" * 1000}).json()["person"] is None


def test_a_calendars_key_opens_the_calendar_and_nothing_else(
    client: TestClient, people: People, settings: Settings
) -> None:
    token = people.add("anna")
    key = open_workspace(settings, "anna").get_calendar_key()
    assert client.get(f"/calendar.ics?key={key}").json()["person"] == "anna"
    assert client.get("/calendar.ics", headers=bearer(token)).json()["person"] == "anna"
    wrong = (f"/calendar.ics?key={token}", "/calendar.ics?key=", f"/calendar.ics?key={key}&key={key}", "/calendar.ics")
    for path in (*wrong, f"/threads?key={key}", f"/calendar.ics/?key={key}"):
        assert client.get(path).status_code == 401, path
    assert client.post(f"/calendar.ics?key={key}", json={}).status_code == 401
    assert client.get("/any", headers=bearer(key)).status_code == 401


def test_a_list_that_cannot_be_read_is_told_and_lets_nobody_in(
    client: TestClient, people: People, settings: Settings
) -> None:
    token = people.add("anna")
    (settings.ana_data_dir / "people" / "tokens.json").write_text("{")
    for headers in ({}, bearer(token)):
        answer = client.get("/any", headers=headers)
        assert answer.status_code == 503
        assert "tokens.json cannot be read" in answer.json()["error"]


def test_a_web_socket_is_closed_for_everybody(client: TestClient, people: People) -> None:
    token = people.add("anna")
    for headers in ({}, bearer("wrong"), bearer(token)):
        socket = client.websocket_connect("ws://localhost/ok", headers=headers)
        with pytest.raises(WebSocketDisconnect) as closed, socket:
            pass
        assert closed.value.code == 1008


def request(app: ExceptionMiddleware, headers: Sequence[tuple[bytes, bytes]], **more: Any) -> tuple[int, Any]:
    """Send a request as a server would hand it over; return status and what was answered."""
    scope = {"type": "http", "method": "GET", "path": "/any", "query_string": b"", "headers": [*headers]}
    scope |= {"server": ("127.0.0.1", 2024), "client": ("127.0.0.1", 5)} | more
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    return sent[0]["status"], json.loads(sent[1]["body"])


def test_at_an_address_that_others_reach_even_the_owner_needs_a_token(people: People) -> None:
    app = stand_before(tell, people)
    assert request(app, [])[1]["person"] == "owner"
    for server in (("192.168.1.5", 2024), ("::", 2024), None):
        assert request(app, [], server=server)[0] == 401


def test_who_cannot_be_looked_up_is_told_why_on_the_page_as_a_page(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: str) -> str:
        raise StoreBroken("The database cannot be used.", "Try again.")

    monkeypatch.setattr(people, "find", fail)
    client = TestClient(stand_before(tell, people), "http://192.168.1.5")
    page, listed = (client.get(path, headers=bearer("x")) for path in ("/app/today", "/assistants"))
    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    assert "<p>The database cannot be used. Try again.</p>" in page.text
    assert (listed.status_code, listed.json()["error"]) == (503, "The database cannot be used. Try again.")
    asked = client.get("/app/chat", headers=bearer("x") | {"x-ana-script": "true"})
    assert (asked.status_code, asked.text) == (503, "The database cannot be used. Try again.")


def test_whoever_waits_for_a_database_holds_up_nobody_else(settings: Settings) -> None:
    gate = threading.Event()

    class SlowRoster(FolderRoster):
        waits = True

        def load(self) -> Listed:
            assert gate.wait(60), "the loop was held up"
            return super().load()

    app = stand_before(tell, People(settings, roster=SlowRoster(Workspace(settings))))

    async def send(path: str) -> list[Message]:
        sent = list[Message]()

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def note(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b"", "server": ("::", 1)}
        await app(scope, receive, note)
        return sent

    async def check() -> None:
        waiting = [asyncio.create_task(send(path)) for path in ("/threads", "/app/today", "/mcp")]
        await asyncio.sleep(0)
        assert (await send("/ok"))[0]["status"] == 200
        gate.set()
        assert [(await each)[0]["status"] for each in waiting] == [401, 303, 401]

    asyncio.run(check())


NAMES = st.sampled_from([b"authorization", b"x-api-key", b"cookie", b"x-user", b"x-forwarded-user", b"x-forwarded-for"])
PREFIXES = st.sampled_from(["", "Bearer ", "bearer ", "Bearer  ", "Basic ", "Token ", "Bearer Bearer "])


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> tuple[ExceptionMiddleware, dict[str, str]]:
    """A server with three people, and what almost opens it."""
    settings = load_settings(folders(tmp_path_factory.mktemp("household")))
    people = People(settings)
    tokens = {name: people.add(name) for name in ("anna", "bob")} | {"owner": people.renew("owner")}
    old = tokens["bob"]
    tokens["bob"] = people.renew("bob")
    digest = json.loads((settings.ana_data_dir / "people" / "tokens.json").read_text())["anna"]["tokens"][0]
    key, code = open_workspace(settings, "anna").get_calendar_key(), people.make_code("bob")
    almost = {"old": old, "digest": digest, "key": key, "code": code, "cut": tokens["anna"][:-1], "name": "anna"}
    return stand_before(tell, people), tokens | {f"not {name}": text for name, text in almost.items()}


@given(st.data())
def test_no_headers_without_a_right_token_set_a_person(
    household: tuple[ExceptionMiddleware, dict[str, str]], data: st.DataObject
) -> None:
    app, texts = household
    wrong = [text for name, text in texts.items() if name.startswith("not ")]
    values = st.tuples(PREFIXES, st.sampled_from(wrong) | st.text(st.characters(codec="latin-1"), max_size=60))
    headers = data.draw(
        st.lists(st.tuples(NAMES, values.map(lambda pair: "".join(pair).encode("latin-1"))), max_size=5)
    )
    state = {"person": "anna"}
    status, told = request(app, headers, state=state, query_string=b"token=" + texts["anna"].encode())
    assert (status, told["error"]) == (401, SENTENCE)
    assert "person" not in told


@given(st.lists(st.sampled_from(["anna", "bob", "owner"]), min_size=2, max_size=4), st.data())
def test_two_tokens_in_one_request_never_make_it_somebody_elses(
    household: tuple[ExceptionMiddleware, dict[str, str]], names: list[str], data: st.DataObject
) -> None:
    app, texts = household
    kinds = data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    headers = [
        (b"authorization", f"Bearer {texts[name]}".encode()) if as_bearer else (b"x-api-key", texts[name].encode())
        for name, as_bearer in zip(names, kinds, strict=True)
    ]
    status, told = request(app, headers)
    bearers = [name for name, as_bearer in zip(names, kinds, strict=True) if as_bearer]
    assert (status, told.get("person")) == ((200, bearers[0]) if len(bearers) == 1 else (401, None))
