"""The page in front of 10,000 items: how large its largest pages are, and how long the server takes for them."""

import random
import tempfile
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path

import httpx

from ana.handles import open_data
from ana.memory.changes import Change, make_edit
from ana.memory.item import Item
from ana.settings import load_settings
from ana.values import Json
from ana.workspace import open_workspace
from evals.load.server import name_places, running

PAGES = ("/app/today", "/app/calendar?month={month}", "/app/calendar?week={day}", "/app/items", "/app/items?q=dentist")
WORDS = ("buy", "call", "write", "milk", "dentist", "report", "kitchen", "garden", "school", "choir", "paper")
REPEATING = 20
"""Every which item repeats."""


def fill(env: Mapping[str, str], count: int = 10_000) -> list[str]:
    """Keep items, some of them repeating, from five days ago to 300 ahead; return the paths of the largest pages.

    Args:
        env: The environment of a server that is not open yet.
        count: How many items; a multiple of 1,000.
    """
    rng = random.Random(7)
    with open_data(open_workspace(load_settings(dict(env))), "bench") as handles:
        stamp, today = handles.memory.stamp(), handles.clock.now().date()
        for start in range(0, count, 1000):
            changes = []
            for n in range(start, start + 1000):
                due = f"{today + timedelta(days=rng.randint(-5, 300))}{rng.choice(['', 'T09:30'])}"
                properties: dict[str, Json] = {"type": "task", "status": "active", "due_date": due}
                properties |= {} if n % REPEATING else {"repeats": "FREQ=WEEKLY"}
                item = Item(f"k{n:07}", f"{' '.join(rng.choices(WORDS, k=6))} {n}", properties, stamp, stamp)
                changes.append(Change("item", item.id, None, item))
            handles.memory.put_back(changes, make_edit())
    return [path.format(month=f"{today:%Y-%m}", day=today) for path in PAGES]


def measure() -> Iterable[tuple[str, str]]:
    """Ask for each page three times."""
    with tempfile.TemporaryDirectory() as name:
        env = name_places(Path(name), ANA_EMBEDDINGS="wordllama")
        paths = fill(env)
        with running(env, Path(name) / "server.log") as server, httpx.Client(base_url=server.url, timeout=60) as client:
            for path in paths:
                (size, first), *others = (_time(client, path) for _ in range(3))
                figures = f"{size / 1000:.0f} kB, {first:.2f} s, then {min(s for _, s in others):.3f} s"
                yield f"{path.partition('=')[0]}, 10,000 items", figures


def _time(client: httpx.Client, path: str) -> tuple[int, float]:
    """Return the bytes of a page, and the seconds that the server takes for it."""
    begun = time.perf_counter()
    response = client.get(path)
    response.raise_for_status()
    return len(response.content), time.perf_counter() - begun
