"""The program as people start it, but for the imports (see tests/forks.py), and one dev server for all tests."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from ana.settings import PROJECT, Settings, load_settings
from evals.load.server import Server
from nodes.receipt import strip_receipt
from tests.command_line import run_here
from tests.conftest import MakeAssistant, folders, live_in
from tests.forks import run_forked
from tests.openai_stub import Said, Stub, openai_stub
from tests.postgres.server import keeping
from tests.reminders.collector import Collector, collecting
from tests.servers import Serve, own_serving, serving

if TYPE_CHECKING:
    from tests.app.doors import Desk

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def ana(tmp_path: Path) -> Run:
    """Runs `ana` offline on a folder of its own, from another current folder, in this process."""

    def run(*arguments: str, given: str = "", **env: str) -> Done:
        return run_here(*arguments, given=given, cwd=tmp_path, env=folders(tmp_path, LLM_PROVIDER="offline") | env)

    return run


@pytest.fixture
def ana_forked(tmp_path: Path) -> Run:
    """The same in a process of its own, where a process is what is tested."""

    def run(*arguments: str, given: str = "", **env: str) -> Done:
        env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT)) | env
        return run_forked("-m", "app.cli", *arguments, stdin=given, cwd=tmp_path, env=env)

    return run


def command_line(env: Mapping[str, str], *arguments: str) -> str:
    """Run a command of `ana` that is to succeed or to ask; return what it prints."""
    done = run_here(*arguments, env=env)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


@pytest.fixture
def desk(make_assistant: MakeAssistant, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> "Desk":
    """A store with two things, which an assistant wants to delete, and the doors at which a person decides on that."""
    from tests.app.doors import Desk

    return Desk(make_assistant(), settings, monkeypatch)


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Somewhere to ring."""
    with collecting() as collector:
        yield collector


HELLO = Said("Hello there.")
"""What the model of the dev server answers without a script."""


@pytest.fixture
def home(lived_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder that a module of tests has lived in, which the environment names."""
    path = shutil.copytree(lived_in, tmp_path / "home")
    live_in(path, monkeypatch)
    return path


@pytest.fixture(scope="session")
def server_model() -> Iterator[Stub]:
    with openai_stub(HELLO) as stub:
        yield stub


SERVERS: dict[str, Serve] = {"dev server": serving, "own server": own_serving, "database": own_serving}
"""The last one keeps everything in a database."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what front ends do with a server on both, or on one; where it is marked so on a database, too."""
    if "server_name" in metafunc.fixturenames:
        dev, own, also = (
            metafunc.definition.get_closest_marker(name) for name in ("dev_server", "own_server", "database")
        )
        names = [*SERVERS][1 if own else 0 : 1 if dev else 3 if also else 2]
        metafunc.parametrize("server_name", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def server_name(request: pytest.FixtureRequest) -> str:
    """The name of one of the servers."""
    return str(request.param)


@pytest.fixture(scope="session")
def serve(server_name: str) -> Serve:
    """Starts that server."""
    return SERVERS[server_name]


@pytest.fixture(scope="session")
def server_env(
    tmp_path_factory: pytest.TempPathFactory, server_model: Stub, server_name: str
) -> Iterator[dict[str, str]]:
    """The environment of a server: its folder is not a test's own, nor another server's."""
    model = {"OPENAI_BASE_URL": server_model.url, "OPENAI_API_KEY": "sk-test-secret", "OPENAI_MODEL": "one"}
    # a long history is cut, and then the state would no longer hold every message
    more = {"LLM_PROVIDER": "openai", "ANA_HISTORY_TOKENS": "100000"}
    with keeping(server_name) as kept:
        yield folders(tmp_path_factory.mktemp("server"), **model, **more, **kept)


@pytest.fixture(scope="session")
def server_log(tmp_path_factory: pytest.TempPathFactory, serve: Serve, server_env: dict[str, str]) -> Path:
    """Where a server says what it refuses: the dev server on its console, ours in its log."""
    return Path(server_env["LOG_FILE_PATH"]) if serve is own_serving else tmp_path_factory.mktemp("log") / "server.log"


@pytest.fixture(scope="session")
def server_settings(server_env: dict[str, str]) -> Settings:
    return load_settings(server_env)


@pytest.fixture(scope="session")
def files_at_start(serve: Serve) -> set[str]:
    """Filled when the dev server has started: what its data folder holds then."""
    return set()


@pytest.fixture(scope="session")
def server(
    serve: Serve,
    server_env: dict[str, str],
    server_log: Path,
    server_settings: Settings,
    files_at_start: set[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A server. It takes seconds to start, so tests share it; each uses threads of its own."""
    console = tmp_path_factory.mktemp("console") / "server.log" if serve is own_serving else server_log
    with serve(server_env, console) as server:
        files_at_start |= {path.name for path in server_settings.ana_data_dir.iterdir()}
        yield server


@pytest.fixture
def stub(server_model: Stub) -> Stub:
    """The model of the dev server, without what an earlier test has left in its script."""
    server_model.script = [HELLO]
    return server_model


@pytest.fixture
def client(server: Server, stub: Stub) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server.url, timeout=60) as client:
        yield client


@pytest.fixture
def thread(client: SyncLangGraphClient) -> str:
    return str(client.threads.create()["thread_id"])


def texts(client: SyncLangGraphClient, thread: str) -> list[str]:
    """Return what was said in a conversation, without receipts."""
    values: Any = client.threads.get_state(thread)["values"] or {}
    said = (m for m in values.get("messages", []) if m["type"] != "tool" and m["content"])
    return [strip_receipt(message["content"]) for message in said]


def say(question: str | list[Any]) -> dict[str, Any]:
    """The input of a run."""
    return {"messages": [{"role": "user", "content": question}]}
