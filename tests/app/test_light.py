"""Commands that index, journal and traces can answer import neither Chroma nor what talks to models."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ana.settings import PROJECT
from ana.time.clock import Clock
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER, folders

HEAVY = (
    "chromadb",
    "langchain",
    "langchain_core",
    "langchain_chroma",
    "langgraph",
    "onnxruntime",
    "tokenizers",
    "openai",
    "apprise",
)

LIGHT = (
    ["--help"],
    ["due", "--json"],
    ["today"],
    ["items"],
    ["items", "--where", '{"status": "active"}'],
    ["history"],
    ["traces"],
    ["cost"],
    ["threads", "list"],
    ["trash", "list"],
    ["remind", "--once"],
)

WITHOUT_VECTORS = (["--help"], ["traces"], ["cost"], ["threads", "list"])
"""Commands that open no store of items, whose index is of numpy's arrays."""

SCRIPT = """
import sys
from app.cli import main

try:
    main.main()
except SystemExit as exc:
    print(exc.code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two items, a line, a conversation and its trace."""
    path = tmp_path_factory.mktemp("lived-in")
    memory = open_memory(path / "data", EMBEDDER, Clock(BERLIN, lambda: datetime.now(UTC)))
    memory.create(
        "Renew the passport", {"type": "task", "status": "active", "due_date": "2026-01-13", "remind": "1 day before"}
    )
    memory.create("The spare key is in the blue tin")
    memory.append_line("Likes tea")
    memory.close()
    assert run(path, "ask", "Note: milk is out").returncode == 0
    return path


def run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Start a command from nothing; the last line on standard error is its exit code and what was imported."""
    env = os.environ | folders(path, LLM_PROVIDER="offline", ANA_NOTIFY="json://127.0.0.1:9/bell")
    command = [sys.executable, "-c", SCRIPT, *arguments]
    return subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", LIGHT, ids=" ".join)
def test_a_light_command_imports_nothing_heavy(lived_in: Path, command: list[str]) -> None:
    code, *imported = run(lived_in, *command).stderr.splitlines()[-1].split()
    assert code in ("0", "4")
    assert not set(HEAVY) & set(imported)
    assert command not in WITHOUT_VECTORS or "numpy" not in imported


def test_the_commands_that_are_light_answer_from_what_is_kept(lived_in: Path) -> None:
    assert [item["content"] for item in json.loads(run(lived_in, "due", "--json").stdout)["overdue"]] == [
        "Renew the passport"
    ]
    found = json.loads(run(lived_in, "items", "--json").stdout)
    assert {item["content"] for item in found["items"]} == {
        "Renew the passport",
        "The spare key is in the blue tin",
        "milk is out",
    }
