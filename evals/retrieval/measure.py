"""Recall and reciprocal rank of search on queries whose right answers are known.

`python -m evals.retrieval` measures the held-out halves of evals/data; `--half tuning` the other, on which weights
are chosen.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import Embedder, build_embedder
from ana.memory.filters import EVERY_ITEM
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.search.query import Query, parse_query
from ana.memory.search.ranking import Weights
from ana.settings import PROJECT, load_settings
from ana.time.clock import Clock
from app.show.tables import show_table
from evals.retrieval.cached import KeptEmbeddings
from evals.retrieval.scores import Finder, JudgedQuery, Score, score_queries

DATA = PROJECT / "evals" / "data"
NOW = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
CLOCK = Clock(ZoneInfo("Europe/Berlin"), lambda: NOW)
SEED = 7
STAMP = "2026-01-01T00:00:00.000000+00:00"

Half = Literal["tuning", "held-out"]
Set = Literal["personal", "blind"]
"""Whoever wrote `personal` knew how search works, whoever wrote `blind` did not."""

Scores = dict[str, dict[str, Score]]
"""By leg and kind of query."""

SETS: tuple[Set, ...] = ("personal", "blind")

Legs = Mapping[str, Weights]

LEGS: Legs = {
    "dense": Weights(words=0, day=0, status=0),
    "lexical": Weights(vector=0, day=0, status=0),
    "hybrid": Weights(),
}


def load_items(name: Set = "personal") -> list[Item]:
    lines = (DATA / name / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [Item(created_at=STAMP, updated_at=STAMP, **json.loads(line)) for line in lines]


def load_queries(half: Half | None = None, name: Set = "personal") -> list[JudgedQuery]:
    """Read the queries of one half, or all of them; each kind is split evenly."""
    lines = (DATA / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    every = [JudgedQuery(**(fields := json.loads(line)) | {"relevant": tuple(fields["relevant"])}) for line in lines]
    if half is None:
        return every
    tuning: set[str] = set()
    for kind in sorted({query.kind for query in every}):
        ids = sorted(query.id for query in every if query.kind == kind)
        random.Random(f"{SEED}/{kind}").shuffle(ids)
        tuning |= set(ids[: len(ids) // 2])
    return [query for query in every if (query.id in tuning) == (half == "tuning")]


@contextmanager
def open_legs(
    items: Sequence[Item], embedder: Embedder, clock: Clock = CLOCK, legs: Legs = LEGS
) -> Iterator[dict[str, Finder]]:
    """Search over these items with each of the legs, by name."""
    with tempfile.TemporaryDirectory() as name:
        backends = {leg: ChromaBackend(Path(name), embedder, weights=weight) for leg, weight in legs.items()}
        next(iter(backends.values())).take_records("item", [(item, None) for item in items])
        yield {leg: _make_finder(leg, backend, clock) for leg, backend in backends.items()}
        for backend in backends.values():
            backend.close()


def _make_finder(leg: str, backend: ChromaBackend, clock: Clock) -> Finder:
    """Return how a leg finds items; dense and lexical alone take no question for what is due as a filter."""
    if leg not in ("dense", "lexical"):
        memory = Memory(backend, clock)
        return lambda text, limit: [item.id for item in memory.find(text, limit=limit).items]
    today = clock.now().date()

    def find(text: str, limit: int) -> list[str]:
        query = Query(parse_query(text, today), EVERY_ITEM, clock.zone, limit)
        return [item.id for item in backend.query(query).items]

    return find


def score_sets(embedder: str) -> dict[Set, Scores]:
    """Return the scores of the held-out half of each set with an embedder, by set."""
    cached = KeptEmbeddings(build_embedder(load_settings({}), embedder))
    return {name: score_set(name, cached) for name in SETS}


def score_set(name: Set, embedder: Embedder, half: Half = "held-out", legs: Legs = LEGS) -> Scores:
    """Return the scores of one half of a set, by leg and kind."""
    queries = load_queries(half, name)
    with open_legs(load_items(name), embedder, legs=legs) as finders:
        return {leg: score_queries(find, queries) for leg, find in finders.items()}


def main() -> None:
    """Print recall and rank of one half."""
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    parser.add_argument("--half", choices=["tuning", "held-out"], default="held-out")
    parser.add_argument("--embeddings", choices=["minilm", "wordllama"], default="minilm", help="the embedder")
    chosen = parser.parse_args()
    embedder = KeptEmbeddings(build_embedder(load_settings({}), chosen.embeddings))
    rows = []
    for name in SETS:
        for leg, kinds in score_set(name, embedder, chosen.half).items():
            for kind, score in kinds.items():
                figures = (f"{figure:.2f}" for figure in (score.recall5, score.recall10, score.mrr))
                rows.append((name, leg, kind, str(score.count), *figures))
    show_table(("set", "leg", "kind", "queries", "recall@5", "recall@10", "reciprocal rank"), rows)
