"""Add, get and query at 10,000 and 100,000 items, against others with the same embedder, alternating in one run.

The others are raw Chroma and, for the hybrid query, SQLite with sqlite-vec and FTS5.
"""

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.ids import new_id
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock, local_zone
from ana.values import Json
from evals.bench.raw_chroma import RawChroma, to_seconds
from evals.bench.sqlite_vec import SqliteVec

SIZES = (10_000, 100_000)
TIMES = 60
WORDS = ("report", "garden", "dentist", "milk", "invoice", "flight", "birthday", "backup", "novel", "bicycle", "budget")

AGAINST_SQLITE = "hybrid query (goal below 1)"
JOURNALED = "add, journaled, read back (goal 1.5)"

Where = dict[str, Json]
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
    return Item(new_id(), make_text(n), dict(properties), stamp, stamp)


def measure() -> Iterable[tuple[str, str]]:
    """Measure each operation at each size: ours, raw Chroma's, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(local_zone("UTC"))
    with tempfile.TemporaryDirectory() as name:
        backend = ChromaBackend(Path(name) / "ours", embedder)
        memory = Memory(backend, clock)
        raw = RawChroma(Path(name) / "raw", embedder)
        lite = SqliteVec(Path(name) / "lite.sqlite", embedder)
        filled = 0
        for size in SIZES:
            items = [make_item(n, clock.stamp()) for n in range(filled, size)]
            backend.fill(items)
            raw.fill(items)
            lite.fill(items)
            filled = size
            for name_, ours, theirs in list_operations(memory, backend, raw, lite, [i.id for i in items]):
                mine, other = time_alternating(ours, theirs)
                against = {JOURNALED: "the same without", AGAINST_SQLITE: "sqlite-vec"}.get(name_, "raw Chroma")
                yield f"{name_} at {size:,}, ours / {against}", f"{mine:.2f} / {other:.2f} ms = {mine / other:.2f}"
            yield f"memory at {size:,}, all stores open", f"{_resident_memory():.0f} MB"
        memory.close()
        raw.close()
        lite.close()


def list_operations(
    memory: Memory, backend: ChromaBackend, raw: RawChroma, lite: SqliteVec, ids: list[str]
) -> Iterable[Pair]:
    """Yield the operations to compare: name, ours, and the same elsewhere."""
    query = memory.find
    day: Where = {"due_date": "2026-05-05"}
    half: Where = {"status": "active"}
    week: Where = {"due_date": {"$gte": "2026-05-05", "$lt": "2026-05-12"}}
    raw_week = {"$and": [{"due_at": {"$gte": to_seconds("2026-05-05")}}, {"due_at": {"$lt": to_seconds("2026-05-12")}}]}
    yield "hybrid query (goal 2)", lambda n: query(make_text(n)), lambda n: raw.query(make_text(n))
    yield AGAINST_SQLITE, lambda n: query(make_text(n)), lambda n: lite.query(make_text(n))
    yield "query, a day (goal 0.5)", lambda n: query(make_text(n), day), lambda n: raw.query(make_text(n), day)
    yield "query, a week (goal 0.5)", lambda n: query(make_text(n), week), lambda n: raw.query(make_text(n), raw_week)
    yield "query, every second (goal 0.5)", lambda n: query(make_text(n), half), lambda n: raw.query(make_text(n), half)
    yield "get (goal 1.5)", lambda n: memory.get(ids[n]), lambda n: raw.get(ids[n])
    new = {"type": "x"}
    yield "add (goal 1.5)", lambda n: _add(backend, make_text(n)), lambda n: raw.add(make_text(n), new)
    yield JOURNALED, lambda n: memory.create(make_text(n), dict(new)), lambda n: _add(backend, make_text(n))


def _add(backend: ChromaBackend, content: str) -> None:
    """Store an item past the journal."""
    stamp = datetime.now(UTC).isoformat(timespec="microseconds")
    backend.fill([Item(new_id(), content, {"type": "x"}, stamp, stamp)])


def _resident_memory() -> float:
    """Return how many MB of this process are in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


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
