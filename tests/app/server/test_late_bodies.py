"""A body that stands still is given up at every door that takes one."""

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Message

from app.server.app import build_app
from app.server.guard import FILE_FORM, FILES, FORM, Guard, is_page
from tests.conftest import live_in

IDS = {"thread_id": "0b0e2d2e-0000-4000-8000-000000000000", "line:int": "0"}


def list_doors(app: Starlette) -> list[tuple[str, str, str]]:
    """Return method, path and kind of body of every route that takes one."""
    routes = [route for route in app.routes if isinstance(route, Route)]
    taking = [
        (m, route.path) for route in routes for m in (route.methods or ("POST",)) if m in ("POST", "PATCH", "PUT")
    ]
    return [(method, _fill(path), _kind(path)) for method, path in taking]


def _fill(path: str) -> str:
    for name in ("thread_id", "run_id", "id", "name", "rest:path", "assistant_id", "line:int", "checkpoint_id"):
        path = path.replace(f"{{{name}}}", IDS.get(name, "x"))
    return path


def _kind(path: str) -> str:
    return f"{FILE_FORM}; boundary=B" if path == FILES else FORM if is_page(path) else "application/json"


async def send_half(app: Starlette, method: str, path: str, kind: str) -> int:
    begun: list[Message] = [{"type": "http.request", "body": b"--B" if path == FILES else b'{"a', "more_body": True}]
    sent: list[Message] = []

    async def receive() -> Message:
        if not begun:
            await asyncio.Event().wait()
        return begun.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-length", b"1000"), (b"content-type", kind.encode())]
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": b""}
    await app(scope | {"server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2), "scheme": "http"}, receive, send)
    return int(sent[0]["status"])


def test_a_half_sent_body_is_answered_at_every_door(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(tmp_path, monkeypatch)
    app = build_app()
    outermost = app.user_middleware[0]
    assert str(outermost.cls) == str(Guard)
    outermost.kwargs["seconds"] = 0.2

    async def play() -> dict[tuple[str, str], int]:
        async with app.router.lifespan_context(app):
            doors = list_doors(app)
            statuses = await asyncio.gather(*(send_half(app, *door) for door in doors))
            return {(m, path): status for (m, path, _), status in zip(doors, statuses, strict=True)}

    told = asyncio.run(asyncio.wait_for(play(), 60))
    assert len(told) > 50
    # a button's address that nobody signed is refused before its body is looked at
    refused = {(method, path): 404 for method, path in told if path.startswith("/app/reminder/")}
    assert {door: status for door, status in told.items() if status != 408} == refused
