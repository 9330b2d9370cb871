"""A folder in which `ana` lives, as people use it: one command after the other, the model a script."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import chromadb

from tests.command_line import run_here
from tests.conftest import folders
from tests.openai_stub import Stub


class Home:
    """A folder in which `ana` lives.

    Args:
        folder: The folder.
        model: A loopback server, which is OpenAI for `ana`.
    """

    def __init__(self, folder: Path, model: Stub) -> None:
        self.folder, self.model = folder, model
        openai = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "large"}
        self.env = folders(folder, **openai, OPENAI_BASE_URL=model.url)

    def run(self, *arguments: str, **env: str) -> str:
        """Run a command and return what it prints."""
        done = run_here(*arguments, cwd=self.folder, env=self.env | env)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ask(self, said: str, *replies: Any, thread: str = "talk", **env: str) -> Any:
        """Run a turn whose model replies from a script; return what `ana ask --json` prints."""
        self.model.script = list(replies)
        return json.loads(self.run("ask", said, "--json", "--thread", thread, **env))

    def read_chroma(self) -> dict[str, Any]:
        """Return the collections of the store with their documents and vectors, as Chroma alone reads them."""
        path = next(self.folder.rglob("chroma.sqlite3")).parent
        opened: Any = chromadb.PersistentClient(path)
        with closing(opened) as client:
            return {each.name: each.get(include=["documents", "embeddings"]) for each in client.list_collections()}
