"""The PostgreSQL backend against the Chroma backend, alternating in one run; commits reach the disk."""

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.postgres.backend import PostgresBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.changes import Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.postgres.database import Database
from ana.time.clock import Clock, local_zone
from evals.bench.store import Where, make_item, make_text, time_alternating
from evals.postgres import add_worker, serving
from evals.retrieval.measure import CLOCK, SETS, load_items, load_queries, score_set
from evals.retrieval.scores import Score, score_queries

SIZES = (10_000, 100_000)
BATCH = 1_000


def measure() -> Iterable[tuple[str, str]]:
    """Measure each operation at each size: PostgreSQL's, Chroma's, and the ratio; then what both find."""
    embedder, clock = WordLlamaEmbeddings(), Clock(local_zone("UTC"))
    with tempfile.TemporaryDirectory() as chroma, tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as url:
        theirs = ChromaBackend(Path(chroma), embedder)
        database = Database(add_worker(url))
        ours, ids = Memory(PostgresBackend(database, "ann", embedder), clock), list[str]()
        for size in SIZES:
            items = [make_item(n, clock.stamp()) for n in range(len(ids), size)]
            theirs.fill(items)
            _fill(ours, items)
            ids += [item.id for item in items]
            for name, act in list_operations():
                a, b = _compare(act, ours, Memory(theirs, clock), ids)
                yield f"{name} at {size:,}, PostgreSQL / Chroma", f"{a:.2f} / {b:.2f} ms = {a / b:.2f}"
        theirs.close()
        yield from _compare_recall(database)
        database.close()


def _fill(memory: Memory, items: Sequence[Item]) -> None:
    for first in range(0, len(items), BATCH):
        batch = items[first : first + BATCH]
        memory.apply([Entry(each.created_at, "", "filled", Change("item", each.id, None, each)) for each in batch])


def _compare_recall(database: Database) -> Iterable[tuple[str, str]]:
    """Yield the recall among the first 10 on the held-out half of each set, PostgreSQL's and Chroma's."""
    embedder = WordLlamaEmbeddings()
    for name in SETS:
        memory = Memory(PostgresBackend(database, name, embedder), CLOCK)
        _fill(memory, load_items(name))
        queries = load_queries("held-out", name)
        ours = score_queries(partial(_find, memory), queries)
        a, b = map(_mean_recall, (ours, score_set(name, embedder)["hybrid"]))
        yield f"recall@10 on {name}, PostgreSQL and Chroma (goal: within .01)", f"{a:.4f}, {b:.4f}"


def _find(memory: Memory, text: str, limit: int) -> list[str]:
    return [item.id for item in memory.find(text, limit=limit).items]


def _mean_recall(scores: Mapping[str, Score]) -> float:
    return sum(each.count * each.recall10 for each in scores.values()) / sum(each.count for each in scores.values())


def _compare(
    act: Callable[[Memory, str, int], Any], ours: Memory, theirs: Memory, ids: Sequence[str]
) -> tuple[float, float]:
    return time_alternating(lambda n: act(ours, ids[n], n), lambda n: act(theirs, ids[n], n))


def list_operations() -> Iterable[tuple[str, Callable[[Memory, str, int], Any]]]:
    """Yield the operations to compare: name, and what is done with a memory, an id and a number."""
    day = date(2026, 5, 5)
    week: Where = {"due_date": {"$gte": "2026-05-05", "$lt": "2026-05-12"}}
    yield "hybrid query (goal 1.3, 1.0 at 100,000)", lambda memory, _, n: memory.find(make_text(n))
    yield "a day's items (goal 1.5)", lambda memory, _, n: memory.due(day, day)
    yield "a week's items", lambda memory, _, n: memory.find(where=week)
    yield "get", lambda memory, id, n: memory.get(id)
    yield "add (goal 0.4)", lambda memory, _, n: memory.create(make_text(n), {"type": "x"})
    yield "hybrid query after an add", lambda memory, _, n: (memory.create("x"), memory.find(make_text(n)))
