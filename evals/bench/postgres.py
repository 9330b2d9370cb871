"""The PostgreSQL backend against the Chroma backend at 10,000 items, alternating in one run; commits reach the disk."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.postgres.backend import PostgresBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.changes import Change, Entry
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.time.clock import Clock, local_zone
from evals.bench.store import Where, make_item, make_text, time_alternating
from evals.postgres import add_worker, serving

SIZE = 10_000
BATCH = 1_000


def measure() -> Iterable[tuple[str, str]]:
    """Measure each operation: PostgreSQL's, Chroma's, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(local_zone("UTC"))
    with tempfile.TemporaryDirectory() as chroma, tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as url:
        items = [make_item(n, clock.stamp()) for n in range(SIZE)]
        theirs = ChromaBackend(Path(chroma), embedder)
        theirs.fill(items)
        database = Database(add_worker(url))
        ours = PostgresBackend(database, "ann", embedder)
        for first in range(0, SIZE, BATCH):
            batch = items[first : first + BATCH]
            ours.apply([Entry(each.created_at, "", "filled", Change("item", each.id, None, each)) for each in batch])
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("ANALYZE")  # as the server does by itself after a minute
        ids = [item.id for item in items]
        for name, act in list_operations():
            a, b = _compare(act, Memory(ours, clock), Memory(theirs, clock), ids)
            yield f"{name} at {SIZE:,}, PostgreSQL / Chroma", f"{a:.2f} / {b:.2f} ms = {a / b:.2f}"
        theirs.close()
        database.close()


def _compare(
    act: Callable[[Memory, str, int], Any], ours: Memory, theirs: Memory, ids: Sequence[str]
) -> tuple[float, float]:
    return time_alternating(lambda n: act(ours, ids[n], n), lambda n: act(theirs, ids[n], n))


def list_operations() -> Iterable[tuple[str, Callable[[Memory, str, int], Any]]]:
    """Yield the operations to compare: name, and what is done with a memory, an id and a number."""
    day = date(2026, 5, 5)
    week: Where = {"due_date": {"$gte": "2026-05-05", "$lt": "2026-05-12"}}
    yield "hybrid query (goal 1.3)", lambda memory, _, n: memory.find(make_text(n))
    yield "a day's items (goal 1.5)", lambda memory, _, n: memory.due(day, day)
    yield "a week's items", lambda memory, _, n: memory.find(where=week)
    yield "get", lambda memory, id, n: memory.get(id)
    yield "add (goal 0.4)", lambda memory, _, n: memory.create(make_text(n), {"type": "x"})
    yield "hybrid query after an add", lambda memory, _, n: (memory.create("x"), memory.find(make_text(n)))
