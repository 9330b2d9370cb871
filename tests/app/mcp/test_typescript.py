"""The official TypeScript client and `ana mcp`; `make js` installs the client and runs this."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ana.settings import PROJECT
from tests.conftest import folders

pytestmark = pytest.mark.node


def test_the_typescript_client_gets_all_of_it(tmp_path: Path) -> None:
    server = (sys.executable, "-m", "app.cli", "mcp")
    done = subprocess.run(
        ["node", str(PROJECT / "tests" / "js" / "mcp.mjs"), *server],
        cwd=PROJECT,
        env={**os.environ, **folders(tmp_path, LLM_PROVIDER="offline")},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all of it\n"
