"""`make bench`: speed as ratios inside one run, medians of several, against the thing each part replaces."""

import json
import os
import pty
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ana.backends.chroma.backend import ChromaBackend
from ana.children import start_python
from ana.embedders import WordLlamaEmbeddings
from ana.handles import open_handles
from ana.settings import load_settings
from ana.time.clock import Clock, find_local_zone
from ana.workspace import open_workspace
from app.turn import open_assistant
from evals.bench import create, page, server, store, turn
from evals.figures import PAGE
from evals.load.server import name_places
from evals.pages import draw_table, replace_parts
from nodes.load_context import calendar
from nodes.reason import describe_now, system_prompt
from tools.catalog import schemas

Row = tuple[str, str]
Part = Callable[[], Iterable[Row]]


class Start(NamedTuple):
    """The start of `ana chat` in a terminal: seconds to its prompt and first answer, and its most memory in MB."""

    prompt: float
    answer: float
    memory: float


def measure_chat(folder: Path, typed: str = "find the bicycle") -> Start:
    """Start `ana chat` on a data folder, and wait for the answer to a question, which changes nothing."""
    master, slave = pty.openpty()
    begun = time.perf_counter()
    env = name_places(folder, TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
    process = start_python("-m", "app.cli", "chat", env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    _read_until(master, b"\x1b[?2004h")  # prompt_toolkit switches bracketed paste on when it can be typed to
    prompt = time.perf_counter() - begun
    os.write(master, f"{typed}\r".encode())
    _read_until(master, b"no changes")
    answer = time.perf_counter() - begun
    memory = _read_most_memory(process.pid)
    process.kill()
    process.wait()
    os.close(master)
    return Start(prompt, answer, memory)


def _read_most_memory(process: int) -> float:
    """Return the most memory that a running process has taken, in MB, on Linux.

    What `getrusage` says of a child is at least the memory that its parent had when it started the child.
    """
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    most = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(most.split()[1]) / 1024


def _read_until(master: int, text: bytes) -> None:
    output = b""
    while text not in output:
        output += os.read(master, 65536)


def time_answers(folder: Path) -> dict[str, list[float]]:
    """Return for some sentences the seconds from Enter to the offline reader's answers, in one process."""
    sentences = ("find the bicycle report", "add call the bank tomorrow")
    times: dict[str, list[float]] = {text: [] for text in sentences}
    with open_assistant(open_handles(open_workspace(load_settings(name_places(folder))))) as assistant:
        for turn in range(11):
            for text in sentences:
                begun = time.perf_counter()
                assistant.ask(text, f"00000000-0000-4000-8000-{turn:012}")
                if turn:  # the first loads what every later one has
                    times[text].append(time.perf_counter() - begun)
    return times


def measure_start() -> Iterable[Row]:
    """Measure process start to prompt, and to the first answer."""
    with tempfile.TemporaryDirectory() as name:
        measure_chat(Path(name))
        starts = [measure_chat(Path(name)) for _ in range(7)]
    prompt, answer, memory = map(statistics.median, zip(*starts, strict=True))
    yield "process start to prompt, in a terminal (goal 0.3 s)", f"{prompt:.2f} s"
    yield "process start to first answer (goal 2 s)", f"{answer:.2f} s"
    yield "memory of `ana chat`, an empty folder", f"{memory:.0f} MB"


def measure_full_folder() -> Iterable[Row]:
    """Measure process start to the first answer of a search, and Enter to later ones, with 10,000 items."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock(find_local_zone("UTC"))
        backend = ChromaBackend(folder / "data", WordLlamaEmbeddings())
        backend.take_records("item", [(store.make_item(n, clock.stamp()), None) for n in range(10_000)])
        backend.close()
        starts = [measure_chat(folder, "find the bicycle report") for _ in range(5)]
        _, answer, memory = map(statistics.median, zip(*starts, strict=True))
        yield "process start to a search's answer, 10,000 items (goal 2 s)", f"{answer:.2f} s"
        yield "memory of `ana chat`, 10,000 items", f"{memory:.0f} MB"
        for sentence, each in time_answers(folder).items():
            yield f"Enter to answer, 10,000 items: {sentence} (goal 0.2 s)", f"{statistics.median(each):.3f} s"


def measure_prompt() -> Iterable[Row]:
    """Measure the tokens of system prompt and schemas, four characters a token."""
    clock = Clock(find_local_zone("Europe/Berlin"))
    now = calendar(clock.now(), clock.zone_name)
    prompt = system_prompt({}) + describe_now({"now": now, "vocabulary": "", "lines": {}}, "turn")
    tools = json.dumps(schemas())
    yield (
        "prompt and tool schemas, empty context (goal 2,800 tokens)",
        f"{(len(prompt) + len(tools)) // 4:,} tokens",
    )


SPEED: tuple[Part, ...] = (
    measure_start,
    measure_full_folder,
    measure_prompt,
    create.measure,
    turn.measure,
    store.measure,
    server.measure,
    page.measure,
)


def main() -> None:
    """Print every figure as it is measured; with --write, write them into docs/figures.md."""
    rows = []
    for part in SPEED:
        for name, figure in part():
            print(f"{name:<72} {figure}", flush=True)
            rows.append((name.strip(), figure))
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(replace_parts(PAGE, {"speed": draw_table(("", ""), rows)}), encoding="utf-8")


if __name__ == "__main__":
    main()
