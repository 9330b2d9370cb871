"""Queries at 10,000 items of which 500 repeat, against the same items without their rules, alternating in one run."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.values import Json
from evals.bench.store import make_item, make_text

SIZE, EVERY, TIMES = 10_000, 20, 80
NOW = datetime(2026, 2, 5, 10, tzinfo=UTC)
RULES = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=FR",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=YEARLY",
    "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0",
    "FREQ=MONTHLY;BYDAY=-1MO",
)
WEEK: dict[str, Json] = {"$gte": "2026-02-02", "$lte": "2026-02-08"}

Ask = Callable[[Memory, int], Any]

QUERIES: dict[str, Ask] = {
    "a text": lambda memory, n: memory.find(make_text(n)),
    "a text and a day": lambda memory, n: memory.find(f"report garden on Friday {n}"),
    "a text and a filter": lambda memory, n: memory.find(make_text(n), {"status": "active"}),
    "$on a day": lambda memory, n: memory.find(None, {"$on": f"2026-02-{n % 7 * 4 + 2:02}"}),
    "$on a week": lambda memory, _: memory.find(None, {"$on": WEEK}),
    "due_date in a week": lambda memory, _: memory.find(None, {"due_date": WEEK}),
    "a status": lambda memory, _: memory.find(None, {"status": "active"}),
    "due in a week": lambda memory, _: memory.due(date(2026, 2, 2), date(2026, 2, 8)),
}


def measure() -> Iterable[tuple[str, str]]:
    """Measure each query, in seconds of the processor: with occurrences, without, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(UTC, lambda: NOW)
    plain = [make_item(n, clock.stamp()) for n in range(SIZE)]
    repeating = [_repeat(item, n // EVERY) if n % EVERY == 0 else item for n, item in enumerate(plain)]
    with tempfile.TemporaryDirectory() as name:
        memories = []
        for side, items in enumerate((repeating, plain)):
            backend = ChromaBackend(Path(name) / str(side), embedder)
            backend.fill(items)
            memories.append(Memory(backend, clock))
        for said, ask in QUERIES.items():
            ours, theirs = _time_alternating(ask, memories)
            ratio = f"{ours:.2f} / {theirs:.2f} ms = {ours / theirs:.2f}"
            yield f"{said}, 500 of 10,000 repeat / none does (goal 1.2)", ratio
        for memory in memories:
            memory.close()


def _repeat(item: Item, n: int) -> Item:
    kind = "event" if n % 2 else "task"
    return replace(item, properties={**item.properties, "repeats": RULES[n % len(RULES)], "type": kind})


def _time_alternating(ask: Ask, memories: list[Memory]) -> list[float]:
    spent: list[list[float]] = [[] for _ in memories]
    for n in range(-1, TIMES):
        pairs = [*zip(memories, spent, strict=True)]
        for memory, times in pairs[:: 1 if n % 2 else -1]:  # whoever is second finds a text that was read before
            begun = time.process_time()
            ask(memory, max(n, 0))
            if n >= 0:  # the first call loads what every later one has
                times.append(time.process_time() - begun)
    return [statistics.mean(sorted(times)[: TIMES * 3 // 4]) * 1000 for times in spent]
