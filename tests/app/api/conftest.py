"""A household of three on our own server: a process of its own, which all tests of a module share."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from ana.people import People
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from tests.conftest import folders
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

    def calendar_key(self, name: str) -> str:
        return open_workspace(self.settings, name).calendar_key()


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    folder = tmp_path_factory.mktemp("household")
    env = folders(folder, LLM_PROVIDER="offline")
    settings = load_settings(env)
    people = People(settings)
    tokens = {name: people.renew(name) if name == "owner" else people.add(name) for name in NAMES}
    with own_serving(env, folder / "server.log") as server:
        yield Household(server.url, settings, tokens)
