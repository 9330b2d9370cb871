"""The guard alone: which requests reach the application behind it, and what happens to a body that does not arrive."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from app.page.shell import answer_error
from app.server import guard
from app.server.arriving import Bodies
from app.server.guard import HEADERS, Guard, find_refusal
from app.server.refusals import Refusals, fail

STUDIO = "https://smith.langchain.com"
OURS = "http://localhost:2024"
JSON = {"content-type": "application/json"}


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"got {body.decode()}")(scope, receive, send)


def ask(messages: list[Message], headers: dict[str, str]) -> tuple[int, dict[str, str], str]:
    """POST a body that arrives as these messages, and then nothing more; return status, headers and body."""
    left, sent = list(messages), []

    async def receive() -> Message:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.encode(), value.encode()) for name, value in ({"host": "localhost"} | headers).items()]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/ask", "headers": raw, "query_string": b""}
    behind = ExceptionMiddleware(Bodies(echo), Refusals(answer_error).handlers)
    asyncio.run(Guard(behind, seconds=0.05)(scope | {"state": {"person": "anna"}}, receive, send))
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told, sent[1]["body"].decode()


def part(body: bytes, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_arrives_whole() -> None:
    status, told, body = ask([part(b'{"a"', True), part(b": 1}", False)], JSON | {"content-length": "8"})
    assert (status, body) == (200, 'got {"a": 1}')
    assert HEADERS.items() <= told.items()


def test_a_refused_body_that_does_not_arrive_holds_nobody() -> None:
    assert ask([part(b"x", True)], JSON | {"content-length": "4000001"})[0] == 413
    assert ask([], JSON | {"content-length": "4000001", "expect": "100-continue"})[0] == 413


def test_a_body_that_is_no_json_or_nested_too_deep_reaches_nobody() -> None:
    for body, status in ((b"[" * 300 + b"]" * 300, 422), (b"[" * 100 + b"]" * 100, 200), (b"[", 422)):
        assert ask([part(body, False)], JSON | {"content-length": str(len(body))})[0] == status


@pytest.mark.parametrize("begun", [[], [part(b'{"a"', True)]])
def test_a_body_that_does_not_arrive_is_answered_and_the_connection_closed(begun: list[Message]) -> None:
    status, told, body = ask(begun, JSON | {"content-length": "8"})
    assert (status, told["connection"]) == (408, "close")
    assert "did not arrive" in body
    assert HEADERS.items() <= told.items()


def test_a_request_without_a_body_waits_for_none() -> None:
    assert ask([part(b"", False)], {})[0] == 200


PAGES: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"sec-fetch-site": "none"}, True),
    ({"sec-fetch-site": "same-origin"}, True),
    ({"sec-fetch-site": "same-origin", "origin": OURS}, True),
    ({"sec-fetch-site": "cross-site", "origin": STUDIO}, True),
    ({"sec-fetch-site": "cross-site", "origin": "https://apac.smith.langchain.com"}, True),
    ({"sec-fetch-site": "cross-site", "origin": "https://evil.smith.langchain.com"}, False),
    ({"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:2024"}, True),
    ({"sec-fetch-site": "same-site", "origin": "http://localhost:3000"}, True),
    ({"sec-fetch-site": "same-site", "origin": "http://localhost:3001"}, False),
    ({"sec-fetch-site": "cross-site"}, False),
    ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}, False),
    ({"sec-fetch-site": "same-site"}, False),
    ({"sec-fetch-site": "cross-site", "origin": "https://evil.example"}, False),
    ({"sec-fetch-site": "same-origin", "origin": "https://evil.example"}, False),
]


@pytest.mark.parametrize(("headers", "allowed"), PAGES)
def test_only_our_own_and_allowed_pages_come_in(headers: dict[str, str], allowed: bool) -> None:
    origins = frozenset({*guard.STUDIO, "http://localhost:3000"})
    refusal = find_refusal("/threads", {"host": "localhost:2024"} | headers, origins)
    assert (refusal and refusal[0]) == (None if allowed else 403)


@pytest.mark.parametrize("length", ["²", "-1", "1e3", "4000001"])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    refusal = find_refusal("/ask", {"host": "localhost", "content-length": length}, frozenset())
    assert refusal is not None
    assert refusal[0] == 413


def test_a_fault_that_nobody_foresaw_is_a_sentence_with_the_headers_too() -> None:
    def break_down(_: Request) -> PlainTextResponse:
        raise RuntimeError("secret")

    app = Starlette(routes=[Route("/broken", break_down)], exception_handlers={Exception: fail})
    answer = TestClient(app, "http://localhost:2024", raise_server_exceptions=False).get("/broken")
    assert (answer.status_code, set(answer.json())) == (500, {"error", "detail"})
    assert "secret" not in answer.text
    assert HEADERS.items() <= answer.headers.items()


OURS_OUTSIDE = ("ana.example.org", "192.168.1.5")

HOSTS: list[tuple[dict[str, str], int | None]] = [
    ({"host": "ana.example.org"}, None),
    ({"host": "ANA.example.org:443"}, None),
    ({"host": "192.168.1.5:2024"}, None),
    ({"host": "localhost:2024"}, None),
    ({"host": "evil.example.org"}, 421),
    ({"host": "ana.example.org.evil.example"}, 421),
    ({"host": "x@ana.example.org.evil.example"}, 421),
    ({"host": "evil.example", "x-forwarded-host": "ana.example.org"}, 421),
    ({"host": ""}, 421),
    ({"host": "ana.example.org", "origin": "https://ana.example.org"}, None),
    ({"host": "ana.example.org", "origin": "https://ana.example.org:8443"}, 403),
    ({"host": "ana.example.org", "origin": "http://192.168.1.5"}, 403),
    ({"host": "ana.example.org", "origin": "http://localhost"}, 403),
    ({"host": "192.168.1.5:2024", "origin": "http://192.168.1.5:2024"}, None),
    ({"host": "ana.example.org", "origin": "https://evil.example"}, 403),
]


@pytest.mark.parametrize(("headers", "refused"), HOSTS)
def test_a_server_answers_for_its_own_names_and_their_pages_alone(headers: dict[str, str], refused: int | None) -> None:
    refusal = find_refusal("/threads", headers, frozenset(), OURS_OUTSIDE)
    assert (refusal and refusal[0]) == refused


@pytest.mark.parametrize(
    ("server", "host", "status"),
    [
        ("192.168.1.5", "192.168.1.5:2024", 200),
        ("192.168.1.5", "192.168.1.6:2024", 421),
        ("evil.example", "evil.example", 421),
        ("127.0.0.1", "ana.example.org", 200),
    ],
)
def test_the_address_at_which_a_request_arrived_is_ours_and_a_name_only_if_it_is_set(
    server: str, host: str, status: int
) -> None:
    client = TestClient(Guard(echo, hosts=("ana.example.org",)), f"http://{server}")
    assert client.get("/any", headers={"host": host}).status_code == status


@pytest.mark.parametrize("headers", [{"x": "x" * 10_000_000}, {f"x{n}": "y" * 1000 for n in range(40)}])
def test_ten_megabytes_of_headers_are_refused_with_a_sentence(headers: dict[str, str]) -> None:
    answer = TestClient(Guard(echo), "http://localhost").get("/any", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (431, "The headers are larger than 32,000 bytes.")
