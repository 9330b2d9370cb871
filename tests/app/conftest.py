"""The program as people start it, but for the imports: see tests/forks.py."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ana.settings import PROJECT
from tests.conftest import folders
from tests.forks import run_forked

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def ana(tmp_path: Path) -> Run:
    """Runs `ana` offline on a folder of its own, from another current folder."""

    def run(*arguments: str, given: str = "", **env: str) -> Done:
        env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT)) | env
        return run_forked("-m", "app.cli", *arguments, given=given, cwd=tmp_path, env=env)

    return run
