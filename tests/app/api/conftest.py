"""Our own server in this process, on loopback; a header says whose request it is, as a token does."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.app import build_app
from tests.conftest import folders


class NamesPerson:
    """Sets the person as whoever checks tokens does."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if name := dict(scope.get("headers", ())).get(b"x-person"):
            scope["state"] = {**scope.get("state", {}), "person": name.decode()}
        await self._app(scope, receive, send)


class Running:
    """A server that answers.

    Args:
        app: The application.
        url: Where.
    """

    def __init__(self, app: Starlette, url: str) -> None:
        self.app = app
        self.url = url

    def client(self, person: str = "owner") -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"x-person": person}, timeout=60)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a deployment, which the environment names."""
    for name, value in folders(tmp_path, LLM_PROVIDER="offline", ANA_AUTONOMY="confirm").items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def running(home: Path) -> Iterator[Running]:
    app = build_app()
    app.add_middleware(NamesPerson)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "the server did not start"
    yield Running(app, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    server.should_exit = True
    thread.join()
