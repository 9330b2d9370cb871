"""Households on our own server: in a process of its own, which all tests share, or in this one."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from ana.people import People
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from app.server.app import build_app
from tests.conftest import folders, live_in
from tests.postgres.server import keeping
from tests.servers import own_serving

NAMES = ("owner", "anna", "ben")


@dataclass
class Household:
    """A server, and who may use it.

    Args:
        url: Where it answers.
        settings: Its settings.
        tokens: By person.
    """

    url: str
    settings: Settings
    tokens: dict[str, str]

    def client(self, name: str = "") -> httpx.Client:
        """A client of a person, or of nobody."""
        headers = {"authorization": f"Bearer {self.tokens.get(name, name)}"} if name else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)

    def get_calendar_key(self, name: str) -> str:
        return open_workspace(self.settings, name).get_calendar_key()


@pytest.fixture(scope="session", params=["folder", "database"])
def household(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with keeping(request.param) as kept:
        yield from _serve(tmp_path_factory.mktemp("household"), kept)


def _serve(folder: Path, kept: dict[str, str]) -> Iterator[Household]:
    env = folders(folder, LLM_PROVIDER="offline", **kept)
    settings = load_settings(env)
    people = People(settings)
    tokens = {name: people.renew(name) if name == "owner" else people.add(name) for name in NAMES}
    with own_serving(env, folder / "server.log") as server:
        yield Household(server.url, settings, tokens)


@dataclass
class Running:
    """A server in this process, and who may use it.

    Args:
        app: The application.
        url: Where it answers.
        tokens: By person.
    """

    app: Starlette
    url: str
    tokens: dict[str, str]

    def headers(self, person: str = "owner") -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[person]}"}

    def client(self, person: str = "owner") -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=self.headers(person), timeout=60)


@pytest.fixture(params=["folder", "database"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a deployment, which the environment names."""
    with keeping(request.param) as kept:
        live_in(tmp_path, monkeypatch, ANA_AUTONOMY="confirm", **kept)
        yield tmp_path


@pytest.fixture
def running(home: Path) -> Iterator[Running]:
    people = People(load_settings())
    tokens = {"owner": people.renew("owner"), "ann": people.add("ann"), "bob": people.add("bob")}
    app = build_app()
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "the server did not start"
    yield Running(app, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", tokens)
    server.should_exit = True
    thread.join()
