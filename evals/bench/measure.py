"""`make bench`: speed as ratios inside one run, medians of several, against the thing each part replaces."""

import json
import os
import pty
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.settings import PROJECT
from ana.time.clock import Clock, local_zone
from evals.bench import long_threads as bench_long
from evals.bench import store as bench_store
from evals.bench import turn as bench_turn
from evals.retrieval import measure as retrieval
from evals.sentences import measure as sentences

Row = tuple[str, str]
Part = Callable[[], Iterable[Row]]


def environment(folder: Path) -> dict[str, str]:
    here = {"ANA_DATA_DIR": folder / "data", "TRACES_DIR": folder / "traces", "LOG_FILE_PATH": folder / "ana.log"}
    fixed = {"LLM_PROVIDER": "offline", "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    return os.environ | {key: str(path) for key, path in here.items()} | fixed


def in_terminal(folder: Path, typed: bytes = b"What is 6 * 7?", answered: bytes = b"= 42") -> tuple[float, float]:
    """Seconds from the start of `ana chat` in a terminal to its prompt, and to the answer to what is typed there.

    Args:
        folder: Where the data lies.
        typed: A question.
        answered: What only its answer holds.
    """
    master, slave = pty.openpty()
    begun = time.perf_counter()
    command = [sys.executable, "-m", "app.cli", "chat"]
    process = subprocess.Popen(command, env=environment(folder), cwd=PROJECT, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    _read_until(master, b"\x1b[?2004h")
    prompt = time.perf_counter() - begun
    os.write(master, typed + b"\r")
    _read_until(master, answered)
    answer = time.perf_counter() - begun
    process.kill()
    process.wait()
    os.close(master)
    return prompt, answer


def _read_until(master: int, text: bytes) -> None:
    seen = b""
    while text not in seen:
        seen += os.read(master, 65536)


def answered(folder: Path) -> dict[str, list[float]]:
    """Seconds from Enter to the answer of the offline reader, in one process, by what was said."""
    from ana.handles import open_handles
    from ana.settings import load_settings
    from app.turn import open_assistant

    said = (
        "find the bicycle report",
        "what's due this week?",
        "add call the bank tomorrow",
        "done with the bicycle report",
    )
    times: dict[str, list[float]] = {text: [] for text in said}
    with open_assistant(open_handles(load_settings(environment(folder)))) as assistant:
        for turn in range(11):
            for text in said:
                begun = time.perf_counter()
                assistant.ask(text, f"00000000-0000-4000-8000-{turn:012}")
                if turn:  # the first loads what every later one has
                    times[text].append(time.perf_counter() - begun)
    return times


def starting() -> Iterable[Row]:
    """Process start to prompt, and to the first answer."""
    with tempfile.TemporaryDirectory() as name:
        in_terminal(Path(name))
        times = [in_terminal(Path(name)) for _ in range(7)]
    prompt, answer = (statistics.median(t[side] for t in times) for side in (0, 1))
    yield "process start to prompt, in a terminal (goal 0.3 s)", f"{prompt:.2f} s"
    yield "process start to first answer (goal 2 s)", f"{answer:.2f} s"
    yield peak("an empty folder")


def starting_full() -> Iterable[Row]:
    """Process start to the first answer of a search, and Enter to later ones, with 10,000 items."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock(local_zone("UTC"))
        backend = ChromaBackend(folder / "data", WordLlamaEmbeddings())
        backend.fill([bench_store.item(n, clock.stamp()) for n in range(10_000)])
        backend.close()
        times = [in_terminal(folder, b"find the bicycle report", b"to be looked at")[1] for _ in range(5)]
        yield "process start to a search's answer, 10,000 items (goal 2 s)", f"{statistics.median(times):.2f} s"
        yield peak("10,000 items")
        for said, each in answered(folder).items():
            yield f"Enter to answer, 10,000 items: {said} (goal 0.2 s)", f"{statistics.median(each):.3f} s"


def prompting() -> Iterable[Row]:
    """Tokens of system prompt and schemas, four characters a token."""
    from nodes.load_context import calendar
    from nodes.reason import system_prompt
    from tools.catalog import schemas

    clock = Clock(local_zone("Europe/Berlin"))
    prompt = system_prompt({"now": calendar(clock.now(), clock.zone_name), "lines": {}})
    tools = json.dumps(schemas())
    yield (
        "prompt and tool schemas, empty context (goal under 2,000 tokens)",
        f"{(len(prompt) + len(tools)) // 4:,} tokens",
    )


def peak(of: str) -> Row:
    """The most memory that an `ana chat` has taken so far."""
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return f"memory of `ana chat`, {of}", f"{most:.0f} MB"


def found() -> Iterable[Row]:
    """Recall@5, recall@10 and mean reciprocal rank on the held-out halves of evals/data."""
    return ((f"found: {name}", figure) for name, figure in retrieval.rows())


def main() -> None:
    quick: tuple[Part, ...] = (starting, starting_full, prompting, bench_turn.rows, bench_long.rows)
    long: tuple[Part, ...] = (sentences.rows, found, bench_store.rows)
    for part in (*quick, *long):
        for name, figure in part():
            print(f"{name:<72} {figure}", flush=True)
