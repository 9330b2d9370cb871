"""Queries and a create at 10,000 items, against raw Chroma with the same embedder, alternating in one run."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.client import open_chroma
from ana.embedders import Embedder, WordLlamaEmbeddings
from ana.memory.item import Item, make_item_id
from ana.memory.memory import Memory
from ana.time.clock import Clock, find_local_zone
from ana.values import Json

SIZE = 10_000
BATCH = 5000
TIMES = 60
WORDS = ("report", "garden", "dentist", "milk", "invoice", "flight", "birthday", "backup", "novel", "bicycle", "budget")

Where = dict[str, Json] | None
QUERIES: Mapping[str, Where] = {"hybrid query (goal 1.5)": None, "query, a day (goal 0.5)": {"due_date": "2026-05-05"}}
Action = Callable[[int], Any]


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
    """Measure each query and a create: ours, raw Chroma's, and the ratio."""
    embedder, clock = WordLlamaEmbeddings(), Clock(find_local_zone("UTC"))
    with tempfile.TemporaryDirectory() as name:
        backend, client = ChromaBackend(Path(name) / "ours", embedder), open_chroma(Path(name) / "raw")
        memory, items = Memory(backend, clock), [make_item(n, clock.stamp()) for n in range(SIZE)]
        backend.take_records("item", [(item, None) for item in items])
        raw = fill_raw(client, embedder, items)
        pairs = {query: make_pair(memory, raw, embedder, where) for query, where in QUERIES.items()}
        pairs["create, journaled, read back (goal 2)"] = make_creates(memory, raw, embedder)
        for operation, pair in pairs.items():
            yield f"{operation} at {SIZE:,}, ours / raw Chroma", show_ratio(*time_alternating(*pair, TIMES))
        memory.close()
        client.close()


def fill_raw(client: Any, embedder: Embedder, items: Sequence[Item]) -> Any:
    """Return a collection of Chroma with the items, and nothing around it."""
    configuration = {"hnsw": {"space": "cosine"}}
    raw = client.create_collection("raw", embedding_function=None, configuration=configuration)
    for start in range(0, len(items), BATCH):
        part = items[start : start + BATCH]
        texts = [item.content for item in part]
        vectors = embedder.embed_documents(texts)
        metadatas = [item.properties for item in part]
        raw.add([item.id for item in part], documents=texts, embeddings=vectors, metadatas=metadatas)
    return raw


def make_pair(memory: Memory, raw: Any, embedder: Embedder, where: Where) -> tuple[Action, Action]:
    """Return two actions: to search the memory, and to search the collection for the same."""

    def query_raw(n: int) -> None:
        raw.query(query_embeddings=[embedder.embed_query(make_text(n))], n_results=10, where=where)

    return lambda n: memory.find(make_text(n), where), query_raw


def make_creates(memory: Memory, raw: Any, embedder: Embedder) -> tuple[Action, Action]:
    """Return two actions: to create an item in the memory, and to add one to the collection."""

    def add_raw(n: int) -> None:
        text = make_text(n)
        raw.add([f"added{n}"], documents=[text], embeddings=embedder.embed_documents([text]), metadatas=[{"type": "x"}])

    return lambda n: memory.create(make_text(n), {"type": "x"}), add_raw


def show_ratio(ours: float, theirs: float) -> str:
    """Return two times, in milliseconds, and their ratio as they are published."""
    return f"{ours:.2f} / {theirs:.2f} ms = {ours / theirs:.2f}"


def time_alternating(ours: Action, theirs: Action, times: int) -> tuple[float, float]:
    """Return the median milliseconds of two actions; each is told the number of the time.

    Args:
        ours: One action.
        theirs: The other.
        times: How often each is done.
    """
    spent: tuple[list[float], list[float]] = ([], [])
    ours(times), theirs(times)  # the first call of each loads what every later one has
    for n in range(times):
        for side, action in enumerate((ours, theirs)):
            begun = time.perf_counter()
            action(n)
            spent[side].append(time.perf_counter() - begun)
    return statistics.median(spent[0]) * 1000, statistics.median(spent[1]) * 1000
