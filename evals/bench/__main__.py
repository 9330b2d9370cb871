"""`make bench`: speed as ratios inside one run, medians of several, against the thing each part replaces."""

import json
import os
import pty
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

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


def time_start(folder: Path, typed: str = "find the bicycle", awaited: str = "no changes") -> tuple[float, float]:
    """Return the seconds from the start of `ana chat` in a terminal to its prompt, and to the answer to a question.

    Args:
        folder: The data folder.
        typed: The question.
        awaited: Text that only its answer contains.
    """
    master, slave = pty.openpty()
    begun = time.perf_counter()
    env = name_places(folder, TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
    process = start_python("-m", "app.cli", "chat", env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    _read_until(master, b"\x1b[?2004h")  # prompt_toolkit switches bracketed paste on when it can be typed to
    prompt = time.perf_counter() - begun
    os.write(master, f"{typed}\r".encode())
    _read_until(master, awaited.encode())
    answer = time.perf_counter() - begun
    process.kill()
    process.wait()
    os.close(master)
    return prompt, answer


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
        time_start(Path(name))
        times = [time_start(Path(name)) for _ in range(7)]
    prompt, answer = (statistics.median(t[side] for t in times) for side in (0, 1))
    yield "process start to prompt, in a terminal (goal 0.3 s)", f"{prompt:.2f} s"
    yield "process start to first answer (goal 2 s)", f"{answer:.2f} s"
    yield measure_memory("an empty folder")


def measure_full_folder() -> Iterable[Row]:
    """Measure process start to the first answer of a search, and Enter to later ones, with 10,000 items."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clock = Clock(find_local_zone("UTC"))
        backend = ChromaBackend(folder / "data", WordLlamaEmbeddings())
        backend.take_records("item", [(store.make_item(n, clock.stamp()), None) for n in range(10_000)])
        backend.close()
        times = [time_start(folder, "find the bicycle report", "to be looked at")[1] for _ in range(5)]
        yield "process start to a search's answer, 10,000 items (goal 2 s)", f"{statistics.median(times):.2f} s"
        yield measure_memory("10,000 items")
        for sentence, each in time_answers(folder).items():
            yield f"Enter to answer, 10,000 items: {sentence} (goal 0.2 s)", f"{statistics.median(each):.3f} s"


def measure_prompt() -> Iterable[Row]:
    """Measure the tokens of system prompt and schemas, four characters a token."""
    clock = Clock(find_local_zone("Europe/Berlin"))
    now = calendar(clock.now(), clock.zone_name)
    prompt = system_prompt({}) + describe_now({"now": now, "vocabulary": "", "lines": {}}, "turn")
    tools = json.dumps(schemas())
    yield (
        "prompt and tool schemas, empty context (goal under 2,900 tokens)",
        f"{(len(prompt) + len(tools)) // 4:,} tokens",
    )


def measure_memory(of: str) -> Row:
    """Measure the most memory that an `ana chat` has taken so far."""
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return f"memory of `ana chat`, {of}", f"{most:.0f} MB"


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
