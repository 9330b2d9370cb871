"""Add, get and query at 1,000 and 10,000 items, against raw Chroma with the same embedder."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ana.clock import Clock, local_zone
from ana.embedders import WordLlamaEmbeddings
from ana.store.chroma import new_id
from ana.store.item import Item
from ana.store.memory import Memory
from ana.store.raw import RawChroma

SIZES = (1_000, 10_000)
TIMES = 60
WORDS = ("report", "garden", "dentist", "milk", "invoice", "flight", "birthday", "backup", "novel", "bicycle", "budget")


def text(n: int) -> str:
    about, more, with_ = (WORDS[n // step % len(WORDS)] for step in (1, 11, 121))
    return f"{about} {more} number {n}, to be looked at with {with_}"


def item(n: int, stamp: str) -> Item:
    properties = {
        "type": "task",
        "status": "active" if n % 2 else "done",
        "due_date": f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}",
    }
    return Item(new_id(), text(n), dict(properties), stamp, stamp)


def rows() -> Iterable[tuple[str, str]]:
    """One row an operation and size: ours, raw Chroma's, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(local_zone("UTC"))
    with tempfile.TemporaryDirectory() as name:
        memory = Memory(Path(name) / "ours", embedder, clock)
        raw = RawChroma(Path(name) / "raw", embedder)
        filled = 0
        for size in SIZES:
            items = [item(n, clock.stamp()) for n in range(filled, size)]
            memory.items.fill(items)
            raw.fill(items)
            filled = size
            yield from _compared(size, memory, raw, [i.id for i in items])
        memory.close()
        raw.close()


def _compared(size: int, memory: Memory, raw: RawChroma, ids: list[str]) -> Iterable[tuple[str, str]]:
    due = {"due_date": "2026-05-05"}
    pairs: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
        "add": (lambda n: memory.items.add(text(n), {"type": "x"}), lambda n: raw.add(text(n), {"type": "x"})),
        "add, journaled and read back": (
            lambda n: memory.create(text(n), {"type": "x"}),
            lambda n: raw.add(text(n), {"type": "x"}),
        ),
        "get": (lambda n: memory.items.get(ids[n]), lambda n: raw.get(ids[n])),
        "query by meaning": (lambda n: memory.items.query(text(n)), lambda n: raw.query(text(n))),
        "query with a filter": (lambda n: memory.items.query(text(n), due), lambda n: raw.query(text(n), due)),
    }
    for name, (ours, theirs) in pairs.items():
        mine, other = _alternating(ours, theirs)
        yield f"{name} at {size:,}, ours / raw Chroma", f"{mine:.2f} / {other:.2f} ms = {mine / other:.2f}"


def _alternating(ours: Callable[[int], Any], theirs: Callable[[int], Any]) -> tuple[float, float]:
    spent: tuple[list[float], list[float]] = ([], [])
    for n in range(TIMES):
        for side, action in enumerate((ours, theirs)):
            begun = time.perf_counter()
            action(n)
            spent[side].append(time.perf_counter() - begun)
    return statistics.median(spent[0]) * 1000, statistics.median(spent[1]) * 1000
