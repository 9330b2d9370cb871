"""What search finds: recall and reciprocal rank on queries whose right answers are known.

`python -m evals.retrieval` measures the held-out half of evals/data; `--half tuning` the other, on which weights are
chosen; `--locomo FILE` any file in the format of LoCoMo (Maharana et al., "Evaluating Very Long-Term Conversational
Memory of LLM Agents", 2024).
"""

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

from ana.clock import Clock
from ana.embedders import Embedder, build_embedder
from ana.settings import PROJECT, load_settings
from ana.store.item import Item, Json
from ana.store.memory import Memory

DATA = PROJECT / "evals" / "data"
NOW = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
CLOCK = Clock(ZoneInfo("Europe/Berlin"), lambda: NOW)
SEED = 7
STAMP = "2026-01-01T00:00:00.000000+00:00"

Half = Literal["tuning", "held-out"]
Finder = Callable[[str, int], list[str]]
"""From a query and a limit to the ids of what was found, best first."""


@dataclass(frozen=True)
class Query:
    """A question with its answer.

    Args:
        id: Its name.
        kind: What sort of question it is.
        text: What is asked.
        gold: The exact filter behind it, where there is one.
        relevant: The ids of all right items; none where there is no answer.
    """

    id: str
    kind: str
    text: str
    gold: dict[str, Json] | None
    relevant: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """Means over the queries of one kind: recall in the first 5 and 10, and the reciprocal rank of the first right one."""

    count: int
    recall5: float
    recall10: float
    mrr: float


def items() -> list[Item]:
    lines = (DATA / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [Item(created_at=STAMP, updated_at=STAMP, **json.loads(line)) for line in lines]


def queries(half: Half | None = None) -> list[Query]:
    """The queries of one half, or all of them; each kind is split evenly."""
    lines = (DATA / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    every = [Query(**(said := json.loads(line)) | {"relevant": tuple(said["relevant"])}) for line in lines]
    if half is None:
        return every
    tuning: set[str] = set()
    for kind in sorted({query.kind for query in every}):
        ids = sorted(query.id for query in every if query.kind == kind)
        random.Random(f"{SEED}/{kind}").shuffle(ids)
        tuning |= set(ids[: len(ids) // 2])
    return [query for query in every if (query.id in tuning) == (half == "tuning")]
