"""`make bench`: speed as ratios inside one run, medians of several, against the thing each part replaces."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from ana.settings import PROJECT
from evals import bench_store, bench_turn

Row = tuple[str, str]


def environment(folder: Path) -> dict[str, str]:
    here = {"ANA_DATA_DIR": folder / "data", "TRACES_DIR": folder / "traces", "LOG_FILE_PATH": folder / "ana.log"}
    return os.environ | {key: str(path) for key, path in here.items()} | {"LLM_PROVIDER": "offline"}


def until(text: str, command: list[str], folder: Path, given: str = "") -> float:
    """Seconds from a process's start until it has printed a text."""
    begun = time.perf_counter()
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=environment(folder), cwd=PROJECT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(given)
    process.stdin.flush()
    for line in process.stdout:
        if text in line:
            break
    else:
        raise AssertionError(f"{command} never printed {text!r}")
    spent = time.perf_counter() - begun
    process.stdin.close()
    process.stdout.read()
    process.wait()
    return spent


def starting() -> Iterable[Row]:
    """Process start to prompt, and to the first answer."""
    ana = [sys.executable, "-u", "-m", "app.cli"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        until("I know", [*ana, "chat"], folder, "I prefer deep work in the mornings\n")
        prompts = [until("ana ", [*ana, "chat"], folder) for _ in range(7)]
        answers = [until("42", [*ana, "ask", "What is 6 * 7?"], folder) for _ in range(5)]
    yield "process start to prompt (goal 0.3 s)", f"{statistics.median(prompts):.2f} s"
    yield "process start to first answer (goal 2 s)", f"{statistics.median(answers):.2f} s"


def prompting() -> Iterable[Row]:
    """Tokens of system prompt and schemas, four characters a token."""
    from ana.clock import Clock, local_zone
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


def remembering() -> Iterable[Row]:
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield "memory of one `ana ask`, the largest", f"{peak:.0f} MB"


def main() -> None:
    parts = (starting, remembering, prompting, bench_turn.rows, bench_store.rows)
    for part in parts:
        for name, figure in part():
            print(f"{name:<72} {figure}", flush=True)


if __name__ == "__main__":
    main()
