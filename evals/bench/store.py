"""A query and a create at 10,000 items, against raw Chroma with the same embedder, alternating in one run."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.ids import make_item_id
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock, find_local_zone
from ana.values import Json
from evals.bench.raw_chroma import RawChroma

SIZE = 10_000
TIMES = 60
WORDS = ("report", "garden", "dentist", "milk", "invoice", "flight", "birthday", "backup", "novel", "bicycle", "budget")

Pair = tuple[str, Callable[[int], Any], Callable[[int], Any]]


def make_text(n: int) -> str:
    about, more, with_ = (WORDS[n // step % len(WORDS)] for step in (1, 11, 121))
    return f"{about} {more} number {n}, to be looked at with {with_}"


def make_item(n: int, stamp: str) -> Item:
    properties = {
        "type": "task",
        "status": "active" if n % 2 else "done",
        "due_date": f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}",
    }
    return Item(make_item_id(), make_text(n), dict(properties), stamp, stamp)


def measure() -> Iterable[tuple[str, str]]:
    """Measure each operation: ours, raw Chroma's, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(find_local_zone("UTC"))
    with tempfile.TemporaryDirectory() as name:
        backend = ChromaBackend(Path(name) / "ours", embedder)
        memory, raw = Memory(backend, clock), RawChroma(Path(name) / "raw", embedder)
        items = [make_item(n, clock.stamp()) for n in range(SIZE)]
        backend.take_records("item", [(item, None) for item in items])
        raw.fill(items)
        for operation, ours, theirs in list_operations(memory, raw):
            mine, other = time_alternating(ours, theirs)
            yield f"{operation} at {SIZE:,}, ours / raw Chroma", f"{mine:.2f} / {other:.2f} ms = {mine / other:.2f}"
        memory.close()
        raw.close()


def list_operations(memory: Memory, raw: RawChroma) -> Iterable[Pair]:
    """Yield the operations to compare: name, ours, and the same elsewhere."""
    day: dict[str, Json] = {"due_date": "2026-05-05"}
    new: dict[str, Json] = {"type": "x"}
    yield "hybrid query (goal 2)", lambda n: memory.find(make_text(n)), lambda n: raw.query(make_text(n))
    yield "query, a day (goal 0.5)", lambda n: memory.find(make_text(n), day), lambda n: raw.query(make_text(n), day)
    yield (
        "create, journaled, read back (goal 2)",
        lambda n: memory.create(make_text(n), new),
        lambda n: raw.add(make_text(n), new),
    )


def time_alternating(ours: Callable[[int], Any], theirs: Callable[[int], Any]) -> tuple[float, float]:
    """Return the median milliseconds of each of two actions, which are given the number of the time."""
    spent: tuple[list[float], list[float]] = ([], [])
    ours(TIMES), theirs(TIMES)  # the first call of each loads what every later one has
    for n in range(TIMES):
        for side, action in enumerate((ours, theirs)):
            begun = time.perf_counter()
            action(n)
            spent[side].append(time.perf_counter() - begun)
    return statistics.median(spent[0]) * 1000, statistics.median(spent[1]) * 1000
