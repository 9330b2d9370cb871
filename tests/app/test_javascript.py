"""The JavaScript client and our server; `make js` installs the client and runs this."""

import subprocess
from pathlib import Path

import pytest

from ana.settings import PROJECT
from evals.load.server import running
from tests.conftest import folders
from tests.openai_stub import openai_stub, stores_what_is_said
from tests.readme import README_URL, read_example

pytestmark = pytest.mark.node

PACKAGES = PROJECT / "tests" / "js" / "node_modules"


def test_the_javascript_example_of_the_readme_runs(tmp_path: Path) -> None:
    with openai_stub(stores_what_is_said) as stub:
        env = folders(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="sk-test-secret", OPENAI_BASE_URL=stub.url)
        with running(env, tmp_path / "server.log") as server:
            done = run_node(tmp_path, read_example("javascript").replace(README_URL, server.url))
    assert (done.stdout, done.stderr) == ("Saved.\n", "")


def run_node(folder: Path, script: str) -> "subprocess.CompletedProcess[str]":
    """Run a module of JavaScript with the packages of tests/js."""
    (folder / "node_modules").symlink_to(PACKAGES)
    file = folder / "script.mjs"
    file.write_text(script)
    return subprocess.run(["node", str(file)], capture_output=True, text=True, timeout=60, check=False)
