"""`make bench`: speed as ratios inside one run, medians of several, against the thing each part replaces."""

import argparse
import json
import os
import pty
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.children import start_python
from ana.embedders import WordLlamaEmbeddings
from ana.time.clock import Clock, find_local_zone
from evals.bench import create as bench_create
from evals.bench import page as bench_page
from evals.bench import people as bench_people
from evals.bench import server as bench_server
from evals.bench import store as bench_store
from evals.bench import turn as bench_turn
from evals.figures import PAGE
from evals.pages import replace_parts
from evals.retrieval.measure import score_half
from evals.sentences.measure import score_sentences

Row = tuple[str, str]
Part = Callable[[], Iterable[Row]]


def build_environment(folder: Path) -> dict[str, str]:
    """Return the environment of an `ana` that works on a folder of its own."""
    here = {"ANA_DATA_DIR": folder / "data", "TRACES_DIR": folder / "traces", "LOG_FILE_PATH": folder / "ana.log"}
    fixed = {"LLM_PROVIDER": "offline", "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    return os.environ | {key: str(path) for key, path in here.items()} | fixed


def time_start(folder: Path, typed: bytes = b"What is 6 * 7?", awaited: bytes = b"= 42") -> tuple[float, float]:
    """Return the seconds from the start of `ana chat` in a terminal to its prompt, and to the answer to a question.

    Args:
        folder: The data folder.
        typed: The question.
        awaited: Text that only its answer contains.
    """
    master, slave = pty.openpty()
    begun = time.perf_counter()
    env = build_environment(folder)
    process = start_python("-m", "app.cli", "chat", env=env, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    _read_until(master, b"\x1b[?2004h")  # prompt_toolkit switches bracketed paste on when it can be typed to
    prompt = time.perf_counter() - begun
    os.write(master, typed + b"\r")
    _read_until(master, awaited)
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
    from ana.handles import open_handles
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from app.turn import open_assistant

    sentences = (
        "find the bicycle report",
        "what's due this week?",
        "add call the bank tomorrow",
        "done with the bicycle report",
    )
    times: dict[str, list[float]] = {text: [] for text in sentences}
    with open_assistant(open_handles(open_workspace(load_settings(build_environment(folder))))) as assistant:
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
        backend.fill([bench_store.make_item(n, clock.stamp()) for n in range(10_000)])
        backend.close()
        times = [time_start(folder, b"find the bicycle report", b"to be looked at")[1] for _ in range(5)]
        yield "process start to a search's answer, 10,000 items (goal 2 s)", f"{statistics.median(times):.2f} s"
        yield measure_memory("10,000 items")
        for sentence, each in time_answers(folder).items():
            yield f"Enter to answer, 10,000 items: {sentence} (goal 0.2 s)", f"{statistics.median(each):.3f} s"


def measure_prompt() -> Iterable[Row]:
    """Measure the tokens of system prompt and schemas, four characters a token."""
    from nodes.load_context import calendar
    from nodes.reason import describe_now, system_prompt
    from tools.catalog import schemas

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


def measure_recall() -> Iterable[Row]:
    """Measure recall@5, recall@10 and mean reciprocal rank on the held-out halves of evals/data, with wordllama."""
    return ((f"found: {name}", figure) for name, figure in score_half(WordLlamaEmbeddings()))


def measure_server() -> Iterable[Row]:
    """Measure turns through our server."""
    return bench_server.measure(build_environment)


def measure_page() -> Iterable[Row]:
    """Measure the page in front of many items."""
    return bench_page.measure(build_environment)


def measure_people() -> Iterable[Row]:
    """Measure what many people cost in one server."""
    return bench_people.measure(build_environment)


SPEED: tuple[Part, ...] = (
    measure_start,
    measure_full_folder,
    measure_prompt,
    bench_create.measure,
    bench_turn.measure,
    bench_store.measure,
    measure_server,
    measure_people,
    measure_page,
)


def measure_all(parts: Iterable[Part]) -> Iterable[Row]:
    """Print every row as it is measured, and return it."""
    for part in parts:
        for name, figure in part():
            print(f"{name:<72} {figure}", flush=True)
            yield name, figure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.bench", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the figures of speed into docs/figures.md")
    write = parser.parse_args().write
    rows = [f"| {name.strip()} | {figure} |" for name, figure in measure_all(SPEED)]
    list(measure_all((score_sentences, measure_recall)))
    if write:
        table = "\n".join(["| | |", "| --- | --- |", *rows])
        PAGE.write_text(replace_parts(PAGE, {"speed": table}), encoding="utf-8")
