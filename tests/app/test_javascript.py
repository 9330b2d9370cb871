"""The JavaScript client and our server; `make js` installs the client and runs this."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ana.models.fence import unfence
from ana.settings import PROJECT
from evals.load.server import Server
from tests.app.mailer import MODULE
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.readme import README_URL, read_example
from tests.sent import typed
from tests.servers import Serve

pytestmark = pytest.mark.node

SCRIPTS = PROJECT / "tests" / "js"


class Model:
    """Does what the last message says: `store TEXT`, `mail ADDRESS`, `hold NAME`; and tells what a tool has said.

    Args:
        folder: For `hold`: NAME.reached is written there, and the answer given when there is NAME.open.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, request: dict[str, Any]) -> Said:
        last = request["messages"][-1]
        if last["role"] == "tool":
            return Said(f"Heard: {unfence(last['content'])}")
        word, _, rest = typed(last["content"]).partition(" ")
        if word == "hold":
            return self._hold(rest)
        calls = {"store": ("create_item", {"content": rest}), "mail": ("send_mail", {"to": rest})}
        return Said(calls=[calls[word]]) if word in calls else Said("Hello there you.")

    def _hold(self, name: str) -> Said:
        (self._folder / f"{name}.reached").touch()
        until = time.monotonic() + 30
        while not (self._folder / f"{name}.open").exists() and time.monotonic() < until:
            time.sleep(0.02)
        return Said("Too late.")


@pytest.fixture(scope="module")
def folder(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("javascript")


@pytest.fixture(scope="module")
def server(serve: Serve, folder: Path) -> Iterator[Server]:
    """A server with that model, and with a tool that asks."""
    (folder / "mailer.py").write_text(MODULE)
    with openai_stub(Model(folder)) as stub:
        env = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-test-secret", "OPENAI_BASE_URL": stub.url}
        env |= {"TOOLS_MODULES": "mailer", "PYTHONPATH": str(folder), "OUTBOX": str(folder / "outbox")}
        with serve(folders(folder, **env), folder / "server.log") as server:
            yield server


def run_node(script: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["node", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_the_javascript_example_of_the_readme_runs(server: Server, folder: Path) -> None:
    (folder / "node_modules").symlink_to(SCRIPTS / "node_modules")
    script = folder / "script.mjs"
    script.write_text(read_example("javascript").replace(README_URL, server.url))
    done = run_node(script)
    assert (done.stdout, done.stderr) == ("Hello there you.\n\n---\nno changes\n", "")


@pytest.mark.own_server
def test_the_javascript_client_finds_all_it_needs(server: Server, folder: Path) -> None:
    done = run_node(SCRIPTS / "conformance.mjs", server.url, str(folder))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("ok: ")
