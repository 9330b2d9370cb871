"""The program as people start it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ana.settings import PROJECT
from tests.conftest import folders

ANA = [sys.executable, "-m", "app.cli"]
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def ana(tmp_path: Path) -> Run:
    """Runs `ana` offline on a folder of its own, from another current folder."""

    def run(*arguments: str, given: str = "", **env: str) -> Done:
        return subprocess.run(
            [*ANA, *arguments],
            input=given,
            cwd=tmp_path,
            env=os.environ | folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT)) | env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
