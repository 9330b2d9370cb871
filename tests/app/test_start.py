"""The prompt appears before anything heavy is loaded."""

import subprocess
import sys

from ana.settings import PROJECT

HEAVY = ("numpy", "chromadb", "langchain_core", "langgraph", "wordllama", "onnxruntime", "openai")
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
        f"    print([name for name in {HEAVY + ELSEWHERE} if name in sys.modules])\n"
        "main.run_command = load\n"
        "main.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
