"""A thread of a thousand turns: how long the last turns take against the first ones at the bound, and its size."""

import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from evals.bench.turn import Turn, open_both

TURNS = 1000
CREATE_AGENT = 100
"""At this turn both agents are compared; create_agent keeps everything and would take minutes for a thousand."""

WINDOW = 50
"""Turns over which a median is taken: a thread that is full loses half of what it holds about every 25 turns."""

BOUND = 75
"""Around this turn the thread is as full as it ever will be."""


def measure() -> Iterable[tuple[str, str]]:
    """Measure the times of a turn, their ratios, and the size of the threads' file."""
    spent: list[float] = []
    others: list[float] = []
    sizes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as name, open_both(Path(name)) as (ours, other):
        for turn in range(TURNS):
            spent.append(_time(ours))
            if turn < CREATE_AGENT + WINDOW // 2:
                others.append(_time(other))
            if turn + 1 in (BOUND, TURNS // 2, TURNS):
                sizes[turn + 1] = sum(file.stat().st_size for file in Path(name).glob("ours/*.sqlite*"))
    first, last = _median(spent, BOUND), _median(spent, TURNS - WINDOW // 2)
    mine, theirs = _median(spent, CREATE_AGENT), _median(others, CREATE_AGENT)
    yield f"turn {TURNS:,} / turn {BOUND}, at the bound (goal 1.3)", f"{last:.1f} / {first:.1f} ms = {last / first:.2f}"
    yield f"turn {CREATE_AGENT}, ours / create_agent (goal 1)", f"{mine:.1f} / {theirs:.1f} ms = {mine / theirs:.2f}"
    by_turn = ", ".join(f"{size / 2**20:.1f} MB at {turn:,}" for turn, size in sizes.items())
    yield "threads.sqlite of one thread, by turns", by_turn


def _time(turn: Turn) -> float:
    begun = time.perf_counter()
    turn(0)
    return (time.perf_counter() - begun) * 1000


def _median(spent: list[float], turn: int) -> float:
    return statistics.median(spent[turn - WINDOW // 2 : turn + WINDOW // 2])
