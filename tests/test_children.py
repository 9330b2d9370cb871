"""Every child process, started from a folder that holds a file for each name that it may import: none of them runs."""

import ast
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import packages_distributions
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from ana import __version__
from ana.memory.memory import Memory
from evals.imports import PACKAGES, nodes_of, source_files
from evals.load.server import free_port
from tests.conftest import folders
from tests.forks import run_forked

PWNED = "import os\nopen(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'pwned'), 'a').write(__file__)\n"
SETTINGS = "CHROMA_API_IMPL=pwned.Pwned\nCHROMA_SERVER_HOST=127.0.0.1\nIS_PERSISTENT=neither\nLLM_PROVIDER=nobody\n"
BIN = Path(sys.executable).parent

START = """
    from ana.children import start_python
    raise SystemExit(start_python(*sys.argv[1:], cwd=Path.cwd()).wait())
"""


@pytest.fixture(scope="module")
def importable() -> set[str]:
    """The names that Python can import here."""
    return {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize", "pwned"}


@pytest.fixture
def hostile(tmp_path: Path, importable: set[str]) -> Path:
    """A folder with everything that Python or ana might take from it; each file leaves a mark when it runs."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in importable:
        if name.isidentifier() and name not in PACKAGES:
            (folder / f"{name}.py").write_text(PWNED)
    for name in PACKAGES:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(PWNED)
    (folder / ".env").write_text(SETTINGS)
    (folder / "langgraph.json").write_text('{"graphs": {"ana": "pwned:graph"}, "dependencies": ["."]}')
    return folder


@pytest.fixture
def env(tmp_path: Path, chroma_memory: Memory) -> dict[str, str]:
    """The environment of a person with a folder of an item, who stands anywhere."""
    chroma_memory.create("buy milk")
    chroma_memory.close()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return clean | folders(tmp_path, LLM_PROVIDER="offline")


Command = list[str | Path]


def run(command: Command, cwd: Path, env: dict[str, str]) -> str:
    """Run a command to its end, which must be good, and return all that it printed."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def run_script(script: str, *arguments: str | Path) -> Command:
    lines = ["import sys", "from pathlib import Path", *(line.strip() for line in script.strip().splitlines())]
    return [sys.executable, "-P", "-c", "\n".join(lines), *arguments]


def check_the_store(hostile: Path, env: dict[str, str]) -> None:
    (hostile.parent / "data" / "generation").write_text("another start of the machine")
    said = run([BIN / "ana", "items"], hostile, env)
    assert "buy milk" in said
    assert "Checking the store" in said
    assert "damaged" not in said


def serve(hostile: Path, env: dict[str, str]) -> None:
    port, log = free_port(), hostile.parent / "server.log"
    command: Command = [BIN / "ana", "dev", "--no-reload", "--port", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=hostile, env=env, stdout=output, stderr=output)
    try:
        end = time.monotonic() + 90
        while time.monotonic() < end and server.poll() is None:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/ok", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError(log.read_text())
    finally:
        server.kill()
        server.wait()


def run_a_command(hostile: Path, env: dict[str, str]) -> None:
    assert "buy milk" in run(run_script(START, "-m", "app.cli", "items"), hostile, env)


def talk(hostile: Path, env: dict[str, str]) -> None:
    run(run_script(START, "-m", "evals.load.talker", "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"), hostile, env)


def count_a_create(hostile: Path, env: dict[str, str]) -> None:
    run(run_script(START, "-m", "evals.bench.create", hostile.parent / "counted"), hostile, env)


CHILDREN: dict[str, Callable[[Path, dict[str, str]], None]] = {
    "ana.backends.chroma.care.probe": check_the_store,
    "app.dev_server": serve,
    "app.cli": run_a_command,
    "evals.load.talker": talk,
    "evals.bench.create": count_a_create,
}
"""The modules that run as children, and how each is started."""


@pytest.mark.parametrize(
    "child",
    [pytest.param(child, marks=pytest.mark.long if child.startswith("evals.") else ()) for child in CHILDREN],
)
def test_a_child_runs_nothing_that_lies_where_the_person_stands(hostile: Path, env: dict[str, str], child: str) -> None:
    CHILDREN[child](hostile, env)
    assert not (hostile / "pwned").exists(), (hostile / "pwned").read_text()


def test_the_hostile_folder_is_hostile(hostile: Path) -> None:
    subprocess.run([sys.executable, "-m", "json.tool"], cwd=hostile, input=b"1", capture_output=True, check=False)
    assert (hostile / "pwned").exists()


def test_every_module_that_runs_as_a_child_is_in_the_list() -> None:
    started = {child for module in source_files() for child in find_started(nodes_of(module))}
    assert started == set(CHILDREN)


def find_started(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield what follows "-m" in a list of arguments."""
    for node in nodes:
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        words = [str(part.value) if isinstance(part, ast.Constant) else "" for part in parts]
        yield from (module for option, module in pairwise(words) if option == "-m" and module)


def test_children_of_children_are_isolated_too(tmp_path: Path) -> None:
    grandchild = "[sys.executable, '-c', 'import sys; print(sys.path[0])']"
    (tmp_path / "child.py").write_text(f"import subprocess, sys; print(subprocess.run({grandchild}).returncode)")
    command = run_script(START, str(tmp_path / "child.py"))
    printed = run(command, tmp_path, {"PATH": os.environ["PATH"]}).split()
    assert printed[-1] == "0"
    assert printed[0] not in ("", str(tmp_path))


def test_a_command_of_python_imports_nothing_more_from_there(tmp_path: Path, env: dict[str, str]) -> None:
    """`python -m app.cli` looks for itself there first; what it finds in its own place imports nothing from there."""
    for name in ("ana", "random", "typer", "chromadb", "graph", "tools", "uuid"):
        (tmp_path / f"{name}.py").write_text(PWNED)
    assert "buy milk" in run([sys.executable, "-m", "app.cli", "items"], tmp_path, env)
    assert not (tmp_path / "pwned").exists(), (tmp_path / "pwned").read_text()


def test_nobody_asks_git_about_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository's own configuration names programs that git runs; LangSmith's library asks it for a revision."""
    # a command that another test runs in this process leaves it
    monkeypatch.delenv("LANGSMITH_REVISION_ID", raising=False)
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    git.chmod(0o755)
    env = folders(tmp_path, LANGSMITH_TRACING="true", PATH=f"{git.parent}:{os.environ['PATH']}")
    ask = "from langsmith.env import get_langchain_env_var_metadata as ask; print(ask())"
    run_forked("-c", ask, env=env | {"LANGSMITH_TRACING": ""})
    assert (tmp_path / "pwned").exists(), "it would"
    (tmp_path / "pwned").unlink()
    done = run_forked("-c", f"from ana.tracing.langsmith import switch_on_or_off; switch_on_or_off(); {ask}", env=env)
    assert f"'revision_id': '{__version__}'" in done.stdout, done.stderr
    assert not (tmp_path / "pwned").exists()


def test_tools_of_ones_own_are_not_taken_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PWNED)
    env = folders(tmp_path, LLM_PROVIDER="offline", TOOLS_MODULES="mine")
    done = run_forked("-m", "app.cli", "ask", "hello", cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert "TOOLS_MODULES: mine cannot be used: ModuleNotFoundError" in done.stderr
    assert not (tmp_path / "pwned").exists()
