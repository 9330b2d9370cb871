"""What storing one item costs, counted and not timed: the calls of one turn, and what it makes the disk do.

The turn runs in a process of its own, `python -m evals.bench.create FOLDER`, under strace where that is installed.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

from ana.backends.chroma.acts import Acts
from ana.backends.chroma.folder import Folder
from ana.children import run_python
from ana.handles import open_handles
from ana.locks import OwnerLock
from ana.output import write_json
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.turn import open_assistant
from evals.load.server import name_places

COUNTED = ((Folder, "hold"), (OwnerLock, "acquire"), (Acts, "settle"))
"""What is counted."""

BEGIN, END = "create-begins", "create-ends"
"""Folders that the turn makes before and after, by which strace's log is cut."""


def measure() -> Iterable[tuple[str, str]]:
    """Count the calls of a create, and the files that it flushes to the disk."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "strace.log"
        strace = ("strace", "-f", "-o", str(log), "-e", "trace=fsync,fdatasync,mkdir,mkdirat")
        done = run_python("-m", "evals.bench.create", name, under=strace if shutil.which("strace") else ())
        if done.returncode:
            raise RuntimeError(done.stderr)
        calls = json.loads(done.stdout)
        yield "a create, local door: enters Folder.hold (goal at most 8)", str(calls["Folder.hold"])
        yield "  takes OS locks, of the data folder and of the thread", str(calls["OwnerLock.acquire"])
        flushed = str(count_flushes(log.read_text())) if log.exists() else "not known: strace is not installed"
        yield "  flushes files to the disk, Chroma's and langgraph's included", flushed


def count_create(folder: Path) -> dict[str, int]:
    """Store a second item in a thread, and return how often each of `COUNTED` was called meanwhile."""
    env = name_places(folder, ANA_EMBEDDINGS="wordllama")
    thread = "00000000-0000-4000-8000-000000000001"
    with ExitStack() as stack:
        assistant = stack.enter_context(open_assistant(open_handles(open_workspace(load_settings(env)))))
        assistant.ask("add buy milk tomorrow", thread)  # which opens what every later one has
        calls = {
            f"{owner.__name__}.{name}": stack.enter_context(
                patch.object(owner, name, autospec=True, side_effect=getattr(owner, name))
            )
            for owner, name in COUNTED
        }
        (folder / BEGIN).mkdir()
        assistant.ask("add call the bank on Friday", thread)
        (folder / END).mkdir()
        assert assistant.handles.memory.count() == 2
        return {name: call.call_count for name, call in calls.items()}


def count_flushes(log: str) -> int:
    """Return how many calls of fsync and fdatasync there are in a log of strace between the two marks."""
    between = log.partition(BEGIN)[2].partition(END)[0]
    return sum(f" {call}(" in line for line in between.splitlines() for call in ("fsync", "fdatasync"))


def main(folder: Path) -> None:
    write_json(count_create(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
