"""Light commands and the prompt import neither Chroma nor what talks to models."""

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
from tests.command_line import run_here
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
import json
import sys
from app.cli import main

for sys.argv[1:] in json.loads(sys.argv[1]):
    try:
        main.main()
    except SystemExit as exc:
        print("ended", exc.code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
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
    assert run_here("ask", "Note: milk is out", env=folders(path, LLM_PROVIDER="offline")).returncode == 0
    return path


def run(path: Path, *commands: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run commands in a process that starts from nothing.

    For each a line on standard error, "ended", tells its exit code and what has been imported by then.
    """
    env = os.environ | folders(path, LLM_PROVIDER="offline", ANA_NOTIFY="json://127.0.0.1:9/bell")
    command = [sys.executable, "-c", SCRIPT, json.dumps(commands)]
    return subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)


def test_light_commands_import_nothing_heavy(lived_in: Path) -> None:
    commands = sorted(LIGHT, key=lambda command: command not in WITHOUT_VECTORS)
    lines = run(lived_in, *commands).stderr.splitlines()
    ends = [line.split()[1:] for line in lines if line.startswith("ended ")]
    assert len(ends) == len(LIGHT), lines
    for command, (code, *imported) in zip(commands, ends, strict=True):
        assert (code in ("0", "4"), set(HEAVY) & set(imported)) == (True, set()), command
        assert command not in WITHOUT_VECTORS or "numpy" not in imported, command


LATER = ("numpy", "wordllama", *HEAVY)
ELSEWHERE = ("ana.time.when", "ana.memory.search.query", "app.cli.doctor", "app.cli.setup")
"""Modules of ours that other commands need."""


def test_the_repl_is_imported_without_what_answers_and_other_commands_need() -> None:
    script = (
        "import importlib.metadata, sys\n"
        "from app.cli import main\n"
        "importlib.metadata.distributions = None  # whoever looks for plugins among all packages fails\n"
        "def load(_):\n"
        "    import app.repl.repl\n"
        "    main.load_command('chat')\n"
        f"    print([name for name in {LATER + ELSEWHERE} if name in sys.modules])\n"
        "main.run_command = load\n"
        "main.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
