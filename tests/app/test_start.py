"""The prompt appears before anything heavy is loaded."""

import subprocess
import sys

from ana.settings import PROJECT

HEAVY = ("numpy", "chromadb", "langchain_core", "langgraph", "wordllama", "onnxruntime", "openai")


def test_the_repl_is_imported_without_what_answers_need() -> None:
    script = f"import sys, app.cli.main, app.repl.repl; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
